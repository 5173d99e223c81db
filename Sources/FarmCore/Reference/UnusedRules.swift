// The rules that find references which no test makes any more. Only complete, unfiltered runs are
// proof. A cell is judged by the runs that made pictures of it; without enough of them it keeps all
// its references.
import Foundation

/// The names of all pictures that one run made, with the run's worth as proof.
package struct NameManifest: Hashable, Sendable, Codable {
    /// The key of the run, unique among runs; a repeated run counts once.
    package var runKey: String
    package var finished: Date
    /// Whether every planned test of the run has a verdict, and no picture was unreached.
    package var complete: Bool
    /// Whether the run was whole: no selection left anything out.
    package var unfiltered: Bool
    /// The `<suite>/<name>` of each picture that the run made, by cell; has a key for every cell of
    /// the run.
    package var names: [CellID: Set<String>]

    package init(
        runKey: String,
        finished: Date,
        complete: Bool,
        unfiltered: Bool,
        names: [CellID: Set<String>]
    ) {
        self.runKey = runKey
        self.finished = finished
        self.complete = complete
        self.unfiltered = unfiltered
        self.names = names
    }
}

/// The references that no test makes any more, and the cells without enough proof.
package struct UnusedDecision: Hashable, Sendable, Codable {
    /// The references that can be removed, sorted.
    package var unused: [SnapshotID]
    /// The cells with too few proving runs, with the number of these runs.
    package var unproven: [CellID: Int]
    /// The keys of the runs that prove the references unused, newest first.
    package var runKeys: [String]
}

package enum UnusedRules {
    /// Finds the references that none of a cell's newest `runs` proving runs made.
    ///
    /// A run proves something about a cell if it was complete and unfiltered, and made at least one
    /// of the cell's pictures.
    package static func decide(
        references: [CellID: [SnapshotID]],
        manifests: [NameManifest],
        runs: Int
    ) -> UnusedDecision {
        let proving = proving(manifests)
        var decision = UnusedDecision(unused: [], unproven: [:], runKeys: [])
        var used: Set<String> = []
        for (cell, snapshots) in references where !snapshots.isEmpty {
            let witnesses = proving.filter { $0.names[cell]?.isEmpty == false }.prefix(max(runs, 1))
            guard witnesses.count >= max(runs, 1) else {
                decision.unproven[cell] = witnesses.count
                continue
            }
            let made = witnesses.reduce(into: Set<String>()) { $0.formUnion($1.names[cell] ?? []) }
            decision.unused += snapshots.filter { !made.contains("\($0.suite)/\($0.name)") }
            used.formUnion(witnesses.map(\.runKey))
        }
        decision.unused.sort()
        decision.runKeys = proving.map(\.runKey).filter(used.contains)
        return decision
    }

    /// Returns the complete and unfiltered runs, which can prove something, newest first, each
    /// once.
    private static func proving(_ manifests: [NameManifest]) -> [NameManifest] {
        var seen: Set<String> = []
        return manifests.filter { $0.complete && $0.unfiltered }
            .sorted { ($0.finished, $1.runKey) > ($1.finished, $0.runKey) }
            .filter { seen.insert($0.runKey).inserted }
    }
}
