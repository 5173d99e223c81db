// The reference store behind a run's page: why a picture is the reference, and the pictures of a
// set. It only reads; publishing writes.
import FarmArtifacts
import FarmCore
import FarmGit
import FarmImaging
import FarmReferences
import FarmReports
import FarmReview
import FarmServer
import Foundation
import Synchronization

/// The times at which the journals of remote stores were last fetched, so that reloading a page
/// calls no host.
final class FetchedJournals: Sendable {
    private let begun = Mutex(BoundedCache<String, ContinuousClock.Instant>(max: 64))

    /// Whether to fetch a store's journal now; the call marks it as fetched, so that a hanging host
    /// delays only one view.
    func isDue(_ store: String, now: ContinuousClock.Instant = .now) -> Bool {
        begun.withLock { begun in
            if let last = begun[store], now < last + .seconds(FarmLimits.journalFetchSeconds) {
                return false
            }
            begun[store] = now
            return true
        }
    }
}

/// The references that a run was compared with, for its page.
struct RunPageReferences: Sendable {
    /// The pipeline's name.
    let name: String
    let place: ReferencePlace
    /// The reference store, which has the set of the run's pin.
    let store: ReferenceStore
    /// The pin that the run was compared with.
    let pin: ReferencePin
    let cells: [Cell]
    let renames: [RenameRule]
    /// The screens that should have pictures, or `nil` if the pipeline lists none.
    let screens: [String]?
    let thumbnails: Thumbnails
    let journals: FetchedJournals

    /// The most journal entries offered to users who choose a set.
    private static let othersMax = 200
    /// The fewest hex digits that name a set by the beginning of its id.
    private static let prefixMin = 7
    /// The most characters of a caller's text that an error repeats.
    private static let quotedMax = 64

    /// Opens the cache of thumbnails in a data folder.
    static func thumbnails(in data: String) throws -> Thumbnails {
        try Thumbnails(folder: data + "/thumbs") { try Thumbnail.png(of: $0) }
    }

    /// Returns the history of a picture's reference, with those of `decisions` that refused another
    /// picture.
    func baseline(of id: SnapshotID, _ decisions: DecisionBook) throws -> Baseline {
        fetchJournal()
        var baseline = try place.reading(pin, of: store) {
            try store.baseline(
                of: id,
                in: pin,
                rules: SuccessionRules(cells: cells, renames: renames)
            )
        }
        baseline.add(decisions)
        return baseline
    }

    /// Returns the pictures of a set, or of the run's own set if `text` is `nil`.
    ///
    /// - Throws: `RefsError` for a set that is neither in the journal nor in the store.
    func catalogue(ofSet text: String?) throws -> SetCatalogue {
        fetchJournal()
        let log = try store.log(limit: Self.othersMax)
        let pin = try text.map { try self.pin(named: $0, log) } ?? pin
        // The run fetched only the pictures of its cells; this set needs all.
        let store = try place.isRemote ? place.store(holding: pin) : store
        let references = try place.reading(pin, of: store) {
            try store.references(pin).filter { !$0.id.isText }
        }
        var records: [CellID: [String: SuiteRecord]] = [:]
        for cell in pin.cells { records[cell] = try store.suiteRecords(pin, cell: cell) }
        let set = pin.setID
        return SetCatalogue(
            name: name,
            set: set,
            entry: log.first { $0.set == set },
            cells: cells,
            pictures: references.map { reference in
                let id = reference.id
                let record = records[id.cell]?[id.firstFolder]
                return SetCatalogue.Picture(
                    id: id,
                    job: record?.job,
                    test: record?.test(of: id),
                    file: reference.objectID.hex,
                    alternates: reference.alternates.map(\.hex),
                    thumbnail: SetCatalogue.Thumbnail(file: reference.objectID.hex)
                )
            },
            screens: screens,
            others: log.filter { $0.visible && $0.set != nil }
        )
    }

    /// Returns a picture of the store, or `nil` if the object is no picture.
    func picture(_ object: ObjectID, as form: PictureForm) throws -> Data? {
        guard let bytes = try? store.read(object), (try? PNGDecoder.size(of: bytes)) != nil else {
            return nil
        }
        return form == .whole ? bytes : Self.small(bytes, thumbnails)
    }

    /// Returns the thumbnail of a picture, or the picture itself if it has none.
    static func small(_ picture: Data, _ thumbnails: Thumbnails) -> Data {
        (try? thumbnails.png(of: Digest(of: picture)) { picture }) ?? picture
    }

    /// Returns the pin of a set that the user chose.
    ///
    /// The text comes from outside, so it is only compared with the ids of known sets.
    private func pin(named text: String, _ log: [LogEntry]) throws -> ReferencePin {
        guard text != pin.setID.hex else { return pin }
        let known = Set(log.filter(\.visible).compactMap(\.set) + (try store.sets()))
        let wanted = text.lowercased()
        let found = known.filter { $0.hex.hasPrefix(wanted) }
        guard wanted.utf8.count >= Self.prefixMin, let set = found.first else {
            throw RefsError.unknownSet(String(text.prefix(Self.quotedMax)))
        }
        guard found.count == 1 else { throw RefsError.ambiguousSet(text, count: found.count) }
        return try place.pin(named: set.hex, in: store)
    }

    /// Fetches the journal, because another machine may have recorded; ignores a host that does not
    /// answer.
    private func fetchJournal() {
        guard place.isRemote, journals.isDue(place.storePath) else { return }
        _ = try? place.remote()?.fetchJournal()
    }
}

extension RunPageReferences {
    /// Creates the references of the work tree's store, at the pin of the run under review.
    init(_ session: ReviewSession) throws {
        let pipeline = session.references.place.pipeline
        self.init(
            name: session.source.pipeline.name,
            place: session.references.place,
            store: session.references.store,
            pin: session.review.run.manifest.pin,
            cells: session.references.place.cells,
            renames: pipeline?.references?.renames ?? [],
            screens: pipeline?.screens?.names,
            thumbnails: try Self.thumbnails(
                in: ReviewSession.data(session.request, session.source)
            ),
            journals: FetchedJournals()
        )
    }
}
