// Merging pins. The base is the pin at the merge base of the main repository, so sets need no
// history. Suites that only one side changed are taken whole without being read; the others are
// merged picture by picture, by name and object id, without renames. (libgit2's `git_merge_trees`
// would read the pictures and merge those that look like text line by line.)
import FarmCore
import FarmGit

/// The result of a merge: a pin, and the remaining conflicts.
package struct PinMerge: Sendable, Encodable {
    package let base: ReferencePin
    package let ours: ReferencePin
    package let theirs: ReferencePin
    package let choices: [MergeChoice]
    /// The merged references; a picture in conflict has our version here.
    package internal(set) var pin: ReferencePin
    /// The pictures in conflict, sorted by id.
    package internal(set) var conflicts: [PictureConflict] = []
    /// The side that a choice took for each picture whose conflict is decided.
    package internal(set) var chosen: [SnapshotID: MergeSide] = [:]
    /// Suites that different renderers drew; no conflict, but they should be recorded anew.
    package internal(set) var renderers: [RendererClash] = []
    /// The suites that were merged picture by picture, sorted.
    package internal(set) var mergedSuites: [SubtreePath] = []

    /// Whether the merge has no conflicts.
    package var isClean: Bool { conflicts.isEmpty }

    private enum CodingKeys: String, CodingKey {
        case clean
        case conflicts
        case chosen
        case renderers
        case mergedSuites
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isClean, forKey: .clean)
        try container.encode(conflicts, forKey: .conflicts)
        let byText = chosen.map { ($0.key.text, $0.value) }
        try container.encode(Dictionary(uniqueKeysWithValues: byText), forKey: .chosen)
        try container.encode(renderers, forKey: .renderers)
        try container.encode(mergedSuites.map(\.text), forKey: .mergedSuites)
    }
}

extension ReferenceStore {
    /// Merges two pins over their base.
    ///
    /// Writes the trees of merged suites, but makes no set visible: `publish(_:)` does.
    ///
    /// - Throws: `MergeError.suiteMissing` if a suite that both sides changed, or a picture of it,
    ///   is not in the store; `MergeError.choiceMatchesNothing`; `ReferenceStoreError.pathsCollide`
    ///   if the sides add names that differ only in case.
    package func merge(
        base: ReferencePin,
        ours: ReferencePin,
        theirs: ReferencePin,
        choices: [MergeChoice] = []
    ) throws -> PinMerge {
        let lock = try StoreLock(shared: path)
        defer { withExtendedLifetime(lock) {} }
        let repository = try openRepository()
        let subtrees = PinSubtreeMerge(base: base, ours: ours, theirs: theirs)
        var merge = PinMerge(
            base: base,
            ours: ours,
            theirs: theirs,
            choices: choices,
            pin: subtrees.pin
        )
        var used: Set<String> = []
        var collisions = PathCollisions()
        for path in subtrees.undecided {
            used.formUnion(try Self.merge(path, &merge, &collisions, in: repository))
        }
        if let idle = choices.first(where: { !used.contains($0.pattern) }) {
            throw MergeError.choiceMatchesNothing(pattern: idle.pattern)
        }
        for (path, _) in merge.pin.entries where !merge.mergedSuites.contains(path) {
            try collisions.add("\(path)/\(SuiteRecord.fileName)")
        }
        return merge
    }

    /// Merges again with further choices; the earlier choices still count.
    package func resolve(_ merge: PinMerge, choices: [MergeChoice]) throws -> PinMerge {
        try self.merge(
            base: merge.base,
            ours: merge.ours,
            theirs: merge.theirs,
            choices: merge.choices + choices
        )
    }

    /// Merges one suite that both sides changed; returns the patterns of the choices that it used.
    private static func merge(
        _ path: SubtreePath,
        _ merge: inout PinMerge,
        _ collisions: inout PathCollisions,
        in repository: GitRepository
    ) throws -> Set<String> {
        let base = try suite(path, of: merge.base, .base, in: repository)
        let ours = try suite(path, of: merge.ours, .ours, in: repository)
        let theirs = try suite(path, of: merge.theirs, .theirs, in: repository)
        let pictures = PictureMerge(
            base: base.pictures,
            ours: ours.pictures,
            theirs: theirs.pictures,
            choices: merge.choices
        )
        let alternates = pictures.alternates { side in
            let version =
                switch side {
                case .base: base
                case .ours: ours
                case .theirs: theirs
                }
            return (version.pictures, version.alternates)
        }
        let companions = pictures.companions(
            of: [base, ours, theirs].map { ($0.pictures, $0.companions) }
        )
        // A clone of a remote store may have a folder without its pictures.
        let lacking =
            pictures.pictures.first { !repository.holds($0.value) }
            ?? alternates.flatMap { id, all in all.map { (key: id, value: $0) } }
            .first { !repository.holds($0.value) }
            ?? companions.flatMap { id, all in all.values.map { (key: id, value: $0) } }
            .first { !repository.holds($0.value) }
        if let (id, object) = lacking {
            let isTheirs = theirs.objects(of: id).contains(object)
            let side: MergeSide = isTheirs ? .theirs : .ours
            throw MergeError.suiteMissing(
                path,
                side: side,
                object: (side == .theirs ? merge.theirs : merge.ours)[path] ?? object,
                store: repository.path
            )
        }
        let record = SuiteRecord.merged(
            base: base.record,
            ours: ours.record,
            theirs: theirs.record,
            pictures: Set(pictures.pictures.keys.map { "\($0.suite)/\($0.name)" })
        )
        if let kept = record.clash, let ours = ours.record, let theirs = theirs.record {
            merge.renderers.append(
                RendererClash(
                    suite: path.text,
                    ours: ours.renderer,
                    theirs: theirs.renderer,
                    kept: kept
                )
            )
        }
        if !pictures.pictures.isEmpty {
            try collisions.add("\(path)/\(SuiteRecord.fileName)")
            for id in pictures.pictures.keys.sorted() { try collisions.add(id.path) }
        }
        let merged = SuiteFolder(
            pictures: pictures.pictures,
            alternates: alternates,
            companions: companions,
            record: record.record
        )
        merge.pin[path] = try repository.write(merged, at: path)
        merge.conflicts += pictures.conflicts
        merge.chosen.merge(pictures.chosen) { _, new in new }
        merge.mergedSuites.append(path)
        return pictures.used
    }

    private static func suite(
        _ path: SubtreePath,
        of pin: ReferencePin,
        _ side: MergeSide,
        in repository: GitRepository
    ) throws -> SuiteFolder {
        guard let subtree = pin[path] else { return SuiteFolder() }
        guard try repository.holdsTree(subtree) else {
            throw MergeError.suiteMissing(
                path,
                side: side,
                object: subtree,
                store: repository.path
            )
        }
        return try repository.suite(path, in: subtree)
    }
}
