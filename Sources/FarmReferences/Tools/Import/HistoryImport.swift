// Takes references out of a main repository's history: one set for each first-parent commit that
// touched them, oldest first, so that the journal tells their story.
//
// Two passes: the first reads every changed picture and decides; the second records. Pictures that
// cannot be taken at some commit are listed and left out of that commit's set alone.
import FarmCore
import FarmGit
import Foundation

/// What one commit did to the references.
package struct HistoryStep: Sendable, Hashable, Codable {
    package var commit: ObjectID
    /// Since 1970, of the committer.
    package var seconds: Int64
    package var subject: String
    /// What each picture became; nil where it went.
    package var changes: [SnapshotID: ObjectID?]
}

/// What an import of the history will do; nothing has been written yet.
package struct HistoryPlan: Sendable, Codable {
    package var steps: [HistoryStep] = []
    /// First-parent commits that were looked at.
    package var commitCount = 0
    /// Where the pictures of the newest commit are.
    package var origins = ReferenceOrigins()
    /// What each path is that any commit has, by path.
    package var places: [String: SnapshotID] = [:]
    /// Left out of the sets of the commits that have them, by path, the first reason of each.
    package var skipped: [UnusablePicture] = []
    var pictures: Set<ObjectID> = []

    /// Pictures with different bytes.
    package var pictureCount: Int { pictures.count }
}

/// An import from the commits of a main repository.
package struct HistoryImport: Sendable {
    private let repository: String
    private let revision: String
    private let settings: ImportSettings

    /// `repository` is the work tree or the `.git` folder; `revision` the newest commit, as
    /// `git rev-parse` takes it.
    package init(repository: String, revision: String = "HEAD", settings: ImportSettings) {
        self.repository = repository
        self.revision = revision
        self.settings = settings
    }

    /// Walks the history; writes nothing.
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

    /// Records one set per step and a journal entry for each; returns the newest set, or nil where
    /// no commit touched references.
    ///
    /// A second import over the same base gives the same sets. `progress` is called after each
    /// step with its number from 1.
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

    /// What the base has already, so that a cell that loses one picture keeps the others.
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

    /// Only what changed, or the whole cell where pictures went: nothing else takes them away.
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

/// The references as they were at the commit that was added last.
private struct HistoryScan {
    private let settings: ImportSettings
    private let history: MainHistory
    private var names = ImportedNames()
    /// What has an id: by path.
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
        // What went first: a picture that moved to another folder keeps its id.
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

    /// The id of a picture, where it can be taken.
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
