// The commands that decide about the pictures of a red run, shown in its last lines.
import FarmCore

/// The commands that decide about a run's pictures.
struct DecideAdvice: Hashable {
    /// The command that opens the run in a browser.
    let review: String
    /// The command that accepts all shown pictures as references.
    let approve: String

    /// Creates the commands, or returns `nil` if there is nothing to accept, or if the run is
    /// incomplete, a record run or a share.
    ///
    /// If `isElsewhere`, the reader's machine does not have the run's data folder, and the commands
    /// read `zip`. Unless `removes`, the commands drop no reference: the run may be older than it.
    init?(
        _ summary: RunSummary,
        isElsewhere: Bool,
        zip: String = FailureZip.name,
        file: String? = nil,
        data: String? = nil,
        removes: Bool = true
    ) {
        let mayBe: Set<Verdict> = [.changed, .new, .moved]
        let open = summary.openPictures
        let isRemoving = removes && RunFindings(summary).hasRemovals(summary)
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
    /// The name of `FailureDiffs.zip` as the CI offers it for download.
    var zipName: String { self?.zipName ?? FailureZip.name }
}
