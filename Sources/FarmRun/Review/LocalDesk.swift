// A run under review on this machine. Decisions go to the ledger of the data folder, and publishing is
// what `approve` does. The folder's lock is held only while something is written: runs go on while
// somebody looks at a page.
import FarmCoordinator
import FarmCore
import FarmReports
import FarmReview
import FarmServer
import Foundation

package struct LocalDesk: ReviewDesk {
    private let request: ReviewRequest
    private let reviewed: ReviewedRun
    private let shown: DeskRun
    private let source: PipelineSource
    private let places: DecisionPlace
    private let known = KnownDecisions()
    private let references: DeskReferences
    /// For what reads disks, pictures and hosts; a host that hangs keeps no picture of the run waiting.
    private let threads = StoreThreads()
    /// Warnings to read before accepting pictures.
    package let doubts: [Problem]
    /// Who decides here.
    package let person: String
    /// Takes what a publication says, for the terminal.
    private let say: @Sendable ([String]) -> Void
    /// Called before each step of a publication.
    private let before: @Sendable (PublishStep) -> Void

    /// Opens a run as `approve` does.
    ///
    /// - Throws: `ReviewRefusal`, `DataFolderError`, and what `approve` throws for a run that it cannot
    ///   find.
    package static func open(
        _ request: ReviewRequest,
        say: @escaping @Sendable ([String]) -> Void,
        before: @escaping @Sendable (PublishStep) -> Void = { _ in }
    ) async throws -> LocalDesk {
        let session = try await ReviewSession.open(request)
        return try withExtendedLifetime(session) {
            try LocalDesk(session, say: say, before: before)
        }
    }

    private init(
        _ session: ReviewSession,
        say: @escaping @Sendable ([String]) -> Void,
        before: @escaping @Sendable (PublishStep) -> Void
    ) throws {
        request = session.request
        reviewed = session.review.run
        let run = session.review.run
        let doubts = [session.doubt, session.movedPin].compactMap(\.self)
        shown = try session.place.reading(run.manifest.pin, of: session.store) {
            try DeskRun(run, session.shown, doubts, in: session.store)
        }
        self.doubts = doubts
        source = session.source
        places = session.decisions
        references = try DeskReferences(session)
        person = session.reviewer(now: Date(timeIntervalSince1970: 0)).name
        self.say = say
        self.before = before
    }

    package func run() async throws -> PageRun { shown.page }

    package func file(_ path: String) async throws -> Data? {
        try await threads.run(in: .judging) { [shown] in try shown.file(path) }
    }

    package func thumbnail(ofFile path: String) async throws -> Data? {
        try await threads.run(in: .judging) { [shown, references] in
            try shown.file(path).map { DeskReferences.small($0, references.thumbnails) }
        }
    }

    package func baseline(of picture: SnapshotID) async throws -> Baseline? {
        let book = try await decided().book
        return try await reading { try $0.baseline(of: picture, book) }
    }

    package func catalogue(ofSet set: String?) async throws -> SetCatalogue? {
        try await reading { try $0.catalogue(ofSet: set) }
    }

    package func reference(_ object: ObjectID, as form: PictureForm) async throws -> Data? {
        try await reading { try $0.picture(object, as: form) }
    }

    private func reading<Value: Sendable>(
        _ read: @escaping @Sendable (DeskReferences) throws -> Value
    ) async throws -> Value {
        try await threads.run(in: .pages(references.name)) { [references] in try read(references) }
    }

    package func decided() async throws -> DecidedSoFar {
        try await places.decided(of: source.pipeline.name, known)
    }

    package func add(_ decisions: [Decision]) async throws {
        let folder = try await lockedFolder()
        try await places.add(decisions)
        withExtendedLifetime(folder) {}
    }

    package func cannotPublish() async throws -> Problem? { shown.page.summary.publishObstacle }

    package func publish(by person: String, now: Int64) async throws -> Publication {
        let folder = try await lockedFolder()
        defer { withExtendedLifetime(folder) {} }
        let book = try await decided().book
        let accepted = DecidedPictures(shown.page.summary)
            .accepted(in: book, of: shown.page.summary)
        guard !accepted.isEmpty else { return Publication(pictures: 0, removed: 0, pin: nil) }
        let reasons = accepted.compactMap { book.standing[$0.subject]?.reason }
        let session = try ReviewSession(
            of: reviewed,
            source,
            request,
            decisions: places,
            lock: folder
        )
        .narrowed(
            to: Set(accepted.map(\.subject.snapshot)),
            reason: Self.joined(reasons)
        )
        let document = try await session.approve(
            ApprovalOptions(removesMissing: true, takesRejected: true),
            now: Date(timeIntervalSince1970: Double(now) / 1000),
            before: before
        )
        say(document.lines)
        return Publication(
            pictures: accepted.count,
            removed: accepted.count { $0.subject.capture == nil },
            pin: document.commit.isEmpty ? .same : .moved(command: document.commit)
        )
    }

    /// Each reason once, for the journal.
    static func joined(_ reasons: [String]) -> String {
        var seen: Set<String> = []
        let own = reasons.filter { !$0.isEmpty && seen.insert($0).inserted }
        let text = own.joined(separator: "; ")
        return String(
            decoding: text.utf8.prefix(FarmLimits.decisionReasonBytesMax - 3),
            as: UTF8.self
        )
    }

    /// The data folder, once whoever has it is done.
    ///
    /// - Throws: `DataFolderError.busy` for one that stays busy.
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

/// What a publication is about to change.
package enum PublishStep: String, Sendable, CaseIterable {
    /// Pictures, trees and the set's commit.
    case set
    case journal
    case pin
    /// What was published is noted as that.
    case decisions
}
