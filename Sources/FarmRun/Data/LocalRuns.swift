// The runs in this machine's data folders. Only reads, even while a run works there.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import Foundation

/// The runs that were made on this machine.
package struct LocalRuns: Sendable {
    /// The path of the data folder; if `nil`, the data folders of the working folder and of its
    /// `pipelines/` count.
    let data: String?

    package init(data: String?) { self.data = data }

    /// Returns the newest runs, the newest first.
    ///
    /// - Throws: `PipelineSearchError.noLedger` for a named data folder without runs.
    package func newest(_ limit: Int) throws -> [RunListing] {
        let runs = try ledgers().flatMap { ledger in
            try SQLiteLedger.runs(inFileAt: ledger, limit: limit).map { RunListing($0) }
                + ProvenRuns(data: ledger.parentFolder).listings
        }
        return Array(runs.sorted { ($0.started, $0.run) > ($1.started, $1.run) }.prefix(limit))
    }

    /// Returns the tests that are flaky in the newest runs of each data folder, with their results.
    ///
    /// - Throws: The errors of `newest`.
    package func flaky(pipeline: String?, runs: Int) throws -> FlakyTests {
        var found = FlakyTests(runs: 0, histories: [])
        let question = FlakyQuestion(pipeline: pipeline, runs: runs)
        for ledger in try ledgers() {
            found.add(try SQLiteLedger.flaky(inFileAt: ledger, question))
        }
        return found
    }

    /// The paths of the data folders with runs.
    ///
    /// - Throws: The errors of `newest`.
    package func folders() throws -> [String] { try ledgers().map(\.parentFolder) }

    private func ledgers() throws -> [String] {
        let folders = data.map { [$0] } ?? [".snapfarm", "pipelines/.snapfarm"]
        let ledgers = folders.map { PipelineSource.absolute($0) + "/ledger.sqlite" }
            .filter { FileManager.default.fileExists(atPath: $0) }
        if ledgers.isEmpty, let data { throw PipelineSearchError.noLedger(data: data) }
        return ledgers
    }
}
