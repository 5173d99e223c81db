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
        var old = SuiteFolder()
        var new = SuiteFolder()
        let paths = Set((before.entries + after.entries).map(\.path))
        for path in paths where before[path] != after[path] {
            if let subtree = before[path] {
                old.add(try contents(of: path, in: subtree))
            }
            if let subtree = after[path] {
                new.add(try contents(of: path, in: subtree))
            }
        }
        return ReferenceDiff(
            before: old.pictures,
            after: new.pictures,
            alternates: (old.alternates, new.alternates)
        )
    }
}

extension SuiteFolder {
    fileprivate mutating func add(
        _ contents: SuiteFolder
    ) {
        pictures.merge(contents.pictures) { _, new in new }
        alternates.merge(contents.alternates) { _, new in new }
    }
}

extension ReferenceDiff {
    /// One line for each difference: `+` added, `-` removed, `M` changed, `R` renamed; `+` and `-`
    /// also before alternates.
    package var lines: [String] {
        let all: [(id: SnapshotID, line: String)] =
            added.map { ($0.id, "+ \($0.id)") } + removed.map { ($0.id, "- \($0.id)") }
            + changed.map { ($0.id, "M \($0.id)") }
            + renamed.map { ($0.to, "R \($0.from) → \($0.to)") }
            + (alternates ?? []).flatMap { change in
                change.added.map { (change.id, "+ \(change.id) alternate \($0.short)") }
                    + change.removed.map { (change.id, "- \(change.id) alternate \($0.short)") }
            }
        return all.sorted { $0.id < $1.id }.map(\.line)
    }
}
