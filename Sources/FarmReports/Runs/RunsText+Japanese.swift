// The longer Japanese texts of the pages around a run: why a run is not done.
import FarmCore

extension RunsText {
    static func japanese(_ reason: WaitReason) -> String {
        switch reason {
        case .ended(let run, let state): "実行 \(run) は終了しました（\(state.rawValue)）。"
        case .problem(let problem): SaidProblem(problem, in: .japanese).line
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
                + (cell.unplaceable == nil ? "" : "（実行できるワーカーなし）") + "。"
        }
    }
}
