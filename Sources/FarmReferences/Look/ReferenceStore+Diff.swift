// Comparing two pins: subtrees with equal ids are equal and are not read.
import FarmCore
import FarmGit

extension ReferenceStore {
    /// Returns the differences between two pins.
    ///
    /// - Throws: `GitError` if a suite that differs is not in the store.
    package func diff(_ before: ReferencePin, _ after: ReferencePin) throws -> ReferenceDiff {
        try openRepository().diff(before, after)
    }
}

extension GitRepository {
    func diff(_ before: ReferencePin, _ after: ReferencePin) throws -> ReferenceDiff {
        var old: [SnapshotID: ObjectID] = [:]
        var new: [SnapshotID: ObjectID] = [:]
        let paths = Set((before.entries + after.entries).map(\.path))
        for path in paths where before[path] != after[path] {
            if let subtree = before[path] {
                old.merge(try pictures(of: path, in: subtree)) { _, new in new }
            }
            if let subtree = after[path] {
                new.merge(try pictures(of: path, in: subtree)) { _, new in new }
            }
        }
        return ReferenceDiff(before: old, after: new)
    }
}

extension ReferenceDiff {
    /// One line for each difference: `+` added, `-` removed, `M` changed, `R` renamed.
    package var lines: [String] {
        let all: [(id: SnapshotID, line: String)] =
            added.map { ($0.id, "+ \($0.id)") } + removed.map { ($0.id, "- \($0.id)") }
            + changed.map { ($0.id, "M \($0.id)") }
            + renamed.map { ($0.to, "R \($0.from) → \($0.to)") }
        return all.sorted { $0.id < $1.id }.map(\.line)
    }
}
