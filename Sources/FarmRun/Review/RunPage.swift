// One run under review, behind the routes of its page. It is the same on this machine and at a
// coordinator; the run, its decisions and its references come from a `RunPageSource`.
import FarmArtifacts
import FarmCore
import FarmReports
import FarmReview
import FarmServer
import Foundation

/// The source of a run under review: this machine, or a coordinator.
protocol RunPageSource: Sendable {
    var thumbnails: Thumbnails { get }
    func run() async throws -> RunPageContent
    func file(_ path: String) async throws -> Data?
    func decided() async throws -> DecidedSoFar
    func add(_ decisions: [Decision]) async throws
    /// Returns the problem that the pipeline has no store, or `nil` if it has one.
    func noStore() -> Problem?
    /// Returns the references that the run was compared with, or `nil` if there is no store; may
    /// wait for a fetch.
    func references() throws -> RunPageReferences?
    /// Runs `work`, which waits for disks and hosts, on separate threads, and returns its value.
    func apart<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value
    /// Runs publications of the pipeline one at a time; returns the result of `publish`.
    func inTurn(
        _ publish: @Sendable () async throws -> Publication
    ) async throws -> Publication
    /// Makes pictures the references, notes their publication, and returns the pin.
    func publish(
        _ accepted: Set<SnapshotID>,
        by reviewer: Reviewer,
        _ book: DecisionBook
    ) async throws -> PublishedPin
    /// Returns the pin of the newest earlier publication of the run's pictures, or `nil` if none is
    /// known.
    func published(in book: DecisionBook) async throws -> PublishedPin?
    func pinToCommit() async throws -> PagePin?
}

package struct RunPage: ReviewSource {
    let place: any RunPageSource
    /// Warnings for the user to read before accepting pictures.
    package var doubts: [Problem] = []

    package func run() async throws -> PageRun { try await place.run().page }

    package func file(_ path: String) async throws -> Data? { try await place.file(path) }

    package func thumbnail(ofFile path: String) async throws -> Data? {
        guard let bytes = try await place.file(path) else { return nil }
        let thumbnails = place.thumbnails
        return try await place.apart { RunPageReferences.small(bytes, thumbnails) }
    }

    package func baseline(of picture: SnapshotID) async throws -> Baseline? {
        let book = try await decided().book
        return try await reading { try $0.baseline(of: picture, book) }
    }

    package func catalogue(ofSet set: String?) async throws -> SetCatalogue? {
        try await reading { try $0.catalogue(ofSet: set) }
    }

    package func reference(_ object: ObjectID, as form: PictureForm) async throws -> Data? {
        try await reading { try $0.picture(object, as: form) } ?? nil
    }

    private func reading<Value: Sendable>(
        _ read: @escaping @Sendable (RunPageReferences) throws -> Value
    ) async throws -> Value? {
        let place = place
        return try await place.apart { try place.references().map(read) }
    }

    package func decided() async throws -> DecidedSoFar { try await place.decided() }

    package func add(_ decisions: [Decision]) async throws { try await place.add(decisions) }

    package func pinToCommit() async throws -> PagePin? { try await place.pinToCommit() }

    package func cannotPublish() async throws -> Problem? {
        try await summary().publishObstacle ?? place.noStore()
    }

    package func publish(by person: String, now: Int64) async throws -> Publication {
        try await place.inTurn {
            let summary = try await summary()
            let book = try await decided().book
            let accepted = DecidedPictures(summary).accepted(in: book, of: summary)
            guard !accepted.isEmpty else {
                let pin = try await place.published(in: book)
                return Publication(pictures: 0, removed: 0, pin: pin)
            }
            let reasons = accepted.compactMap { book.standing[$0.subject]?.reason }
            let pin = try await place.publish(
                Set(accepted.map(\.subject.snapshot)),
                by: Reviewer(name: person, reason: Self.joined(reasons), now: now),
                book
            )
            return Publication(
                pictures: accepted.count,
                removed: accepted.count { $0.subject.capture == nil },
                pin: pin
            )
        }
    }

    /// Returns the reasons as one text, each once, for the journal.
    private static func joined(_ reasons: [String]) -> String {
        var seen: Set<String> = []
        let own = reasons.filter { !$0.isEmpty && seen.insert($0).inserted }
        let text = own.joined(separator: "; ")
        return String(
            decoding: text.utf8.prefix(FarmLimits.decisionReasonBytesMax - 3),
            as: UTF8.self
        )
    }
}
