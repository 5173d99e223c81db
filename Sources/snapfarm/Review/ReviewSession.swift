// What approve and reject have in common: the run, the pipeline it belongs to, who reviews it, and
// what was decided before.
import FarmCore
import FarmDrivers
import FarmReferenceTools
import FarmReferences
import Foundation

/// What the command line of a review asks for.
struct ReviewRequest {
    enum Place {
        case run(String)
        /// A zip, a folder or a URL.
        case from(String)
    }
    /// The pipeline file; nil to look for it.
    var file: String?
    var place: Place
    var data: String?
    var select: [String]
    var reason: String
    /// Shows what would happen, and changes nothing.
    var isDryRun: Bool
    var printsJSON: Bool
    var environment: [String: String]
}

/// A review in progress; other reviews and runs of the data folder wait or are refused.
struct ReviewSession {
    let request: ReviewRequest
    let source: PipelineSource
    let run: ReviewedRun
    let place: ReferencePlace
    let store: ReferenceStore
    /// The work tree's, read under the lock.
    let pin: ReferencePin
    let file: ReviewFile
    /// Every picture of the run that is not as expected.
    let pictures: [SnapshotID: (picture: ReviewPicture, entry: PortableManifest.Entry)]
    /// Those the request is about, sorted.
    let selected: [ReviewPicture]
    /// Held as long as the session; nil for a look from outside.
    private let lock: DataFolder?

    /// Opens the run and refuses one that is not of this pipeline.
    static func open(_ request: ReviewRequest) async throws -> ReviewSession {
        let scratch = try OwnedFolder("review")
        // What lies in it is read through an open file, which outlives its name.
        defer { scratch.remove() }
        switch request.place {
        case .from(let place):
            let path = try await ReviewDownload.local(place, request.environment, scratch.path)
            let run = try ReviewedRun(from: path, origin: place, scratch: scratch.path)
            let source =
                try request.file.map { try PipelineSource(file: $0) }
                ?? PipelineSearch.find(named: run.manifest.run.pipeline)
            let lock = request.isDryRun ? nil : try DataFolder(data(request, source))
            let references = try references(of: source, request.environment)
            return try ReviewSession(request, source, run, references, lock)
        case .run(let id):
            let candidates = try RunSearch(request: request).candidates(id)
            for candidate in candidates {
                let session = try await open(candidate, request)
                if id != RunSearch.latest || session.hasPictures { return session }
            }
            throw PipelineSearchError.nothingToReview(data: candidates.first?.data ?? "")
        }
    }

    private static func open(
        _ candidate: RunSearch.Candidate,
        _ request: ReviewRequest
    ) async throws -> ReviewSession {
        let lock = try DataFolder(candidate.data)
        let references = try references(of: candidate.source, request.environment)
        let run = try await ReviewedRun(
            run: candidate.run.text,
            data: lock,
            pipeline: candidate.source.pipeline,
            store: references.store
        )
        return try ReviewSession(request, candidate.source, run, references, lock)
    }

    /// Whether a person can decide about any picture of the run.
    private var hasPictures: Bool {
        pictures.values.contains { ApprovalRules.isReviewable($0.picture) }
    }

    private init(
        _ request: ReviewRequest,
        _ source: PipelineSource,
        _ run: ReviewedRun,
        _ references: (place: ReferencePlace, pin: ReferencePin, store: ReferenceStore),
        _ lock: DataFolder?
    ) throws {
        let facts = run.manifest.run
        guard facts.pipeline == source.pipeline.name else {
            throw ReviewRefusal.otherPipeline(
                run: facts.id,
                pipeline: facts.pipeline,
                ours: source.pipeline.name
            )
        }
        self.request = request
        self.source = source
        self.run = run
        place = references.place
        pin = references.pin
        store = references.store
        self.lock = lock
        file = ReviewFile(run: facts.id, data: Self.data(request, source), folder: run.folder)
        pictures = try run.manifest.pictures(origin: run.origin)
        let all = pictures.values.map(\.picture).sorted { $0.id < $1.id }
        let selection = try ReviewSelection(
            words: request.select,
            axes: source.pipeline.axes.map(\.name)
        )
        let cells = Dictionary(source.cells.map { ($0.id, $0) }) { first, _ in first }
        selected = all.filter { picture in
            let cell = picture.id.cell
            return selection.takes(
                picture,
                on: cells[cell] ?? Cell(id: cell, device: nil, variant: [])
            )
        }
        guard !selected.isEmpty || selection.isEmpty else {
            throw ReviewRefusal.nothingSelected(request.select)
        }
    }

    /// A person or a job, as far as the machine knows.
    var reviewer: String {
        let environment = request.environment
        let names = [
            environment["SNAPFARM_REVIEWER"], MainRepository.person(of: source.folder),
            environment["GITHUB_ACTOR"], environment["USER"],
        ]
        return names.compactMap(\.self).first { !$0.isEmpty } ?? ""
    }

    /// The decisions about pictures, ready to be kept.
    func notes(_ ids: [SnapshotID], _ decision: ReviewDecision, now: Date) -> [ReviewNote] {
        let when = ISO8601.text(Int64(now.timeIntervalSince1970 * 1000))
        let who = reviewer
        return ids.map {
            ReviewNote(
                snapshot: $0,
                decision: decision,
                reason: request.reason,
                when: when,
                who: who
            )
        }
    }

    /// The data folder of a review of this pipeline.
    static func data(_ request: ReviewRequest, _ source: PipelineSource) -> String {
        request.data.map(PipelineSource.absolute) ?? source.folder + "/.snapfarm"
    }

    private static func references(
        of source: PipelineSource,
        _ environment: [String: String]
    ) throws -> (place: ReferencePlace, pin: ReferencePin, store: ReferenceStore) {
        guard let place = try source.references(environment) else {
            throw PipelineSearchError.noReferences(name: source.pipeline.name)
        }
        let pin = try place.pin()
        // All of the pin: the next set keeps what it does not replace.
        let cells = Set(pin.entries.map(\.path.cell))
        return (place, pin, try place.store(for: .verify, pin: pin, cells: cells))
    }
}

extension PipelineSource {
    /// Every cell of the matrix once, in its order.
    var cells: [Cell] {
        var seen: Set<CellID> = []
        return pipeline.jobs.flatMap(\.cells).filter { seen.insert($0.id).inserted }
    }
}
