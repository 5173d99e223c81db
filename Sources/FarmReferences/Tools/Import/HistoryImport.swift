// Imports references from the history of a main repository: one set for each first-parent commit
// that changed them, oldest first, so that the journal shows their history.
//
// There are two passes. The first reads every changed picture and plans, the second records. A
// picture that cannot be taken is left out only of the sets of commits that have it, and is listed.
import FarmCore
import FarmGit
import Foundation

/// The changes of references in one commit.
package struct HistoryStep: Sendable, Hashable, Codable {
    package var commit: ObjectID
    /// The committer's time, in seconds since 1970.
    package var seconds: Int64
    package var subject: String
    /// The new picture of each changed snapshot, or `nil` if it was removed.
    package var changes: [SnapshotID: ObjectID?]
}

/// The plan of an import of the history; nothing has been written yet.
package struct HistoryPlan: Sendable, Codable {
    package var steps: [HistoryStep] = []
    /// The number of first-parent commits that were read.
    package var commitCount = 0
    /// The paths of the newest commit's pictures.
    package var origins = ReferenceOrigins()
    /// The snapshot of each path, for all paths of pictures that any commit has.
    package var places: [String: SnapshotID] = [:]
    /// The files that were left out, with the first reason for each, sorted by path.
    package var skipped: [UnusablePicture] = []
    var pictures: Set<ObjectID> = []

    /// The number of different pictures.
    package var pictureCount: Int { pictures.count }
}

/// An import from the commits of a main repository.
package struct HistoryImport: Sendable {
    private let repository: String
    private let revision: String
    private let settings: ImportSettings

    /// Makes an import from `repository`, the path of a work tree or a `.git` folder.
    ///
    /// `revision` is the newest commit, in the syntax of `git rev-parse`.
    package init(repository: String, revision: String = "HEAD", settings: ImportSettings) {
        self.repository = repository
        self.revision = revision
        self.settings = settings
    }

    /// Reads the history and plans the import; writes nothing.
    package func plan() throws -> HistoryPlan {
        let history = try MainHistory(opening: repository, folder: settings.folder)
        let commits = try history.firstParents(of: revision)
        var scan = HistoryScan(settings: settings, history: history)
        var previous: ObjectID?
        for commit in commits {
            try scan.add(commit, changes: try history.changes(from: previous, to: commit.tree))
            previous = commit.tree
        }
        scan.plan.commitCount = commits.count
        return scan.finished()
    }

    /// Records one set and one journal entry for each step.
    ///
    /// Returns the newest set, or `nil` if no commit changed references.
    ///
    /// A second import over the same base gives the same sets. `progress` is called after each step
    /// with its number, from 1.
    package func record(
        _ plan: HistoryPlan,
        over base: ReferencePin,
        to store: ReferenceStore,
        progress: (Int, RecordedSet) throws -> Void = { _, _ in }
    ) throws -> RecordedSet? {
        let history = try MainHistory(opening: repository, folder: settings.folder)
        var state = try pictures(of: base, in: store)
        var pin = base
        var last: RecordedSet?
        for (index, step) in plan.steps.enumerated() {
            let recordings = try recordings(step, plan, &state) { cell in
                try store.suiteRecords(pin, cell: cell)
            }
            let set = try store.record(base: pin, recordings: recordings) { picture in
                try history.read(picture.objectID)
            }
            try store.appendJournal(
                set: set.set,
                pin: set.pin,
                title: step.subject,
                trailers: [JournalTrailer("Snapfarm-Main-Commit", step.commit.hex)],
                now: Date(timeIntervalSince1970: Double(step.seconds))
            )
            pin = set.pin
            last = set
            try progress(index + 1, set)
        }
        return last
    }

    /// Returns the pictures of the base, so that a cell that loses one picture keeps the others.
    private func pictures(
        of base: ReferencePin,
        in store: ReferenceStore
    ) throws -> [CellID: [SnapshotID: RecordedPicture]] {
        var pictures: [CellID: [SnapshotID: RecordedPicture]] = [:]
        for cell in base.cells {
            for reference in try store.references(base, cell: cell) {
                pictures[cell, default: [:]][reference.id] = RecordedPicture(
                    objectID: reference.objectID
                )
            }
        }
        return pictures
    }

    /// Returns the recordings of a step.
    ///
    /// If pictures of a cell were removed, its recording contains the whole cell, because only a
    /// complete recording removes pictures.
    private func recordings(
        _ step: HistoryStep,
        _ plan: HistoryPlan,
        _ state: inout [CellID: [SnapshotID: RecordedPicture]],
        records: (CellID) throws -> [String: SuiteRecord]
    ) throws -> [CellRecording] {
        let byCell = Dictionary(grouping: step.changes, by: \.key.cell)
        return try byCell.sorted { $0.key < $1.key }.map { cell, changes in
            var changed: [SnapshotID: RecordedPicture] = [:]
            var complete = false
            for (id, object) in changes {
                let picture = object.flatMap { object in
                    plan.pictures.contains(object) ? RecordedPicture(objectID: object) : nil
                }
                state[cell, default: [:]][id] = picture
                changed[id] = picture
                if picture == nil { complete = true }
            }
            let pictures = complete ? state[cell] ?? [:] : changed
            let kept = complete ? try records(cell) : [:]
            return CellRecording(
                cell: cell,
                replacesCell: complete,
                pictures: pictures,
                suites: kept.merging(settings.suites(of: changed.keys)) { _, new in new }
            )
        }
    }
}

/// The references after the last commit that was added, and the plan so far.
private struct HistoryScan {
    private let settings: ImportSettings
    private let history: MainHistory
    private var names = ImportedNames()
    /// The present pictures that have an id, by path.
    private var present: [String: (id: SnapshotID, object: ObjectID)] = [:]
    private var skipped: [String: UnusablePicture] = [:]
    private var refused: [ObjectID: UnusablePicture] = [:]
    var plan = HistoryPlan()

    init(settings: ImportSettings, history: MainHistory) {
        self.settings = settings
        self.history = history
    }

    mutating func add(_ commit: GitCommit, changes: [GitRepository.FileChange]) throws {
        var before: [SnapshotID: ObjectID] = [:]
        var touched: Set<SnapshotID> = []
        // Removals come first: a picture that moved to another folder keeps its id.
        for change in changes {
            guard let old = present.removeValue(forKey: change.path) else { continue }
            before[old.id] = old.object
            touched.insert(old.id)
            names.remove(old.id)
        }
        var after: [SnapshotID: ObjectID] = [:]
        for change in changes {
            guard let object = change.object, let id = try take(change.path, object) else {
                continue
            }
            present[change.path] = (id, object)
            after[id] = object
            touched.insert(id)
        }
        var step = HistoryStep(
            commit: commit.id,
            seconds: commit.seconds,
            subject: commit.summary,
            changes: [:]
        )
        for id in touched where before[id] != after[id] { step.changes[id] = .some(after[id]) }
        if !step.changes.isEmpty { plan.steps.append(step) }
    }

    /// Returns the id of a picture, or `nil` if the picture cannot be imported.
    private mutating func take(_ path: String, _ object: ObjectID) throws -> SnapshotID? {
        do {
            guard let id = try settings.id(of: path) else { return nil }
            if var known = refused[object] {
                known.path = path
                skipped[path] = skipped[path] ?? known
                return nil
            }
            if !plan.pictures.contains(object) {
                do {
                    try PictureFile.check(try history.read(object))
                    plan.pictures.insert(object)
                } catch let error as PictureFileError {
                    refused[object] = UnusablePicture(path, error)
                    throw error
                }
            }
            try names.add(id, path: path)
            plan.places[path] = id
            return id
        } catch let error as any ExplainedError {
            guard ![.inputOutput, .configuration].contains(error.exit) else { throw error }
            skipped[path] = skipped[path] ?? UnusablePicture(path, error)
            return nil
        }
    }

    func finished() -> HistoryPlan {
        var plan = plan
        for (path, picture) in present.sorted(by: { $0.key < $1.key }) {
            plan.origins.add(picture.id, path: path)
        }
        plan.skipped = skipped.values.sorted { $0.path < $1.path }
        return plan
    }
}
