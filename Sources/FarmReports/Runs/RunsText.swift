// What the pages around a run say, in each language: the list of runs, a run that still goes, the
// login. What a run says of itself is not translated.
import FarmCore

/// The texts of one language.
struct RunsText: Sendable {
    var runs: String
    var run: String
    var pipeline: String
    var branch: String
    var commit: String
    var tests: String
    var state: String
    var job: String
    var bad: @Sendable (Int) -> String
    var noRuns: String
    var older: String
    var newest: String
    var everything: String
    var logIn: String
    var logOut: String
    var token: String
    var tokenHint: String
    var wrongToken: String
    var welcome: @Sendable (String) -> String
    var linkOver: String
    var why: String
    var workers: @Sendable (Int) -> String
    var minutesLeft: @Sendable (Int) -> String
    var matrix: String
    var cell: String
    var stillGoing: String
    var soFar: String
    var goOn: String
    /// Before who handed a run in.
    var by: @Sendable (String) -> String
    var reason: @Sendable (WaitReason) -> String
    var refused: String
    var back: String

    static func of(_ language: PageLanguage) -> RunsText {
        switch language {
        case .english: english
        case .japanese: japanese
        }
    }

    private static let english = RunsText(
        runs: "Runs",
        run: "Run",
        pipeline: "Pipeline",
        branch: "Branch",
        commit: "Commit",
        tests: "Tests",
        state: "State",
        job: "Job",
        bad: { "\($0.grouped) not as expected" },
        noRuns: "There are no runs.",
        older: "Older runs",
        newest: "Newest runs",
        everything: "Show all",
        logIn: "Log in",
        logOut: "Log out",
        token: "Token",
        tokenHint: "Whoever runs this coordinator gives you a token, or a link that needs none.",
        wrongToken: "This token is not known here, or has expired.",
        welcome: { "You were invited as \($0)." },
        linkOver: "This link was used, or has expired. Ask for another.",
        why: "What it waits for",
        workers: { $0 == 1 ? "1 worker" : "\($0.grouped) workers" },
        minutesLeft: { $0 <= 1 ? "about a minute left" : "about \($0.grouped) minutes left" },
        matrix: "Matrix",
        cell: "Cell",
        stillGoing: "This run still goes. The page shows what is new by itself.",
        soFar: "Look at the pictures so far",
        goOn: "Go on",
        by: { "by \($0)" },
        reason: { $0.text },
        refused: "Refused",
        back: "Back"
    )

    private static let japanese = RunsText(
        runs: "実行一覧",
        run: "実行",
        pipeline: "パイプライン",
        branch: "ブランチ",
        commit: "コミット",
        tests: "テスト",
        state: "状態",
        job: "ジョブ",
        bad: { "\($0.grouped)件が期待と異なる" },
        noRuns: "実行はありません。",
        older: "以前の実行",
        newest: "最新の実行",
        everything: "すべて表示",
        logIn: "ログイン",
        logOut: "ログアウト",
        token: "トークン",
        tokenHint: "トークン、またはトークン不要のリンクは、このコーディネーターの管理者から受け取ってください。",
        wrongToken: "このトークンは登録されていないか、期限が切れています。",
        welcome: { "\($0)さんとして招待されています。" },
        linkOver: "このリンクは使用済みか、期限が切れています。新しいリンクを受け取ってください。",
        why: "待っているもの",
        workers: { "ワーカー\($0.grouped)台" },
        minutesLeft: { "残り約\(max(1, $0).grouped)分" },
        matrix: "マトリクス",
        cell: "セル",
        stillGoing: "実行中です。新しい結果は自動で表示されます。",
        soFar: "これまでの画像を見る",
        goOn: "続ける",
        by: { "開始: \($0)" },
        reason: { japanese($0) },
        refused: "受け付けられません",
        back: "戻る"
    )
}
