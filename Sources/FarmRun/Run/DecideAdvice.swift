// The commands that decide about what a red run shows, as its last lines say them.
import FarmCore

/// How a reader decides about a run.
struct DecideAdvice: Hashable {
    /// Opens it in a browser.
    let review: String
    /// Makes all that it shows the references.
    let approve: String

    /// Nil where there is nothing to accept, or where the run is not complete.
    ///
    /// `isElsewhere`: the data folder that has the run is not on the reader's machine; `zip` is, or
    /// goes to them.
    init?(
        _ summary: RunSummary,
        isElsewhere: Bool,
        zip: String = FailureZip.name,
        file: String? = nil,
        data: String? = nil
    ) {
        let mayBe: Set<Verdict> = [.changed, .new, .moved]
        let open = summary.openPictures
        let isRemoving = RunFindings(summary).hasRemovals(summary)
        guard summary.state == .failed, summary.run.mode == .verify, summary.run.shard == nil,
            isRemoving || open.contains(where: { mayBe.contains($0.verdict) })
        else { return nil }
        let place =
            isElsewhere
            ? "--from \(zip)"
            : ([file, "--run \(summary.run.id)"] + [data.map { "--data \($0)" }])
                .compactMap { $0 }.joined(separator: " ")
        let removing = isRemoving ? " --remove-missing" : ""
        review = "snapfarm review \(place)"
        approve = "snapfarm approve \(place)\(removing) --reason \"…\""
    }
}

extension CIEnvironment? {
    /// The zip that has what differs, as a person on another machine gets it.
    var zipName: String { self?.zipName ?? FailureZip.name }
}
