// The command that makes what a red run shows the references, as its last line says it.
import FarmCore

enum ApproveAdvice {
    /// Nil where there is nothing to accept, or where the run is not complete.
    ///
    /// `isElsewhere`: the data folder that has the run is not on the reader's machine, so the zip
    /// goes to them.
    static func command(
        for summary: RunSummary,
        isElsewhere: Bool,
        file: String? = nil,
        data: String? = nil
    ) -> String? {
        let mayBe: Set<Verdict> = [.changed, .new, .moved]
        guard summary.state == .failed, summary.run.mode == .verify, summary.run.shard == nil,
            summary.openPictures.contains(where: { mayBe.contains($0.verdict) })
        else { return nil }
        let place =
            isElsewhere
            ? "--from \(FailureZip.name)"
            : ([file, "--run \(summary.run.id)"] + [data.map { "--data \($0)" }])
                .compactMap { $0 }.joined(separator: " ")
        return "snapfarm approve \(place) --reason \"…\""
    }
}
