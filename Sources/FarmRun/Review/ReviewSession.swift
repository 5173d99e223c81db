// The common part of approve and reject on this machine: the run, its pipeline, the reviewer and
// the earlier decisions. FarmReview decides; the code here moves the pin of the work tree.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmLedger
import FarmReferences
import FarmReview
import Foundation

/// The options of a review.
package struct ReviewRequest: Sendable {
    /// The source of the run under review.
    package enum Place: Sendable {
        case run(String)
        /// The path or the URL of a zip, or the path of a folder.
        case from(String)
        /// A run of a coordinator.
        case coordinator(RemoteCoordinator, RunID)
    }
    /// The path of the pipeline file; if `nil`, the file with the name of the run's pipeline is
    /// searched for.
    package var file: String?
    package var place: Place
    package var data: String?
    package var select: [String] = []
    /// The ids of the selected changes.
    package var changes: [String] = []
    package var reason = ""
    /// Whether to show the changes without making them.
    package var isDryRun = false
    package var environment: [String: String]
    /// The place that gets the pin of an approval.
    package var target = PinTarget.workTree

    package init(_ place: Place, environment: [String: String]) {
        self.place = place
        self.environment = environment
    }
}

/// A review in progress, during which other reviews and runs of the data folder wait or are
/// refused.
package struct ReviewSession {
    private(set) var request: ReviewRequest
    let source: PipelineSource
    private(set) var review: Review
    /// The references of the work tree or of the branch, read under the lock.
    let references: OpenReferences
    /// The references that a run from elsewhere shows; `nil` for a run of this machine's ledger.
    let shown: ShownReferences?
    let decisions: DecisionStore
    /// The lock of the data folder, held as long as the session; `nil` for a dry run of a run from
    /// elsewhere, and if the caller holds the lock.
    private let lock: DataFolder?

    /// Opens the run of a review, and refuses one of another pipeline.
    package static func open(_ request: ReviewRequest) async throws -> ReviewSession {
        let search = RunSearch(request: request)
        switch request.place {
        case .from(let place):
            return try await open(request) { scratch in
                (try await ReviewDownload.local(place, request.environment, scratch), place)
            }
        case .coordinator(let coordinator, let id):
            func session(_ id: RunID) async throws -> ReviewSession {
                try await open(request, decisions: .coordinator(coordinator, id)) { scratch in
                    let zip = try await ReviewDownload.zip(of: id, at: coordinator, scratch)
                    return (zip, "run \(id) of \(coordinator.url)")
                }
            }
            guard id.text == RunSearch.latest else { return try await session(id) }
            let listed = try await coordinator.asked {
                try await $0.runs(limit: FarmLimits.listMax)
            }
            let runs = try search.latest(of: listed, at: coordinator.url)
            return try await newestOpen(of: runs, in: coordinator.url, session)
        case .run(let id):
            let candidates = try search.candidates(id)
            if id != RunSearch.latest, let one = candidates.first {
                return try await open(one, request)
            }
            return try await newestOpen(of: candidates, in: candidates.first?.data ?? "") {
                try await open($0, request)
            }
        }
    }

    /// Opens the runs in turn, and returns the first session with an undecided picture; throws if
    /// there is none.
    private static func newestOpen<Run>(
        of runs: [Run],
        in place: String,
        _ open: (Run) async throws -> ReviewSession
    ) async throws -> ReviewSession {
        for (index, run) in runs.enumerated() {
            let session = try await open(run)
            let approval = Approval(of: session.review, over: session.references)
            let book = try await session.decided()
            if try approval.isOpen(in: book, isNewest: index == 0) { return session }
        }
        throw PipelineSearchError.nothingToReview(data: place)
    }

    /// The ids of the selected pictures.
    package var selected: Set<SnapshotID> { Set(review.selected.map(\.id)) }

    func decided() async throws -> DecisionBook {
        DecisionBook(try await decisions.all(of: review.project.pipeline))
    }

    /// Opens a run from elsewhere.
    ///
    /// `fetch` puts its zip or folder into `scratch`, and returns its path and its name for people.
    ///
    /// If `decisions` is `nil`, decisions are kept in the data folder.
    private static func open(
        _ request: ReviewRequest,
        decisions: DecisionStore? = nil,
        _ fetch: (_ scratch: String) async throws -> (path: String, origin: String)
    ) async throws -> ReviewSession {
        let scratch = try OwnedFolder("review")
        // The session reads its files through open descriptors, which outlive their names.
        defer { scratch.remove() }
        let (path, origin) = try await fetch(scratch.path)
        let run = try ReviewedRun(from: path, origin: origin, scratch: scratch.path)
        let source =
            try request.file.map { try PipelineSource(file: $0) }
            ?? PipelineSearch.find(named: run.manifest.run.pipeline, request.environment)
        let lock = request.isDryRun ? nil : try DataFolder(data(request, source))
        return try ReviewSession(
            request,
            source,
            run,
            references(of: source, request),
            decisions,
            lock
        )
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
        return try ReviewSession(request, candidate.source, run, references, nil, lock)
    }

    private init(
        _ request: ReviewRequest,
        _ source: PipelineSource,
        _ run: ReviewedRun,
        _ references: OpenReferences,
        _ decisions: DecisionStore?,
        _ lock: DataFolder?
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
        self.references = references
        self.lock = lock
        self.decisions = decisions ?? .ledger(Self.data(request, source) + "/ledger.sqlite")
    }

    /// Returns the references that a run from elsewhere shows, compared with those of its pin;
    /// `nil` for a run of this machine.
    private static func shown(
        _ review: Review,
        _ references: OpenReferences
    ) throws -> ShownReferences? {
        guard case .kept = review.run.source else { return nil }
        let pin = review.run.manifest.pin
        // The work tree's set is complete here. The set of another pin may be gone, or its host
        // unreachable.
        let store =
            pin == references.pin
            ? references.store
            : try? references.place.store(for: .verify, pin: pin, cells: Set(pin.cells))
        return try ShownReferences(of: review) { cell in try? store?.references(pin, cell: cell) }
    }

    /// A warning to read before accepting pictures of the run, or `nil` if there is none.
    package var doubt: Problem? { shown?.doubt }

    /// The problem that references of the run have changed since, which prevents an approval; `nil`
    /// if none did.
    var movedPin: Problem? {
        do {
            try Approval(of: review, over: references).checkPin()
            return nil
        } catch let refusal as ReviewRefusal {
            guard case .otherPin = refusal else { return nil }
            return Problem(refusal)
        } catch {
            // Publishing reads the pin again, and its error names the cause.
            return nil
        }
    }

    /// Reviews a run again, over the current references of the work tree; the caller holds the
    /// lock.
    init(
        again run: ReviewedRun,
        _ source: PipelineSource,
        _ request: ReviewRequest,
        _ decisions: DecisionStore
    ) throws {
        let references = try Self.references(of: source, request)
        try self.init(request, source, run, references, decisions, nil)
    }

    /// Returns the session reduced to the given pictures.
    func narrowed(to ids: Set<SnapshotID>, reason: String? = nil) -> ReviewSession {
        var session = self
        session.review = review.narrowed(to: ids)
        if let reason { session.request.reason = reason }
        return session
    }

    /// Returns the person or the job that reviews, as far as the machine can tell.
    func reviewer(now: Date) -> Reviewer {
        let environment = request.environment
        let names = [
            environment["SNAPFARM_REVIEWER"], MainRepository.person(of: source.folder),
            environment["GITHUB_ACTOR"], environment["USER"],
        ]
        let name = names.compactMap(\.self).first { !$0.isEmpty } ?? ""
        return Reviewer(
            // A character that is cut in the middle becomes U+FFFD, which has three bytes.
            name: String(
                decoding: name.utf8.prefix(FarmLimits.personBytesMax - 3),
                as: UTF8.self
            ),
            reason: request.reason,
            now: Int64(now.timeIntervalSince1970 * 1000)
        )
    }

    /// Returns the path of the data folder of a review of this pipeline.
    static func data(_ request: ReviewRequest, _ source: PipelineSource) -> String {
        request.data.map(PipelineSource.absolute) ?? source.folder + "/.snapfarm"
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
        return try OpenReferences(place, at: pin, branch: branch)
    }
}
