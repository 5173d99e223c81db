// The uses of alternates, read from what a team keeps of its runs: a data folder's ledger, the
// history's file of a CI, or summaries.
import FarmCore
import FarmLedger
import Foundation

/// The uses of alternates in earlier runs.
package struct AlternateHistory {
    package let uses: AlternateUses

    /// The most runs of a ledger that are read, the newest ones.
    private static let runsMax = 500

    /// Reads a data folder, a history's file, one `summary.json`, or every `summary.json` in a
    /// folder and its subfolders.
    package init(reading path: String) throws {
        let ledger = path + "/ledger.sqlite"
        var uses = AlternateUses()
        if FileManager.default.fileExists(atPath: ledger) {
            try SQLiteLedger.eachSummary(inFileAt: ledger, limit: Self.runsMax) { uses.add($0) }
            self.uses = uses
            return
        }
        let files = try NameHistory.files(at: path)
        if files == [path],
            let history = try? RunHistory(parsing: try NameHistory.bytes(of: path))
        {
            self.uses = history.alternates
            return
        }
        let runs = try files.map { file in
            do {
                return try JSONDecoder().decode(RunSummary.self, from: NameHistory.bytes(of: file))
            } catch let error as DecodingError {
                throw RefsError.history(
                    file,
                    reason: "no summary and no history (\(error.inWords))"
                )
            }
        }
        var seen: Set<String> = []
        for run in runs.sorted(by: { ($0.run.finished, $0.run.id) < ($1.run.finished, $1.run.id) })
        where seen.insert(run.run.id).inserted {
            uses.add(run)
        }
        self.uses = uses
    }
}
