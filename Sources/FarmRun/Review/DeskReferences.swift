// The reference store of a run's pipeline as the run's page shows it: why a picture is the reference,
// and what a set looks like. It reads; only publishing writes.
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

/// When the journals of stores on hosts were fetched last: a page that is looked at again asks no host.
final class FetchedJournals: Sendable {
    private let begun = Mutex(BoundedCache<String, ContinuousClock.Instant>(max: 64))

    /// Whether a store's journal is to be fetched now; from then on it counts as fetched, so that a host
    /// that hangs keeps one view waiting.
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

/// What a page knows of the references that a run was compared with.
struct DeskReferences: Sendable {
    /// Of the pipeline.
    let name: String
    let place: ReferencePlace
    /// Holds what the run's pin names.
    let store: ReferenceStore
    /// What the run was compared with.
    let pin: ReferencePin
    let cells: [Cell]
    let renames: [RenameRule]
    /// The screens that should have pictures; nil where nobody said.
    let screens: [String]?
    let thumbnails: Thumbnails
    let journals: FetchedJournals

    /// Sets that people can choose from.
    private static let othersMax = 200
    /// Hex digits of a set that may stand for it.
    private static let prefixMin = 7
    /// Characters of a text from outside that a refusal repeats.
    private static let quotedMax = 64

    /// Where the thumbnails of a data folder are.
    static func thumbnails(in data: String) throws -> Thumbnails {
        try Thumbnails(folder: data + "/thumbs") { try Thumbnail.png(of: $0) }
    }

    /// Why a picture is the reference, with those of `decisions` that refused another.
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

    /// - Throws: `RefsError` for a set that is not among those of the journal and of the store.
    func catalogue(ofSet text: String?) throws -> SetCatalogue {
        fetchJournal()
        let log = try store.log(limit: Self.othersMax)
        let pin = try text.map { try self.pin(named: $0, log) } ?? pin
        // A run fetches only what its cells need.
        let store = try place.isRemote ? place.store(holding: pin) : store
        let references = try place.reading(pin, of: store) { try store.references(pin) }
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
                    test: record?.tests["\(id.suite)/\(id.name)"],
                    file: reference.objectID.hex,
                    thumbnail: SetCatalogue.Thumbnail(file: reference.objectID.hex)
                )
            },
            screens: screens,
            others: log.filter { $0.visible && $0.set != nil }
        )
    }

    /// A picture of the store; nil for anything that is none.
    func picture(_ object: ObjectID, as form: PictureForm) throws -> Data? {
        guard let bytes = try? store.read(object), (try? PNGDecoder.size(of: bytes)) != nil else {
            return nil
        }
        return form == .whole ? bytes : Self.small(bytes, thumbnails)
    }

    /// The thumbnail of a picture; the picture itself where it has none.
    static func small(_ picture: Data, _ thumbnails: Thumbnails) -> Data {
        (try? thumbnails.png(of: Digest(of: picture)) { picture }) ?? picture
    }

    /// The pin of a set that people chose; a text from outside is never more than its name.
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

    /// Another machine may have recorded; what is here is shown where the host does not answer.
    private func fetchJournal() {
        guard place.isRemote, journals.isDue(place.storePath) else { return }
        _ = try? place.remote()?.fetchJournal()
    }
}

extension DeskReferences {
    /// Those of the work tree's store, at the pin of the run under review.
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
