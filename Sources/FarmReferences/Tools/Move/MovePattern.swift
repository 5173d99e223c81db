// Moving many pictures at once: a pattern of their old names, in the syntax of `--select
// snapshot=`, and one of their new names, in which each wildcard stands for the text that the old
// one matched.
import FarmCore
import FarmGit

/// A pair of patterns of `<cell>/<suite>/<name>`, with or without `.png` at their ends.
struct MovePattern {
    private let old: Glob
    private let new: Glob

    /// Parses the two texts of a move as patterns.
    ///
    /// Returns `nil` if the texts are plain names: neither has a wildcard, or `old` has one but a
    /// picture is named exactly so (`isThere`).
    ///
    /// - Throws: `MoveError.otherWildcards` if `new` has other wildcards than `old`.
    init?(_ old: String, _ new: String, isThere: Bool) throws(MoveError) {
        self.old = Glob(Self.withoutExtension(old), mode: .text)
        self.new = Glob(Self.withoutExtension(new), mode: .text)
        let signs = (self.old.wildcards, self.new.wildcards)
        guard !signs.0.isEmpty && !isThere || signs.0.isEmpty && !signs.1.isEmpty else {
            return nil
        }
        guard signs.0 == signs.1 else {
            throw .otherWildcards(old: old, new: new)
        }
    }

    /// Returns the new name of a picture, or `nil` if the pattern does not match it.
    ///
    /// - Throws: `MoveError.badPath` if the new name is not a valid name of a picture.
    func target(of id: SnapshotID) throws(MoveError) -> SnapshotID? {
        guard let parts = old.taken(of: id.text) else { return nil }
        let text = new.text(with: parts)
        guard let target = SnapshotID(exactly: text) else {
            throw .badPath(text, reason: "is no name of a picture")
        }
        return target
    }

    private static func withoutExtension(_ pattern: String) -> String {
        pattern.hasSuffix(".png") ? String(pattern.dropLast(4)) : pattern
    }
}

extension GitRepository {
    /// Whether a pin has a reference with exactly this path; wildcards count as ordinary letters.
    func has(_ text: String, in pin: ReferencePin) throws -> Bool {
        try [text, text + ".png"].contains { text in
            guard let path = try? MovePath(text) else { return false }
            let suites = try suites(of: pin, below: path)
            return suites.values.contains { $0.pictures.keys.contains(where: path.covers) }
        }
    }

    /// Plans to move all pictures that a pattern matches; `text` is the pattern of their old names.
    func plan(
        _ pattern: MovePattern,
        _ text: String,
        in base: ReferencePin,
        _ renames: [RenameRule]
    ) throws -> MovePlan {
        var suites: [SubtreePath: SuiteFolder] = [:]
        var targets: [SnapshotID: SnapshotID] = [:]
        for (path, subtree) in base.entries {
            let suite = try suite(path, in: subtree)
            for id in suite.pictures.keys {
                guard let target = try pattern.target(of: id) else { continue }
                targets[id] = target.renamed(by: renames)
                suites[path] = suite
            }
        }
        guard !targets.isEmpty else { throw MoveError.nothingMatches(text) }
        return try plan(moving: targets, in: base, suites: suites)
    }
}
