// The way back through the journal: from a set to the set that it was based on, for one picture or
// for all. The journal is read once.
import FarmCore
import FarmGit

/// The entries of the journal, newest first, and their places by set.
struct JournalIndex {
    let log: [LogEntry]
    /// The places in `log` of each set's entries, the newest first.
    let places: [ObjectID: [Int]]

    init(_ log: [LogEntry]) {
        self.log = log
        var places: [ObjectID: [Int]] = [:]
        for (place, entry) in log.enumerated() {
            if let set = entry.set { places[set, default: []].append(place) }
        }
        self.places = places
    }

    /// Returns the place of the set that an entry was based on, or else of the next older entry;
    /// `nil` after the oldest one.
    func older(than place: Int) -> Int? {
        if let base = log[place].base, let known = places[base]?.first(where: { $0 > place }) {
            return known
        }
        return place + 1 < log.count ? place + 1 : nil
    }
}

/// A walk back through the journal along the history of one picture.
struct PictureWalk {
    let repository: GitRepository
    let journal: JournalIndex
    /// The current name of the picture; the walk changes it at a rename.
    var id: SnapshotID
    /// The alternate whose history is walked, or `nil` for that of the picture itself.
    let alternate: ObjectID?
    let limit: Int
    private(set) var events: [LifeEvent] = []
    private(set) var isCut = false
    /// The folder that was read last, and the picture's blob in that folder.
    private var read: (folder: ObjectID, id: SnapshotID, object: ObjectID?)?

    init(
        repository: GitRepository,
        journal: JournalIndex,
        id: SnapshotID,
        alternate: ObjectID? = nil,
        limit: Int
    ) {
        self.repository = repository
        self.journal = journal
        self.id = id
        self.alternate = alternate
        self.limit = limit
    }

    /// Collects the picture's events, newest first, starting at the pin's set.
    mutating func go(from pin: ReferencePin) throws {
        let log = journal.log
        guard !log.isEmpty else { return }
        do {
            var place = 0
            if let known = journal.places[pin.setID]?.first {
                place = known
            } else if let showing = try self.place(showing: pin) {
                // The pin's set was not recorded: a merge made it.
                place = showing
            }
            var after = try object(at: log[place])
            while events.count < limit {
                let older = journal.older(than: place)
                let before = try older.flatMap { try object(at: log[$0]) }
                if before != after {
                    after = try note(log[place], after, before, older: older.map { log[$0] })
                } else {
                    after = before
                }
                guard let older else { return }
                place = older
            }
        } catch GitError.objectMissing {
            isCut = true
        }
    }

    /// Adds the event of an entry; returns the picture's blob before that entry, or `nil`.
    private mutating func note(
        _ entry: LogEntry,
        _ after: ObjectID?,
        _ before: ObjectID?,
        older: LogEntry?
    ) throws -> ObjectID? {
        var event = LifeEvent(entry: entry, change: .changed, id: id, objectID: after)
        var before = before
        if after == nil {
            event.change = .removed
        } else if before == nil {
            event.change = .added
            if let older, let from = try origin(at: entry, after: older) {
                event.change = .renamed
                event.from = from
                id = from
                before = after
            }
        }
        events.append(event)
        return before
    }

    /// Returns the earlier name of a picture that an entry renamed, or `nil` if the picture is new.
    private func origin(at entry: LogEntry, after older: LogEntry) throws -> SnapshotID? {
        let difference = try repository.diff(
            repository.pin(ofEntry: older),
            repository.pin(ofEntry: entry)
        )
        return difference.renamed.first { $0.to == id }?.from
    }

    private mutating func place(showing pin: ReferencePin) throws -> Int? {
        guard let object = try repository.picture(id, alternate, in: pin) else { return nil }
        for (place, entry) in journal.log.enumerated() where try self.object(at: entry) == object {
            return place
        }
        return nil
    }

    /// Returns the picture's blob in the tree of an entry, or `nil` if the tree lacks the picture.
    private mutating func object(at entry: LogEntry) throws -> ObjectID? {
        let root = try repository.commit(entry.entry).tree
        guard
            let cell = try repository.folder(id.cell.text, in: root),
            let folder = try repository.folder(id.firstFolder, in: cell)
        else { return nil }
        if let read, read.folder == folder, read.id == id { return read.object }
        let object = try repository.picture(id, alternate, inFolder: folder)
        read = (folder, id, object)
        return object
    }
}

extension GitRepository {
    fileprivate func folder(_ name: String, in tree: ObjectID) throws -> ObjectID? {
        let entry = try entry(name, in: tree, what: "the journal")
        return entry?.kind == .folder ? entry?.object : nil
    }

    /// Returns the blob of a picture, or of one of its alternates; `nil` if the pin lacks it.
    func picture(
        _ id: SnapshotID,
        _ alternate: ObjectID? = nil,
        in pin: ReferencePin
    ) throws -> ObjectID? {
        guard let folder = pin.folders(of: id.cell)[id.firstFolder] else { return nil }
        return try picture(id, alternate, inFolder: folder)
    }

    /// Returns the blob of a picture, or of one of its alternates; `nil` if the folder lacks it.
    ///
    /// `folder` is the tree of the picture's first folder below the cell.
    fileprivate func picture(
        _ id: SnapshotID,
        _ alternate: ObjectID?,
        inFolder folder: ObjectID
    ) throws -> ObjectID? {
        var folder = folder
        // Splits by bytes: a component that begins with a combining mark would join the slash
        // before it.
        let names = id.suite.utf8.split(separator: UInt8(ascii: "/")).compactMap { String($0) }
        for name in names.dropFirst() {
            guard let next = try self.folder(name, in: folder) else { return nil }
            folder = next
        }
        let name = alternate.map { StoredName(alternate: $0, of: id.name) } ?? .picture(id.name)
        let file = try entry(name.text, in: folder, what: "\(id)")
        return file?.kind == .file ? file?.object : nil
    }
}
