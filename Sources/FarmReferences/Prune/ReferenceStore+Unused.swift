// Unused references: pictures that no run makes any more are left out of the next set. Earlier sets
// keep them, so older commits still find them.
import FarmCore
import FarmGit
import Foundation

/// A plan to leave unused references out of the next set.
package struct UnusedPlan: Sendable, Encodable {
    package let decision: UnusedDecision
    package let runs: Int
    /// The number of references in the pin, by cell.
    package let references: [CellID: Int]
    let pin: ReferencePin

    enum CodingKeys: String, CodingKey {
        case decision
        case runs
        case references
    }

    /// Whether the plan removes no reference.
    package var isEmpty: Bool { decision.unused.isEmpty }

    /// The plan as text for people, with line ends.
    package var text: String {
        var lines = decision.unused.map { "unused \($0)" }
        for (cell, count) in decision.unproven.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(cell): \(count) complete, unfiltered runs of \(runs); nothing goes"
            )
        }
        let total = references.values.reduce(0, +)
        let proof = decision.runKeys.isEmpty ? "none" : decision.runKeys.joined(separator: ", ")
        lines.append("\(decision.unused.count) of \(total) references unused; proven by \(proof)")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ReferenceStore {
    /// Finds the references of a pin that none of the newest `runs` proving runs made.
    ///
    /// Writes nothing.
    package func unusedPlan(
        of pin: ReferencePin,
        manifests: [NameManifest],
        runs: Int
    ) throws -> UnusedPlan {
        try check(pin)
        var references: [CellID: [SnapshotID]] = [:]
        for cell in pin.cells {
            references[cell] = try self.references(pin, cell: cell).map(\.id)
        }
        return UnusedPlan(
            decision: UnusedRules.decide(references: references, manifests: manifests, runs: runs),
            runs: runs,
            references: references.mapValues(\.count),
            pin: pin
        )
    }

    /// Writes the next set, which lacks the unused references, and makes it visible.
    ///
    /// - Throws: `PruneError.planOutdated` if the work tree's pin is no longer that of the plan.
    package func removeUnused(
        _ plan: UnusedPlan,
        from pin: ReferencePin
    ) throws -> (pin: ReferencePin, set: ObjectID) {
        try rewrite(pin, planned: plan.pin) { repository, next in
            for (folder, unused) in Dictionary(grouping: plan.decision.unused, by: \.firstFolder) {
                for (cell, ids) in Dictionary(grouping: unused, by: \.cell) {
                    guard let place = SubtreePath(cell: cell, folder: folder),
                        let subtree = pin[place]
                    else { continue }
                    next[place] = try Self.subtree(
                        place,
                        subtree,
                        without: Set(ids),
                        in: repository
                    )
                }
            }
        }
    }

    /// Writes the set of a changed pin, and makes it visible.
    ///
    /// `change` changes the subtrees of the pin.
    ///
    /// - Throws: `PruneError.planOutdated` if the pin is no longer the planned one.
    func rewrite(
        _ pin: ReferencePin,
        planned: ReferencePin,
        _ change: (GitRepository, inout ReferencePin) throws -> Void
    ) throws -> (pin: ReferencePin, set: ObjectID) {
        guard pin == planned else { throw PruneError.planOutdated(fact: "the pin has changed") }
        let lock = try StoreLock(shared: path)
        defer { withExtendedLifetime(lock) {} }
        let repository = try openRepository()
        try repository.check(pin)
        var next = pin
        try change(repository, &next)
        let set = try repository.writeSet(of: next)
        try repository.checkFiles(of: next)
        try repository.publish(set: set)
        return (next, set)
    }

    /// Writes a subtree without the unused pictures; returns `nil` if no picture is left.
    private static func subtree(
        _ place: SubtreePath,
        _ subtree: ObjectID,
        without unused: Set<SnapshotID>,
        in repository: GitRepository
    ) throws -> ObjectID? {
        var suite = try repository.suite(place, in: subtree)
        suite.pictures = suite.pictures.filter { !unused.contains($0.key) }
        // The same record that a complete recording of the remaining pictures would write.
        let names = Set(suite.pictures.keys.map { "\($0.suite)/\($0.name)" })
        if let tests = suite.record?.tests {
            suite.record?.tests = tests.filter { names.contains($0.key) }
        }
        return try repository.write(suite, at: place)
    }
}
