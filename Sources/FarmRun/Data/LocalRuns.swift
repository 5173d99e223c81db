// The runs of this machine's data folders. Reads only, also beside a run.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import Foundation

/// Runs that were made here.
package struct LocalRuns: Sendable {
    /// Nil: those of the working folder and of its `pipelines/`.
    let data: String?

    package init(data: String?) { self.data = data }

    /// The newest first.
    ///
    /// - Throws: `PipelineSearchError.noLedger` for a data folder that was named and holds no runs.
    package func newest(_ limit: Int) throws -> [RunListing] {
        let rows = try ledgers().flatMap { try SQLiteLedger.runs(inFileAt: $0, limit: limit) }
        return rows.sorted { ($0.started, $0.id) > ($1.started, $1.id) }
            .prefix(limit).map { RunListing($0) }
    }

    /// Tests that are flaky in the newest runs of each data folder, with what they did.
    ///
    /// - Throws: as `newest` does.
    package func flaky(pipeline: String?, runs: Int) throws -> FlakyTests {
        var found = FlakyTests(runs: 0, histories: [])
        let question = FlakyQuestion(pipeline: pipeline, runs: runs)
        for ledger in try ledgers() {
            found.add(try SQLiteLedger.flaky(inFileAt: ledger, question))
        }
        return found
    }

    private func ledgers() throws -> [String] {
        let folders = data.map { [$0] } ?? [".snapfarm", "pipelines/.snapfarm"]
        let ledgers = folders.map { PipelineSource.absolute($0) + "/ledger.sqlite" }
            .filter { FileManager.default.fileExists(atPath: $0) }
        if ledgers.isEmpty, let data { throw PipelineSearchError.noLedger(data: data) }
        return ledgers
    }
}
