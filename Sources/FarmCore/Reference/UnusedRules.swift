// References that nothing makes any more. Only complete, unfiltered runs prove anything, and a cell
// is judged by the runs that had it: without enough of them it keeps all its references.
import Foundation

/// The names of all pictures that one run made.
package struct NameManifest: Hashable, Sendable, Codable {
    /// Unique among runs; the same run twice is one proof.
    package var runKey: String
    package var finished: Date
    /// Every planned test has a verdict, and none was left unreached.
    package var complete: Bool
    /// Nothing was left out by a selection.
    package var unfiltered: Bool
    /// `<suite>/<name>` of the pictures by cell; every cell the run had is a key.
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

/// References that can go, and why others cannot.
package struct UnusedDecision: Hashable, Sendable, Codable {
    /// Sorted.
    package var unused: [SnapshotID]
    /// Cells with fewer proving runs than asked for, and how many they have.
    package var unproven: [CellID: Int]
    /// The runs that prove it, newest first.
    package var runKeys: [String]
}

package enum UnusedRules {
    /// References that none of a cell's newest `runs` proving runs made.
    ///
    /// A run proves something about a cell when it was complete and unfiltered and made at least
    /// one of the cell's pictures.
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

    /// Newest first, each run once.
    private static func proving(_ manifests: [NameManifest]) -> [NameManifest] {
        var seen: Set<String> = []
        return manifests.filter { $0.complete && $0.unfiltered }
            .sorted { ($0.finished, $1.runKey) > ($1.finished, $0.runKey) }
            .filter { seen.insert($0.runKey).inserted }
    }
}
