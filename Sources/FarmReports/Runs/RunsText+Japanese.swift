// The longer Japanese texts of the pages around a run: why a run is not done, and why something that
// people do on a page is refused.
import FarmCore

extension RunsText {
    static func japanese(_ reason: WaitReason) -> String {
        switch reason {
        case .ended(let run, let state): "実行 \(run) は終了しました（\(state.rawValue)）。"
        case .problem(let text): text
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
            "優先度の高い実行 \(run)\(others > 0 ? " ほか \(others)件" : "")が先です。"
        case .beside(let runs): "ほかの \(runs)件の実行とワーカーを共有しています。"
        case .cell(let cell):
            "\(cell.cell) の \(cell.job): \(cell.planned)件中 \(cell.open)件が残っています"
                + (cell.unplaceable.map { "（実行できるワーカーなし: \($0)）" } ?? "") + "。"
        }
    }

    static let japaneseRefusals: [String: (message: String, remedy: String)] = [
        "page-foreign-origin": (
            "この操作は、このページから送られたものではありません。",
            "ページを読み込み直し、そのボタンを使ってください。"
        ),
        "page-foreign-form": (
            "このフォームは、今のログインのものではありません。",
            "ページを読み込み直し、そのボタンを使ってください。"
        ),
        "page-may-not-decide": (
            "この実行は閲覧できますが、判断はできません。", "スコープ review のトークンを受け取ってください。"
        ),
        "no-leader": (
            "今、操作を受け付けるコーディネーターがありません。",
            "まもなく別のコーディネーターが引き継ぎます。ページを読み込み直し、操作が済んでいなければもう一度行ってください。"
        ),
        "page-no-file": ("この実行にそのファイルはありません。", "ページを読み込み直してください。"),
        "page-no-login": ("ログインしていません。", "ページを読み込み直し、ログインしてください。"),
        "page-too-many-listeners": ("開いているページが多すぎます。", "いくつか閉じてください。"),
        "decision-about-nothing": ("画像が選ばれていません。", "画像か変更を選んでください。"),
        "decision-comment-empty": ("コメントが空です。", "先に内容を書いてください。"),
        "decision-reason-too-long": ("理由が長すぎます。", "短くしてください。"),
        "decision-test-running": ("この画像のテストはまだ実行中です。", "テストの終了を待ってください。"),
        "decision-published": (
            "この画像は公開済みです。", "取り消すには、ピンのコミットをリバートしてください。"
        ),
        "decision-unknown-picture": (
            "この実行にその画像はありません。", "ページを読み込み直してください: 実行が変わりました。"
        ),
    ]
}
