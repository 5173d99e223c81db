// The words of the pages around a run: the list of runs, the page of an open run, the login.
import FarmCore

extension PageText {
    var runList: String { words("Runs", "実行一覧") }
    var publishedReports: String { words("Reports", "レポート") }
    var publishedReleases: String { words("Releases", "リリース") }
    var reportHead: String { words("Report", "レポート") }
    var resultHead: String { words("Result", "結果") }
    var runHead: String { words("Run", "実行") }
    var pipeline: String { words("Pipeline", "パイプライン") }
    var branch: String { words("Branch", "ブランチ") }
    var commit: String { words("Commit", "コミット") }
    var stateHead: String { words("State", "状態") }
    var job: String { words("Job", "ジョブ") }
    func bad(_ number: Int) -> String {
        words("\(number.grouped) not as expected", "\(number.grouped)件が期待と異なる")
    }
    var noRuns: String { words("There are no runs.", "実行はありません。") }
    var older: String { words("Older runs", "以前の実行") }
    var newest: String { words("Newest runs", "最新の実行") }
    var everything: String { words("Show all", "すべて表示") }
    var logIn: String { words("Log in", "ログイン") }
    var logOut: String { words("Log out", "ログアウト") }
    var token: String { words("Token", "トークン") }
    var tokenHint: String {
        words(
            "Whoever runs this coordinator gives you a token, or a link that needs none.",
            "トークン、またはトークン不要のリンクは、このコーディネーターの管理者から受け取ってください。"
        )
    }
    var wrongToken: String {
        words("This token is not known here, or has expired.", "このトークンは登録されていないか、期限が切れています。")
    }
    func welcome(_ name: String) -> String {
        words("You were invited as \(name).", "\(name)さんとして招待されています。")
    }
    var linkOver: String {
        words(
            "This link was used, or has expired. Ask for another.",
            "このリンクは使用済みか、期限が切れています。新しいリンクを受け取ってください。"
        )
    }
    var waitsFor: String { words("What it waits for", "待っているもの") }
    func workers(_ number: Int) -> String {
        words(
            number == 1 ? "1 worker" : "\(number.grouped) workers",
            "ワーカー\(number.grouped)台"
        )
    }
    func minutesLeft(_ number: Int) -> String {
        words(
            number <= 1 ? "about a minute left" : "about \(number.grouped) minutes left",
            "残り約\(max(1, number).grouped)分"
        )
    }
    var runMatrix: String { words("Matrix", "マトリクス") }
    var runCell: String { words("Cell", "セル") }
    var stillGoing: String {
        words(
            "This run still goes. The page shows what is new by itself.",
            "実行中です。新しい結果は自動で表示されます。"
        )
    }
    var soFar: String { words("Look at the pictures so far", "これまでの画像を見る") }
    var goOn: String { words("Go on", "続ける") }
    /// The words that name the person who started a run.
    func handedInBy(_ person: String) -> String { words("by \(person)", "開始: \(person)") }
    func waitReason(_ reason: WaitReason) -> String { words(reason.text, japanese(reason)) }
    var refusal: String { words("Refused", "受け付けられません") }
    var back: String { words("Back", "戻る") }

    private func japanese(_ reason: WaitReason) -> String {
        switch reason {
        case .ended(let run, let state): "実行 \(run) は終了しました（\(state.rawValue)）。"
        case .problem(let problem): TranslatedProblem(problem, in: .japanese).line
        case .open(let open, let planned):
            "\(planned)件のテストケースのうち \(open)件の判定がまだありません。"
        case .noWorker(let silent):
            "ワーカーがいません\(silent > 0 ? "（以前の \(silent)台は応答なし）" : "")。"
                + "起動してください: snapfarm worker --coordinator URL"
        case .nonePlaceable(let workers):
            "ワーカー \(workers)台のどれも、残りのテストを実行できません。"
        case .noLease(let workers):
            "ワーカー \(workers)台のどれもリースを持っていません。ワーカーのログを確認してください。"
        case .leases(let leases, let workers):
            "ワーカー \(workers)台が \(leases)件のリースを実行中です。"
        case .ahead(let run, let others):
            "同じチームの優先度の高い実行 \(run)\(others > 0 ? " ほか \(others)件" : "")が先です。"
        case .team(let share):
            (share.beside > 0 ? "同じチームのほかの \(share.beside)件の実行と順番に進みます。" : "")
                + "チーム \(share.team) は今、ワーカー \(share.workers)台のうち \(share.leases)台を使っています。"
                + (share.otherTeams > 0 ? "ほかの \(share.otherTeams)チームともワーカーを共有しています。" : "")
        case .cell(let cell):
            "\(cell.cell) の \(cell.job): \(cell.planned)件中 \(cell.open)件が残っています"
                + (cell.unplaceable == nil ? "" : "（実行できるワーカーなし）") + "。"
        }
    }
}
