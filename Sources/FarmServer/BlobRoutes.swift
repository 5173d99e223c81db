// Blobs by digest: streamed both ways, under limits, by ranges. No path of a caller becomes a path
// on disk: a digest is 64 hex digits or it is refused.
import FarmAPI
import FarmArtifacts
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

struct BlobRoutes {
    let coordinator: Coordinator
    let reading: RequestReading
    let logger: Logger

    func addWriting(to api: RouterGroup<FarmContext>) {
        api.put("blobs/:digest") { request, context in try await put(request, context) }
        api.post("blobs/:digest/place") { request, context in
            let wanted = try await reading.body(request, as: PlaceRequest.self)
            return try await answer(place(wanted, try digest(context), context.grant))
        }
    }

    func addReading(to api: RouterGroup<FarmContext>) {
        api.head("blobs/:digest") { request, context in
            let digest = try digest(context)
            try await checkMayRead(digest, request, context.grant)
            // Marks a stored blob as young: the caller will not send it, but will name it soon.
            guard let size = try await coordinator.blobs.renewedSize(of: digest) else {
                throw ArtifactError.missing(digest)
            }
            return Response(status: .ok, headers: [Self.bytesHeader: "\(size)"])
        }
        api.get("blobs/:digest") { request, context in
            let digest = try digest(context)
            try await checkMayRead(digest, request, context.grant)
            return try await send(digest, request)
        }
    }

    /// Checks that the caller may read a blob.
    ///
    /// - Throws: `RequestRefusal.notYours` if a worker's token asks for another blob than the bundle
    ///   of an open run; for a token with patterns `ArtifactError.missing`, as for a blob that is
    ///   not stored.
    private func checkMayRead(
        _ digest: Digest,
        _ request: Request,
        _ grant: AccessGrant
    ) async throws {
        let run = request.uri.queryParameters[Substring(Routes.runQuery)].map { RunID(String($0)) }
        guard try await !coordinator.mayRead(digest, of: run, by: grant) else { return }
        if grant.reach.isEverything {
            throw RequestRefusal.notYours("blobs other than the bundles of open runs")
        }
        throw ArtifactError.missing(digest)
    }

    private func put(_ request: Request, _ context: FarmContext) async throws -> Response {
        let digest = try digest(context)
        let bytesMax = Self.bytesMax(context.grant)
        try reading.checkLength(request, bytesMax)
        // A caller with patterns shows that it has the bytes, even if they are stored.
        if try await coordinator.hasSent([digest], context.grant),
            try await coordinator.blobs.renewedSize(of: digest) != nil
        {
            return try answer(Done())
        }
        let upload = try coordinator.blobs.spool.begin(bytesMax: bytesMax)
        try await reading.forEachPiece(of: request, seconds: FarmLimits.blobSeconds) { piece in
            try upload.append(Data(piece.readableBytesView))
        }
        try await coordinator.blobs.store(upload, expecting: digest)
        try await coordinator.noteUpload(of: digest, by: context.grant)
        return try answer(Done())
    }

    /// Answers with the place in a bucket where the caller may put a blob, if there is a bucket, so
    /// that the bytes do not pass through here.
    ///
    /// A caller with patterns always sends the bytes to this coordinator: a bucket would tell it
    /// whether the blob is stored.
    private func place(
        _ wanted: PlaceRequest,
        _ digest: Digest,
        _ grant: AccessGrant
    ) async throws -> PlaceReply {
        let bytesMax = Self.bytesMax(grant)
        guard wanted.bytes >= 0, wanted.bytes <= bytesMax else {
            throw RequestRefusal.tooLarge(bytesMax: bytesMax)
        }
        if try await coordinator.hasSent([digest], grant),
            try await coordinator.blobs.renewedSize(of: digest) != nil
        {
            return PlaceReply(isThere: true)
        }
        guard grant.reach.isEverything else { return PlaceReply(isThere: false, elsewhere: nil) }
        let place = coordinator.blobs.place(of: digest, bytes: wanted.bytes)
        return PlaceReply(
            isThere: false,
            elsewhere: place.map { PlaceReply.Elsewhere(url: $0.url, headers: $0.headers) }
        )
    }

    /// Returns the most bytes of a blob: bundles are larger than pictures, and only submitters send
    /// them.
    private static func bytesMax(_ grant: AccessGrant) -> Int {
        grant.allows([.submit]) ? FarmLimits.bundleBytesMax : FarmLimits.blobBytesMax
    }

    private func digest(_ context: FarmContext) throws -> Digest {
        guard let digest = Digest(try context.name("digest")) else {
            throw RequestRefusal.malformed("the address ends in no SHA-256 digest")
        }
        return digest
    }

    // MARK: sending

    /// The HTTP header with the size of the whole blob in bytes.
    ///
    /// The answer to HEAD has no body that shows it.
    static let bytesHeader = HTTPField.Name(Routes.bytesHeader) ?? .contentLength
    static let followsHeader = HTTPField.Name(Routes.followsHeader) ?? .location

    private func send(_ digest: Digest, _ request: Request) async throws -> Response {
        let blobs = coordinator.blobs
        // Redirects to the bucket only if the caller says that it follows redirects.
        if request.headers[Self.followsHeader] != nil, let address = blobs.address(of: digest) {
            return Response(status: .temporaryRedirect, headers: [.location: address])
        }
        guard let size = try await blobs.size(of: digest) else {
            throw ArtifactError.missing(digest)
        }
        var headers: HTTPFields = [
            .contentType: "application/octet-stream", .acceptRanges: "bytes",
            .eTag: "\"\(digest.hex)\"",
        ]
        let range = try ByteRange.parse(request.headers[.range], size: size)
        if let range {
            headers[.contentRange] =
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
        }
        let whole = range ?? 0..<size
        let isAll = whole.count == size
        if !isAll { try await check(digest, size) }
        return Response(
            status: range == nil ? .ok : .partialContent,
            headers: headers,
            body: try await PiecewiseBody.of(whole, digest: isAll ? digest : nil, logger) {
                try await blobs.read(digest, in: $0)
            }
        )
    }

    /// Reads the whole blob and compares its digest, before a part of the blob is sent: a part has
    /// no digest of its own.
    ///
    /// - Throws: `ArtifactError.damaged` if the digest differs.
    private func check(_ digest: Digest, _ size: Int) async throws {
        var stream = DigestStream()
        for start in stride(from: 0, to: size, by: FarmLimits.bucketPieceBytes) {
            let piece = start..<min(size, start + FarmLimits.bucketPieceBytes)
            let bytes = try await coordinator.blobs.read(digest, in: piece)
            bytes.withUnsafeBytes { stream.append($0) }
        }
        guard stream.finish() == digest else { throw ArtifactError.damaged(digest) }
    }
}

/// The `Range` header of a download (RFC 9110 §14).
enum ByteRange {
    /// Returns the requested range of a blob of `size` bytes, or `nil` for the whole blob.
    ///
    /// Ignores a header with several ranges or with another unit, as the RFC allows.
    ///
    /// - Throws: `RequestRefusal.badRange` for a range that the blob cannot satisfy.
    static func parse(_ header: String?, size: Int) throws -> Range<Int>? {
        guard let header, header.hasPrefix("bytes="), !header.contains(",") else { return nil }
        let ends = header.dropFirst(6).split(
            separator: "-",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = Int(ends[1]), count > 0, size > 0 else {
                throw RequestRefusal.badRange
            }
            return max(0, size - count)..<size
        }
        guard let start = Int(ends[0]), ends[1].isEmpty || Int(ends[1]) != nil else { return nil }
        let last = Int(ends[1]) ?? size - 1
        guard start >= 0, start < size, last >= start else { throw RequestRefusal.badRange }
        return start..<min(last, size - 1) + 1
    }
}
