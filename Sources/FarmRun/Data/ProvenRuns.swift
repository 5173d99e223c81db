// The runs of a data folder that ran no test, because an earlier run proves them green. They have no
// row in the ledger: nothing of them can be reviewed, judged or resumed.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmFiles
import Foundation

/// The file with the newest runs that ran no test.
struct ProvenRuns {
    private let file: String

    /// Makes the list of the data folder at a path.
    init(data: String) { file = data + "/proven-runs.json" }

    /// The runs, the newest first; none if the file cannot be read.
    var listings: [RunListing] {
        guard let bytes = try? BoundedFile.read(file, bytesMax: FarmLimits.provenRunsBytesMax)
        else { return [] }
        return (try? JSONDecoder().decode([RunListing].self, from: bytes)) ?? []
    }

    /// Adds a run, and drops the oldest beyond the limit.
    ///
    /// The caller holds the data folder's lock.
    func add(_ summary: RunSummary) throws {
        let runs = [RunListing(proven: summary)] + listings
        let bytes = try JSONEncoder().encode(Array(runs.prefix(FarmLimits.provenRunsMax)))
        try DurableFile.write(bytes, to: file)
    }
}

extension RunListing {
    /// Makes the row of a run that ran no test; its problem is the note that says so.
    fileprivate init(proven summary: RunSummary) {
        let run = summary.run
        self.init(
            run: RunID(run.id),
            pipeline: run.pipeline,
            key: run.key,
            mode: run.mode,
            state: summary.state,
            commit: run.commit,
            branch: run.branch,
            started: run.started,
            ended: run.finished,
            planned: summary.counts.planned,
            done: 0,
            bad: 0,
            priority: 0,
            problem: summary.problems.first { $0.code == "unchanged" }
        )
    }
}
