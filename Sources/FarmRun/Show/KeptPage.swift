// A run that can be looked at: its files are there, and its store, its pin or its pipeline file is not.
// Only a coordinator keeps decisions about it, and nothing is accepted.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmImaging
import FarmLedger
import FarmReports
import FarmReview
import FarmServer
import Foundation

/// A run whose files are there, and whose references or pipeline are not.
struct KeptPage: ReviewSource {
    private let content: RunPageContent
    /// The reason why nothing can be accepted.
    private let obstacle: any Error
    /// The place of decisions, or `nil` if there is none.
    private let decisions: DecisionStore?
    private let known = DecisionCache()
    /// Whether decisions about the run can be kept.
    var keepsDecisions: Bool { decisions != nil }

    /// Opens the run of a request; `data` is its data folder.
    init(_ request: ReviewRequest, _ data: String?, obstacle: any Error) async throws {
        self.obstacle = obstacle
        if case .coordinator(let coordinator, let id) = request.place {
            decisions = .coordinator(coordinator, id)
        } else {
            decisions = nil
        }
        let scratch = try OwnedFolder("shown")
        // The zip is read through an open descriptor, which outlives its name.
        defer { scratch.remove() }
        switch request.place {
        case .from(let place):
            let path = try await ReviewDownload.local(place, request.environment, scratch.path)
            let run = try ReviewedRun(from: path, origin: place, scratch: scratch.path)
            content = try RunPageContent(run, in: nil)
        case .coordinator(let coordinator, let id):
            let zip = try await ReviewDownload.zip(of: id, at: coordinator, scratch.path)
            let origin = "run \(id) of \(coordinator.url)"
            let run = try ReviewedRun(from: zip, origin: origin, scratch: scratch.path)
            content = try RunPageContent(run, in: nil)
        case .run(let id):
            guard let data else { throw LedgerError.noRun(RunID(id)) }
            let folder = try DataFolder(data)
            let ledger = try SQLiteLedger(path: folder.ledger)
            defer { try? ledger.close() }
            let run = try await ReviewedRun(
                run: RunID(id),
                in: ledger,
                blobs: BlobStore(folder: folder.blobs),
                reference: { _ in nil }
            )
            content = try RunPageContent(run, in: nil)
        }
    }

    func run() async throws -> PageRun { content.page }

    func file(_ path: String) async throws -> Data? { try content.file(path) }

    func thumbnail(ofFile path: String) async throws -> Data? {
        try content.file(path).map { (try? Thumbnail.png(of: $0)) ?? $0 }
    }

    func decided() async throws -> DecidedSoFar {
        guard let decisions else { return DecidedSoFar() }
        return try await decisions.decided(of: content.page.summary.run.pipeline, known)
    }

    func add(_ made: [Decision]) async throws {
        guard let decisions else { throw obstacle }
        try await decisions.add(made)
    }

    func cannotPublish() async throws -> Problem? { nil }

    func publish(by person: String, now: Int64) async throws -> Publication { throw obstacle }
}
