// The changes that a recording makes to the folders of one cell: pure values, computed before
// anything is written.
import FarmCore

/// The contents of one `<cell>/<folder>` of a set.
package struct SuiteFolder: Hashable, Sendable {
    package var pictures: [SnapshotID: ObjectID] = [:]
    /// The alternates of the pictures, sorted; has no key for a picture without one.
    package var alternates: AlternatesByName = [:]
    /// The companions of the pictures; has no key for a picture without one.
    package var companions: CompanionsByName = [:]
    package var record: SuiteRecord?

    /// The blobs of all pictures, alternates and companions.
    var objects: [ObjectID] {
        Array(pictures.values) + alternates.values.flatMap(\.self)
            + companions.values.flatMap(\.values)
    }

    /// Returns the blobs of one picture, its alternates and its companions.
    func objects(of id: SnapshotID) -> [ObjectID] {
        [pictures[id]].compactMap(\.self) + (alternates[id] ?? [])
            + (companions[id] ?? [:]).values
    }
}

/// The folders of a cell that a recording rebuilds; other folders keep their subtrees.
struct CellChange {
    let cell: CellID
    /// The new contents of each rebuilt folder, by its name; a folder without pictures leaves the
    /// set.
    let folders: [String: SuiteFolder]
    let outcome: RecordingOutcome

    /// Computes the change; `present` must hold all present folders that `touched(by:among:)`
    /// names.
    init(_ recording: CellRecording, present: [String: SuiteFolder]) {
        var folders: [String: SuiteFolder] = [:]
        let recorded = Dictionary(grouping: recording.pictures.keys, by: \.firstFolder)
        for folder in Self.touched(by: recording, among: present.keys) {
            var new = SuiteFolder()
            let old = present[folder]
            if let old, !recording.replaces(old.record) {
                new = old
                for id in recording.removed { new.pictures[id] = nil }
            }
            for id in recorded[folder] ?? [] { new.pictures[id] = recording.pictures[id]?.objectID }
            new.alternates = Self.alternates(of: new.pictures, after: old, recording)
            new.companions = Self.companions(of: new.pictures, after: old, recording)
            let record = recording.suites[folder]
            new.record = Self.record(record, over: new.record, of: new.pictures)
            folders[folder] = new
        }
        self.cell = recording.cell
        self.folders = folders
        self.outcome = Self.outcome(of: recording, present: present)
    }

    /// Returns the names of the folders directly below the cell that a recording rebuilds.
    static func touched(
        by recording: CellRecording,
        among present: some Sequence<String>
    ) -> Set<String> {
        let named = Set(
            (recording.pictures.keys.map(\.firstFolder))
                + Set(recording.alternates.keys.map(\.firstFolder)).intersection(present)
        )
        guard !recording.replacesCell else { return named.union(present) }
        return named.union(Set(recording.removed.map(\.firstFolder)).intersection(present))
    }

    /// Returns the alternates of a rebuilt folder: the present ones and those of the recording.
    ///
    /// An alternate goes with the reference that it was accepted beside: a picture whose reference
    /// changes has none.
    private static func alternates(
        of pictures: [SnapshotID: ObjectID],
        after old: SuiteFolder?,
        _ recording: CellRecording
    ) -> AlternatesByName {
        guard let old else { return [:] }
        var alternates = old.alternates
        for (id, added) in recording.alternates where old.pictures[id] != nil {
            let own = old.pictures[id]
            let all = Set(alternates[id] ?? []).union(added.map(\.objectID)).filter { $0 != own }
            alternates[id] = all.isEmpty ? nil : all.sorted()
        }
        return alternates.filter { id, _ in pictures[id] != nil && pictures[id] == old.pictures[id]
        }
    }

    /// Returns the companions of a rebuilt folder: an unchanged picture keeps its own, so that its
    /// suite stays the same; a changed or new one has those of the recording.
    private static func companions(
        of pictures: [SnapshotID: ObjectID],
        after old: SuiteFolder?,
        _ recording: CellRecording
    ) -> CompanionsByName {
        var companions: CompanionsByName = [:]
        for (id, object) in pictures {
            let isUnchanged = old?.pictures[id] == object
            let own =
                isUnchanged
                ? old?.companions[id]
                : recording.pictures[id]?.companions.mapValues(\.objectID)
            if let own, !own.isEmpty { companions[id] = own }
        }
        return companions
    }

    /// Returns the record of a rebuilt folder: the newest renderer, and the test names of all
    /// pictures that remain, also of those that were not recorded now.
    private static func record(
        _ new: SuiteRecord?,
        over old: SuiteRecord?,
        of pictures: [SnapshotID: ObjectID]
    ) -> SuiteRecord? {
        guard var record = new ?? old else { return nil }
        let tests = (old?.tests ?? [:]).merging(new?.tests ?? [:]) { _, new in new }
        let names = Set(pictures.keys.map { "\($0.suite)/\($0.name)" })
        record.tests = tests.filter { names.contains($0.key) }
        return record
    }

    private static func outcome(
        of recording: CellRecording,
        present: [String: SuiteFolder]
    ) -> RecordingOutcome {
        var outcome = RecordingOutcome(added: [], changed: [], removed: [], unchangedCount: 0)
        for (id, picture) in recording.pictures {
            switch present[id.firstFolder]?.pictures[id] {
            case nil: outcome.added.append(id)
            case picture.objectID: outcome.unchangedCount += 1
            default: outcome.changed.append(id)
            }
        }
        outcome.removed = present.values.flatMap(\.pictures.keys).filter {
            recording.pictures[$0] == nil
                && (recording.replaces(present[$0.firstFolder]?.record)
                    || recording.removed.contains($0))
        }
        outcome.added.sort()
        outcome.changed.sort()
        outcome.removed.sort()
        return outcome
    }
}

extension CellRecording {
    /// Whether the recording removes the pictures that it lacks from a suite with this record.
    fileprivate func replaces(_ record: SuiteRecord?) -> Bool {
        replacesCell && owner?.owns(record) != false
    }
}

/// A check of paths: throws if two paths are the same file on a file system that ignores case, or
/// if a path is both a file and a folder.
package struct PathCollisions {
    private var twins = PathTwins()

    init() {}

    /// Adds a file and its parent folders; throws if the path collides with one added before.
    package mutating func add(_ path: String) throws(ReferenceStoreError) {
        if let pair = twins.add(path) { throw .pathsCollide(pair.one, pair.other) }
    }
}
