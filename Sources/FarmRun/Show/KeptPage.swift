// A run that can be looked at and not decided about: its files are there, and its store, its pin or its
// pipeline file is not.
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
    /// The reason why nothing can be decided.
    private let obstacle: any Error

    /// Opens the run of a request; `data` is its data folder.
    init(_ request: ReviewRequest, _ data: String?, obstacle: any Error) async throws {
        self.obstacle = obstacle
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

    func decided() async throws -> DecidedSoFar { DecidedSoFar() }

    func add(_ decisions: [Decision]) async throws { throw obstacle }

    func cannotPublish() async throws -> Problem? { nil }

    func publish(by person: String, now: Int64) async throws -> Publication { throw obstacle }
}
