// A run under review on this machine. Decisions go to the ledger of the data folder, and publishing
// does the same as `approve`. The folder is locked only during writes, so that runs can go on while
// a page is open.
import FarmArtifacts
import FarmCore
import FarmReports
import FarmReview
import FarmServer
import Foundation

struct LocalRunPage: RunPageSource {
    private let request: ReviewRequest
    private let reviewed: ReviewedRun
    private let shown: RunPageContent
    private let source: PipelineSource
    private let places: DecisionStore
    private let known = DecisionCache()
    private let pinned: RunPageReferences
    /// Threads for disks, pictures and hosts, so that a hanging host delays no picture of the run.
    private let threads = StoreThreads()
    let doubts: [Problem]
    /// The name of the person who decides on this machine.
    let person: String
    /// Prints the lines of a publication on the terminal.
    private let say: @Sendable ([String]) -> Void
    /// Called before each step of a publication.
    private let before: @Sendable (PublishStep) -> Void

    /// Opens a run as `approve` does, and ends that session.
    ///
    /// - Throws: `ReviewRefusal`, `DataFolderError`, and the errors of `approve` for a run that
    ///   cannot be found.
    init(
        _ request: ReviewRequest,
        say: @escaping @Sendable ([String]) -> Void,
        before: @escaping @Sendable (PublishStep) -> Void = { _ in }
    ) async throws {
        let session = try await ReviewSession.open(request)
        defer { withExtendedLifetime(session) {} }
        try self.init(session, say: say, before: before)
    }

    /// Shows a run that a session has opened, with the errors that came after it.
    init(
        _ session: ReviewSession,
        failures: [Problem] = [],
        say: @escaping @Sendable ([String]) -> Void,
        before: @escaping @Sendable (PublishStep) -> Void = { _ in }
    ) throws {
        let (run, references) = (session.review.run, session.references)
        let doubts = [session.doubt, session.movedPin].compactMap(\.self)
        self.request = session.request
        self.doubts = doubts + failures
        reviewed = run
        shown = try references.place.reading(run.manifest.pin, of: references.store) {
            try RunPageContent(
                run,
                session.shown,
                doubts,
                failures: failures,
                in: references.store
            )
        }
        source = session.source
        places = session.decisions
        pinned = try RunPageReferences(session)
        person = session.reviewer(now: Date(timeIntervalSince1970: 0)).name
        self.say = say
        self.before = before
    }

    var thumbnails: Thumbnails { pinned.thumbnails }

    func run() async throws -> RunPageContent { shown }

    func file(_ path: String) async throws -> Data? {
        try await threads.run(in: .judging) { [shown] in try shown.file(path) }
    }

    func references() throws -> RunPageReferences? { pinned }

    func apart<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await threads.run(in: .pages(pinned.name), work)
    }

    func decided() async throws -> DecidedSoFar {
        try await places.decided(of: source.pipeline.name, known)
    }

    func add(_ decisions: [Decision]) async throws {
        let folder = try await lockedFolder()
        try await places.add(decisions)
        withExtendedLifetime(folder) {}
    }

    func noStore() -> Problem? { nil }

    func inTurn(
        _ publish: @Sendable () async throws -> Publication
    ) async throws -> Publication {
        let folder = try await lockedFolder()
        defer { withExtendedLifetime(folder) {} }
        return try await publish()
    }

    func publish(
        _ accepted: Set<SnapshotID>,
        by reviewer: Reviewer,
        _ book: DecisionBook
    ) async throws -> PublishedPin {
        let session = try ReviewSession(again: reviewed, source, request, places)
        let subjects = session.review.pictures.values.map(\.picture.subject)
        let document = try await session.narrowed(to: accepted, reason: reviewer.reason).approve(
            ApprovalOptions(
                removesMissing: true,
                takesRejected: true,
                alternates: Set(subjects.filter(book.alternates.contains).map(\.snapshot))
            ),
            now: Date(timeIntervalSince1970: Double(reviewer.now) / 1000),
            before: before
        )
        say(document.lines)
        return document.commit.isEmpty ? .same : .moved(command: document.commit)
    }

    func published(in book: DecisionBook) async throws -> PublishedPin? { nil }

    func pinToCommit() async throws -> PagePin? { nil }

    /// Locks the data folder; waits while another process has it.
    ///
    /// - Throws: `DataFolderError.busy` if the folder stays busy.
    private func lockedFolder() async throws -> DataFolder {
        let limit = ContinuousClock.now + .seconds(FarmLimits.reviewLockSeconds)
        while true {
            do {
                return try DataFolder(ReviewSession.data(request, source))
            } catch DataFolderError.busy where ContinuousClock.now < limit {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}

extension RunPage {
    /// Opens the page of a run on this machine.
    package static func open(
        _ request: ReviewRequest,
        say: @escaping @Sendable ([String]) -> Void,
        before: @escaping @Sendable (PublishStep) -> Void = { _ in }
    ) async throws -> RunPage {
        RunPage(try await LocalRunPage(request, say: say, before: before))
    }

    init(_ local: LocalRunPage) { self.init(place: local, doubts: local.doubts) }
}
