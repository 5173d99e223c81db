// The calls that only clients of a fleet make: lists, and blobs that are too large for memory. A
// broken download goes on where it stopped, and is checked against its digest.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

extension CoordinatorClient {
    // MARK: token and clock

    /// Returns the facts of this client's token and of the coordinator.
    package func token() async throws -> TokenReply { try await get(Routes.token) }

    /// Returns the `Date` header of an answer that needs no token, or `nil` if there is none.
    package func date() async throws -> String? {
        try await attempting { place in
            let request = HTTPClientRequest(url: place + "/healthz")
            let response = try await http.execute(request, timeout: .seconds(60))
            _ = try await response.body.collect(upTo: 1 << 20)
            return .answered(response.headers.first(name: "Date"))
        }
    }

    // MARK: lists

    /// Returns at most `limit` runs, newest first.
    package func runs(limit: Int) async throws -> [RunListing] {
        let reply: RunsReply = try await get("\(Routes.runs)?\(Routes.limitQuery)=\(limit)")
        return reply.runs
    }

    /// Returns the state of the farm for its operator.
    package func farm() async throws -> FarmOverview {
        let reply: FarmReply = try await get(Routes.farm)
        return reply.farm
    }

    /// Returns at most `limit` entries of the audit log, newest first.
    package func audit(limit: Int) async throws -> [AuditEntry] {
        let reply: AuditReply = try await get("\(Routes.audit)?\(Routes.limitQuery)=\(limit)")
        return reply.entries
    }

    /// Returns the tests that are flaky in the newest runs, with their results.
    package func flaky(pipeline: String?, runs: Int) async throws -> FlakyTests {
        let wanted = pipeline.map { "&\(Routes.pipelineQuery)=\(Self.escaped($0))" } ?? ""
        return try await get("\(Routes.flaky)?\(Routes.limitQuery)=\(runs)\(wanted)")
    }

    /// Returns at most `limit` workers; the one that called last comes first.
    package func workers(limit: Int) async throws -> [WorkerListing] {
        let reply: WorkersReply = try await get("\(Routes.workers)?\(Routes.limitQuery)=\(limit)")
        return reply.workers
    }

    // MARK: artifacts

    /// Returns the artifacts of a run that has ended.
    package func artifacts(_ run: RunID) async throws -> [ArtifactSummary] {
        let reply: ArtifactsReply = try await get(Routes.artifacts(run.text))
        return reply.artifacts
    }

    /// Downloads an artifact of a run into a file, as ``download(_:toFileAt:bytesMax:)`` does.
    package func download(
        _ artifact: ArtifactSummary,
        of run: RunID,
        _ digest: Digest,
        toFileAt path: String
    ) async throws {
        let route = Routes.artifacts(run.text) + "/" + Self.escaped(artifact.name)
        try await download(route, digest, toFileAt: path, bytesMax: artifact.bytes)
    }

    // MARK: decisions

    /// Returns the standing decisions about the pictures of a run that has ended, and the comments;
    /// or, with a `number`, all decisions after that one.
    package func decisions(_ run: RunID, after number: Int64 = 0) async throws -> DecisionsReply {
        try await get(Routes.decisions(run.text) + "?\(Routes.afterQuery)=\(number)")
    }

    /// Sends a person's decision about pictures of a run; it is durable when this returns.
    ///
    /// The person is the owner of this client's token.
    package func decide(_ request: DecideRequest, about run: RunID) async throws {
        let _: Done = try await post(Routes.decisions(run.text), request)
    }

    // MARK: blobs

    /// Returns whether the coordinator has a blob.
    package func has(_ digest: Digest) async throws -> Bool {
        try await attempting { place in
            let response = try await http.execute(
                request(.HEAD, Routes.blob(digest.hex), at: place),
                timeout: .seconds(60)
            )
            switch response.status.code {
            case 200: return .answered(true)
            case 404: return .answered(false)
            case 500...: return .failed(response.status, response.headers, Data())
            default: throw refusal(response.status, Data(), at: place)
            }
        }
    }

    /// Stores the bytes of a file at the coordinator; they are durable when this returns.
    package func put(fileAt path: String, bytes: Int, as digest: Digest) async throws {
        let body = {
            HTTPClientRequest.Body.stream(
                FileChunks(path: path),
                length: .known(Int64(bytes))
            )
        }
        if try await putElsewhere(digest, bytes: bytes, body) { return }
        try await attempting { place in
            var call = request(.PUT, Routes.blob(digest.hex), at: place)
            call.body = body()
            let response = try await http.execute(
                call,
                timeout: .seconds(Int64(FarmLimits.blobSeconds))
            )
            let answer = Data(
                try await response.body.collect(upTo: FarmLimits.smallMessageBytesMax)
                    .readableBytesView
            )
            if response.status.code < 300 { return .answered(()) }
            if response.status.code >= 500 {
                return .failed(response.status, response.headers, answer)
            }
            throw refusal(response.status, answer, at: place)
        }
    }

    /// Downloads a blob that a run names into a file, and goes on where an earlier try stopped.
    ///
    /// - Throws: ``TransferError`` if the bytes exceed the limit or do not match the digest; in the
    ///   latter case the file is removed.
    package func download(
        _ digest: Digest,
        of run: RunID,
        toFileAt path: String,
        bytesMax: Int
    ) async throws {
        try await download(
            Routes.blob(digest.hex, of: run),
            digest,
            toFileAt: path,
            bytesMax: bytesMax
        )
    }

    private func download(
        _ route: String,
        _ digest: Digest,
        toFileAt path: String,
        bytesMax: Int
    ) async throws {
        try await attempting { place in
            var call = request(.GET, route, at: place)
            let present = Self.size(path)
            if present > 0 { call.headers.add(name: "Range", value: "bytes=\(present)-") }
            let response = try await execute(
                call,
                timeout: .seconds(Int64(FarmLimits.blobSeconds))
            )
            switch response.status.code {
            case 200, 206:
                let isRest = response.status.code == 206
                try await Self.write(
                    response.body,
                    toFileAt: path,
                    from: isRest ? present : 0,
                    bytesMax: bytesMax
                )
                return .answered(())
            case 416 where present > 0:
                // The file is complete already, or it holds other bytes: the check of the digest
                // decides.
                return .answered(())
            default:
                let bytes = Data(
                    try await response.body.collect(upTo: FarmLimits.smallMessageBytesMax)
                        .readableBytesView
                )
                guard response.status.code >= 500 else {
                    throw refusal(response.status, bytes, at: place)
                }
                return .failed(response.status, response.headers, bytes)
            }
        }
        guard try Self.digest(ofFileAt: path) == digest else {
            try? FileManager.default.removeItem(atPath: path)
            throw TransferError.damaged(digest)
        }
    }

    private static func write(
        _ body: HTTPClientResponse.Body,
        toFileAt path: String,
        from start: Int,
        bytesMax: Int
    ) async throws {
        if start == 0 { try Data().write(to: URL(fileURLWithPath: path)) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(start))
        var count = start
        for try await part in body {
            count += part.readableBytes
            guard count <= bytesMax else { throw TransferError.tooLarge(bytesMax: bytesMax) }
            try file.write(contentsOf: Data(part.readableBytesView))
        }
    }

    private static func size(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    private static func digest(ofFileAt path: String) throws -> Digest {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var digest = DigestStream()
        while let chunk = try file.read(upToCount: FileChunks.bytes), !chunk.isEmpty {
            chunk.withUnsafeBytes { digest.append($0) }
        }
        return digest.finish()
    }
}

/// The reason why a transferred blob is not used.
package enum TransferError: ExplainedError, Hashable {
    case damaged(Digest)
    case tooLarge(bytesMax: Int)
    /// The host of the coordinator's blobs refused a call.
    case elsewhere(host: String, reason: String)

    package var code: String {
        switch self {
        case .damaged: "transfer-damaged"
        case .tooLarge: "transfer-too-large"
        case .elsewhere: "transfer-refused"
        }
    }
    package var message: String {
        switch self {
        case .damaged(let digest): "what came from the coordinator as \(digest) is something else."
        case .tooLarge(let bytesMax): "the coordinator sends more than \(bytesMax.grouped) bytes."
        case .elsewhere(let host, let reason):
            "\(host), where the coordinator keeps its blobs, refuses a call: \(reason)."
        }
    }
    package var remedy: String {
        switch self {
        case .damaged, .tooLarge:
            "Try again; if it repeats, check the coordinator's disk, or the bucket of its blobs."
        case .elsewhere: "Look whether the bucket of the coordinator's `blobs:` is sound."
        }
    }
    package var exit: ExitCode { .busy }
}

/// The bytes of a file, read in pieces.
private struct FileChunks: AsyncSequence, Sendable {
    static let bytes = 256 << 10
    let path: String

    struct AsyncIterator: AsyncIteratorProtocol {
        let path: String
        private var file: FileHandle?

        init(path: String) { self.path = path }

        mutating func next() async throws -> ByteBuffer? {
            if file == nil {
                file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            }
            guard let chunk = try file?.read(upToCount: FileChunks.bytes), !chunk.isEmpty else {
                try file?.close()
                return nil
            }
            return ByteBuffer(bytes: chunk)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(path: path) }
}
