// What approve and reject have in common on this machine: the run, the pipeline it belongs to, who
// reviews it, and what was decided before. The deciding is FarmReview's; what moves here is the pin of
// the work tree.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmLedger
import FarmReferences
import FarmReview
import Foundation

/// What the command line of a review asks for.
package struct ReviewRequest: Sendable {
    /// Where the run is.
    package enum Place: Sendable {
        case run(String)
        /// A zip, a folder or a URL.
        case from(String)
        /// A run of a coordinator.
        case coordinator(RemoteCoordinator, RunID)
    }
    /// The pipeline file; nil: that of the run's name.
    var file: String?
    var place: Place
    var data: String?
    var select: [String]
    /// Ids of changes.
    var changes: [String]
    var reason: String
    /// Shows what would happen, and changes nothing.
    var isDryRun: Bool
    var environment: [String: String]
    /// Where an approval puts the pin.
    var target: PinTarget

    package init(
        file: String?,
        place: Place,
        data: String?,
        select: [String],
        changes: [String],
        reason: String,
        isDryRun: Bool,
        environment: [String: String],
        target: PinTarget = .workTree
    ) {
        self.file = file
        self.place = place
        self.data = data
        self.select = select
        self.changes = changes
        self.reason = reason
        self.isDryRun = isDryRun
        self.environment = environment
        self.target = target
    }
}

/// A review in progress; other reviews and runs of the data folder wait or are refused.
package struct ReviewSession {
    private(set) var request: ReviewRequest
    let source: PipelineSource
    private(set) var review: Review
    let place: ReferencePlace
    let store: ReferenceStore
    /// The work tree's or the branch's, read under the lock.
    let pin: ReferencePin
    /// The references shown for a run from elsewhere; `nil` for a run of this machine's ledger.
    let shown: ShownReferences?
    /// What is committed to; nil where the request names no branch.
    let branch: OpenPinBranch?
    let decisions: DecisionPlace
    /// Held as long as the session; nil for a look from outside.
    private let lock: DataFolder?

    /// Opens the run and refuses one that is not of this pipeline.
    package static func open(_ request: ReviewRequest) async throws -> ReviewSession {
        let scratch = try OwnedFolder("review")
        // What lies in it is read through an open file, which outlives its name.
        defer { scratch.remove() }
        switch request.place {
        case .from(let place):
            let path = try await ReviewDownload.local(place, request.environment, scratch.path)
            let run = try ReviewedRun(from: path, origin: place, scratch: scratch.path)
            return try open(run, request)
        case .coordinator(let coordinator, let id):
            guard id.text == RunSearch.latest else {
                return try await open(id, of: coordinator, request)
            }
            let listed = try await coordinator.asked {
                try await $0.runs(limit: FarmLimits.listMax)
            }
            let runs = try RunSearch(request: request).latest(of: listed, at: coordinator.url)
            for run in runs {
                let session = try await open(run, of: coordinator, request)
                if try await session.isOpen(isNewest: run == runs.first) { return session }
            }
            throw PipelineSearchError.nothingToReview(data: coordinator.url)
        case .run(let id):
            let candidates = try RunSearch(request: request).candidates(id)
            for candidate in candidates {
                let session = try await open(candidate, request)
                guard id == RunSearch.latest else { return session }
                let isNewest = candidate.run == candidates.first?.run
                if try await session.isOpen(isNewest: isNewest) { return session }
            }
            throw PipelineSearchError.nothingToReview(data: candidates.first?.data ?? "")
        }
    }

    private func isOpen(isNewest: Bool) async throws -> Bool {
        let book = DecisionBook(try await decisions.all(of: review.project.pipeline))
        return try Approval(of: review, over: pin, in: store).isOpen(in: book, isNewest: isNewest)
    }

    /// A run of a coordinator.
    private static func open(
        _ id: RunID,
        of coordinator: RemoteCoordinator,
        _ request: ReviewRequest
    ) async throws -> ReviewSession {
        let scratch = try OwnedFolder("review")
        defer { scratch.remove() }
        let path = try await ReviewDownload.zip(of: id, at: coordinator, scratch.path)
        let origin = "run \(id) of \(coordinator.url)"
        return try open(
            try ReviewedRun(from: path, origin: origin, scratch: scratch.path),
            request,
            decisions: .coordinator(coordinator, id)
        )
    }

    /// A run from elsewhere; without another place, decisions are kept in the data folder.
    private static func open(
        _ run: ReviewedRun,
        _ request: ReviewRequest,
        decisions: DecisionPlace? = nil
    ) throws -> ReviewSession {
        let source =
            try request.file.map { try PipelineSource(file: $0) }
            ?? PipelineSearch.find(named: run.manifest.run.pipeline, request.environment)
        let lock = request.isDryRun ? nil : try DataFolder(data(request, source))
        let references = try references(of: source, request)
        return try ReviewSession(request, source, run, references, lock, decisions)
    }

    private static func open(
        _ candidate: RunSearch.Candidate,
        _ request: ReviewRequest
    ) async throws -> ReviewSession {
        let lock = try DataFolder(candidate.data)
        let references = try references(of: candidate.source, request)
        let store = references.store
        let ledger = try SQLiteLedger(path: lock.ledger)
        defer { try? ledger.close() }
        let run = try await ReviewedRun(
            run: candidate.run,
            in: ledger,
            blobs: BlobStore(folder: lock.blobs),
            reference: { try store.read($0) }
        )
        return try ReviewSession(request, candidate.source, run, references, lock)
    }

    private init(
        _ request: ReviewRequest,
        _ source: PipelineSource,
        _ run: ReviewedRun,
        _ references: OpenReferences,
        _ lock: DataFolder?,
        _ decisions: DecisionPlace? = nil
    ) throws {
        self.request = request
        self.source = source
        review = try Review(
            run,
            of: ReviewedProject(source.pipeline),
            select: request.select,
            changes: request.changes
        )
        shown = try Self.shown(review, references)
        place = references.place
        pin = references.pin
        store = references.store
        branch = references.branch
        self.lock = lock
        self.decisions = decisions ?? .ledger(Self.data(request, source) + "/ledger.sqlite")
    }

    /// Compares the references that a run from elsewhere shows with those of its pin.
    private static func shown(
        _ review: Review,
        _ references: OpenReferences
    ) throws -> ShownReferences? {
        guard case .kept = review.run.source else { return nil }
        let pin = review.run.manifest.pin
        // That of the work tree is whole here; another one may be gone, or its host away.
        let store =
            pin == references.pin
            ? references.store
            : try? references.place.store(for: .verify, pin: pin, cells: Set(pin.cells))
        return try ShownReferences(of: review) { cell in try? store?.references(pin, cell: cell) }
    }

    /// A warning to read before accepting pictures of the run; `nil` where there is none.
    package var doubt: Problem? { shown?.doubt }

    /// Says that references of the run changed since, so that no approval takes its pictures; `nil` where
    /// none did.
    var movedPin: Problem? {
        do {
            try Approval(of: review, over: pin, in: store).checkPin()
            return nil
        } catch let refusal as ReviewRefusal {
            guard case .otherPin = refusal else { return nil }
            return Problem(refusal)
        } catch {
            // Publishing reads the pin again, and its error names the cause.
            return nil
        }
    }

    /// A run that was opened before, over the references that the work tree names now.
    init(
        of run: ReviewedRun,
        _ source: PipelineSource,
        _ request: ReviewRequest,
        decisions: DecisionPlace,
        lock: DataFolder
    ) throws {
        let references = try Self.references(of: source, request)
        try self.init(request, source, run, references, lock, decisions)
    }

    /// The same session about no more than these pictures.
    func narrowed(to ids: Set<SnapshotID>, reason: String? = nil) -> ReviewSession {
        var session = self
        session.review = review.narrowed(to: ids)
        if let reason { session.request.reason = reason }
        return session
    }

    /// A person or a job, as far as the machine knows.
    func reviewer(now: Date) -> Reviewer {
        let environment = request.environment
        let names = [
            environment["SNAPFARM_REVIEWER"], MainRepository.person(of: source.folder),
            environment["GITHUB_ACTOR"], environment["USER"],
        ]
        let name = names.compactMap(\.self).first { !$0.isEmpty } ?? ""
        return Reviewer(
            // What is cut in the middle of a character ends with one of three bytes.
            name: String(
                decoding: name.utf8.prefix(FarmLimits.personBytesMax - 3),
                as: UTF8.self
            ),
            reason: request.reason,
            now: Int64(now.timeIntervalSince1970 * 1000)
        )
    }

    /// The data folder of a review of this pipeline.
    static func data(_ request: ReviewRequest, _ source: PipelineSource) -> String {
        request.data.map(PipelineSource.absolute) ?? source.folder + "/.snapfarm"
    }

    /// What a review needs of the project's references.
    private struct OpenReferences {
        let place: ReferencePlace
        let pin: ReferencePin
        let store: ReferenceStore
        let branch: OpenPinBranch?
    }

    private static func references(
        of source: PipelineSource,
        _ request: ReviewRequest
    ) throws -> OpenReferences {
        guard let place = try source.references(request.environment) else {
            throw PipelineSearchError.noReferences(name: source.pipeline.name)
        }
        var branch: OpenPinBranch?
        if case .branch(let name, let repository) = request.target {
            branch = try place.openBranch(name, of: repository)
        }
        if branch == nil, let fact = try place.missingPin() { Console.say(fact) }
        let pin = try branch.map { try place.pin(of: $0.head.pin) } ?? place.pin()
        // All of the pin: the next set keeps what it does not replace.
        let cells = Set(pin.entries.map(\.path.cell))
        let store = try place.store(for: .verify, pin: pin, cells: cells)
        return OpenReferences(place: place, pin: pin, store: store, branch: branch)
    }
}
