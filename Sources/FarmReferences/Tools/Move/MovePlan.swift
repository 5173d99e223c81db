// Moving and retiring references: first a plan, then a new set. No picture is read or copied. A
// suite that only changes its cell keeps its subtree; others get new trees of the old pictures.
import FarmCore
import FarmGit

/// The plan of a move or a retirement.
package struct MovePlan: Sendable, Hashable, Encodable {
    /// The change of one suite.
    enum Change: Hashable, Sendable {
        case removed
        /// The suite keeps its subtree, under another cell.
        case kept(ObjectID)
        case rebuilt(SuiteFolder)
    }

    /// The pin that the plan is for.
    package let base: ReferencePin
    /// The pictures that move, sorted by new id.
    package internal(set) var moved: [RenamedReference] = []
    /// The pictures that are retired, sorted by id.
    package internal(set) var retired: [Reference] = []
    var changes: [SubtreePath: Change] = [:]

    init(base: ReferencePin) { self.base = base }

    /// The number of suites that move without a new tree.
    package var keptSubtrees: Int {
        changes.values.count { if case .kept = $0 { true } else { false } }
    }

    /// The title of the plan's journal entry, such as `12 moved, 3 retired`.
    package var title: String {
        let parts = [(moved.count, "moved"), (retired.count, "retired")].filter { $0.0 > 0 }
        return parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    /// The plan as lines for a terminal; a folder that moves whole is one line.
    package var lines: [String] {
        var counts: [String: Int] = [:]
        for move in moved {
            let from = "\(move.from.cell)/\(move.from.suite)"
            let to = "\(move.to.cell)/\(move.to.suite)"
            let names = move.from.name == move.to.name
            let line = names ? "\(from) → \(to)" : "\(move.from) → \(move.to)"
            counts[line, default: 0] += 1
        }
        for picture in retired {
            counts["\(picture.id.cell)/\(picture.id.suite) retired", default: 0] += 1
        }
        return counts.sorted { $0.key < $1.key }.map { line, count in
            "\(line) (\(count) picture\(count == 1 ? "" : "s"))"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case moved
        case retired
        case keptSubtrees
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(moved, forKey: .moved)
        try container.encode(retired, forKey: .retired)
        try container.encode(keptSubtrees, forKey: .keptSubtrees)
    }
}

/// The set made from a plan.
package struct MovedSet: Sendable, Hashable {
    package var pin: ReferencePin
    package var set: ObjectID
}

extension ReferenceStore {
    /// Plans to move a cell, a suite, a picture, or all pictures of a pattern to another name.
    ///
    /// Both paths are `<cell>`, `<cell>/<suite>` or `<cell>/<suite>/<name>.png`, of the same kind;
    /// or both are patterns of whole names. `renames` rewrite the names of the moved pictures; the
    /// first rule that matches counts.
    ///
    /// - Throws: `MoveError` if nothing is at `old` or a new name is taken.
    package func planMove(
        _ old: String,
        to new: String,
        in base: ReferencePin,
        renames: [RenameRule] = []
    ) throws -> MovePlan {
        guard old != new || !renames.isEmpty else { throw MoveError.sameName(old) }
        let repository = try openRepository()
        let isThere = try repository.has(old, in: base)
        if let pattern = try MovePattern(old, new, isThere: isThere) {
            return try repository.plan(pattern, old, in: base, renames)
        }
        let (from, to) = (try MovePath(old), try MovePath(new))
        guard from.isLike(to) else {
            throw MoveError.badPath(new, reason: "is not of the same kind as \(old)")
        }
        var targets: [SnapshotID: SnapshotID] = [:]
        let suites = try repository.suites(of: base, below: from)
        for id in suites.values.flatMap(\.pictures.keys) where from.covers(id) {
            targets[id] = try to.replacing(from, in: id).renamed(by: renames)
        }
        guard !targets.isEmpty else {
            // A picture may also be given without its extension.
            guard !old.hasSuffix(".png"), !new.hasSuffix(".png"),
                let plan = try? planMove(
                    old + ".png",
                    to: new + ".png",
                    in: base,
                    renames: renames
                )
            else { throw MoveError.nothingThere(old) }
            return plan
        }
        return try repository.plan(moving: targets, in: base, suites: suites)
    }

    /// Plans to remove all references of a cell, a suite or a picture.
    package func planRetirement(
        of old: String,
        in base: ReferencePin
    ) throws -> MovePlan {
        let from = try MovePath(old)
        let repository = try openRepository()
        var plan = MovePlan(base: base)
        for (path, suite) in try repository.suites(of: base, below: from) {
            let gone = suite.pictures.filter { from.covers($0.key) }
            guard !gone.isEmpty else { continue }
            plan.retired += gone.map { Reference(id: $0.key, objectID: $0.value) }
            let left = suite.without(Set(gone.keys))
            plan.changes[path] = left.pictures.isEmpty ? .removed : .rebuilt(left)
        }
        guard !plan.retired.isEmpty else {
            guard !old.hasSuffix(".png"),
                let plan = try? planRetirement(of: old + ".png", in: base)
            else { throw MoveError.nothingThere(old) }
            return plan
        }
        plan.retired.sort { $0.id < $1.id }
        return plan
    }

    /// Writes the set of a plan and makes it visible.
    ///
    /// - Throws: `MoveError.planOutdated` if `current` is not the plan's base;
    ///   `ReferenceStoreError` as for a recording.
    package func write(_ plan: MovePlan, current: ReferencePin) throws -> MovedSet {
        guard plan.base == current else { throw MoveError.planOutdated }
        let lock = try StoreLock(shared: path)
        defer { withExtendedLifetime(lock) {} }
        let repository = try openRepository()
        try repository.check(plan.base)
        var pin = plan.base
        var collisions = PathCollisions()
        for (path, change) in plan.changes.sorted(by: { $0.key < $1.key }) {
            switch change {
            case .removed: pin[path] = nil
            case .kept(let subtree): pin[path] = subtree
            case .rebuilt(let suite):
                try collisions.add("\(path)/\(SuiteRecord.fileName)")
                for id in suite.pictures.keys.sorted() { try collisions.add(id.path) }
                pin[path] = try repository.write(suite, at: path)
            }
        }
        for (path, _) in pin.entries { try collisions.add("\(path)/\(SuiteRecord.fileName)") }
        try repository.checkFiles(of: pin)
        let set = try repository.writeSet(of: pin)
        try repository.publish(set: set)
        return MovedSet(pin: pin, set: set)
    }
}

extension GitRepository {
    /// Returns those suites of a pin that may have pictures at or below a path.
    func suites(
        of pin: ReferencePin,
        below place: MovePath
    ) throws -> [SubtreePath: SuiteFolder] {
        var suites: [SubtreePath: SuiteFolder] = [:]
        for (folder, subtree) in pin.folders(of: place.cell) {
            guard place.firstFolder == nil || place.firstFolder == folder,
                let path = SubtreePath(cell: place.cell, folder: folder)
            else { continue }
            suites[path] = try suite(path, in: subtree)
        }
        return suites
    }

    /// Plans to move pictures from their present suites to those of their new ids.
    func plan(
        moving targets: [SnapshotID: SnapshotID],
        in base: ReferencePin,
        suites: [SubtreePath: SuiteFolder]
    ) throws -> MovePlan {
        var plan = MovePlan(base: base)
        var after: [SubtreePath: SuiteFolder] = [:]
        for (path, suite) in suites { after[path] = suite.without(Set(targets.keys)) }
        var arrived: [SubtreePath: Set<SubtreePath>] = [:]
        var taken: [SnapshotID] = []
        for (id, target) in targets.sorted(by: { $0.key < $1.key }) {
            guard let source = SubtreePath(cell: id.cell, folder: id.firstFolder),
                let object = suites[source]?.pictures[id]
            else { continue }
            guard let path = SubtreePath(cell: target.cell, folder: target.firstFolder) else {
                throw MoveError.badPath(target.text, reason: "is not a safe path")
            }
            if after[path] == nil {
                after[path] = try base[path].map { try suite(path, in: $0) } ?? SuiteFolder()
            }
            arrived[path, default: []].insert(source)
            if let other = after[path]?.take(object, as: target, from: id, of: suites[source]) {
                // Another picture of this move has the name, or one that stays.
                if plan.moved.contains(where: { $0.to == other }) { throw MoveError.twice(other) }
                taken.append(other)
            }
            if id != target {
                plan.moved.append(RenamedReference(from: id, to: target, objectID: object))
            }
        }
        if let first = taken.first { throw MoveError.taken(first, count: taken.count) }
        for (path, suite) in after {
            plan.changes[path] = change(path, suite, base, arrived[path] ?? [], suites)
        }
        plan.moved.sort { $0.to < $1.to }
        return plan
    }

    private func change(
        _ path: SubtreePath,
        _ suite: SuiteFolder,
        _ base: ReferencePin,
        _ sources: Set<SubtreePath>,
        _ suites: [SubtreePath: SuiteFolder]
    ) -> MovePlan.Change {
        guard !suite.pictures.isEmpty else { return .removed }
        // The same folder under another cell, without other pictures, keeps its subtree.
        if base[path] == nil, sources.count == 1, let source = sources.first,
            source.folder == path.folder, let old = suites[source], let subtree = base[source],
            old.record == suite.record, old.pictures.count == suite.pictures.count,
            old.pictures.allSatisfy({ id, object in
                guard let new = id.on(path.cell) else { return false }
                return suite.pictures[new] == object && suite.alternates[new] == old.alternates[id]
                    && suite.companions[new] == old.companions[id]
            })
        {
            return .kept(subtree)
        }
        return .rebuilt(suite)
    }
}

extension SuiteFolder {
    fileprivate func without(_ ids: Set<SnapshotID>) -> SuiteFolder {
        var left = self
        for id in ids where left.pictures.removeValue(forKey: id) != nil {
            left.alternates[id] = nil
            left.companions[id] = nil
            left.record?.tests[id.keyInSuite] = nil
        }
        return left
    }

    /// Adds a picture of another suite with its alternates, companions and test; returns the picture's
    /// id if this suite has another picture with that id, else `nil`.
    fileprivate mutating func take(
        _ object: ObjectID,
        as id: SnapshotID,
        from old: SnapshotID,
        of suite: SuiteFolder?
    ) -> SnapshotID? {
        guard pictures[id] == nil else { return id }
        pictures[id] = object
        alternates[id] = suite?.alternates[old]
        companions[id] = suite?.companions[old]
        guard let source = suite?.record else { return nil }
        if record == nil {
            record = SuiteRecord(
                pipeline: source.pipeline,
                job: source.job,
                renderer: source.renderer,
                tests: [:]
            )
        }
        if let test = source.test(of: old) {
            record?.tests[id.keyInSuite] = test
        }
        return nil
    }
}

extension SnapshotID {
    /// Returns the id that the first matching rule gives, or the same id if no rule matches.
    func renamed(by rules: [RenameRule]) -> SnapshotID {
        rules.lazy.compactMap { $0.after(self).first }.first ?? self
    }

    fileprivate func on(_ cell: CellID) -> SnapshotID? {
        try? SnapshotID(cell: cell, suite: suite, name: name)
    }
}
