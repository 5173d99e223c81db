// The calls of S3 that a store of blobs needs: path, signature, retries, and the meaning of
// answers. Every call may be sent twice: a blob's bytes never change.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A client of one bucket of S3.
package struct BucketClient: Sendable {
    /// The body of a call.
    enum Body {
        case none
        case bytes(Data)
        case file(String, bytes: Int)
    }

    struct Answer {
        var status: Int
        var headers: HTTPHeaders
        var body: ByteBuffer

        /// The reason of a refusal: the code of S3, or the status if there is none.
        var reason: String {
            BucketListing.text(of: "Code", in: Substring(String(buffer: body)))
                ?? "status \(status)"
        }
    }

    package let settings: BucketSettings
    private let signer: RequestSigner
    private let now: @Sendable () -> Int64
    private let isSecure: Bool
    /// The host and port of the endpoint, without a scheme.
    private let authority: String

    /// The HTTP client, shared by the process and never shut down: a process has one bucket, until
    /// it ends.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(5)
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Makes a client of a bucket; `now` returns milliseconds since 1970.
    ///
    /// Temporary keys have a `sessionToken`; presigned addresses need keys that stay.
    package init(
        _ settings: BucketSettings,
        accessKey: String,
        secretKey: String,
        sessionToken: String? = nil,
        now: @escaping @Sendable () -> Int64
    ) {
        self.settings = settings
        self.now = now
        isSecure = settings.endpoint.hasPrefix("https://")
        // HTTP does not send a port that is the scheme's own, so it must not be signed.
        let host = settings.endpoint.drop { $0 != "/" }.dropFirst(2)
        let port = isSecure ? ":443" : ":80"
        authority = String(host.hasSuffix(port) ? host.dropLast(port.count) : host)
        signer = RequestSigner(
            accessKey: accessKey,
            secretKey: secretKey,
            region: settings.region,
            sessionToken: sessionToken
        )
    }

    // MARK: addresses

    func key(_ digest: Digest) -> String { "\(prefix)\(digest.hex.prefix(2))/\(digest.hex)" }

    /// The key of the object that names the farm that owns the prefix.
    var ownerKey: String { prefix + "farm" }

    /// The beginning of all keys: empty, or the prefix and `/`.
    var prefix: String { settings.prefix.isEmpty ? "" : settings.prefix + "/" }

    func request(
        _ method: String,
        key: String? = nil,
        query: [String: String] = [:],
        headers: [String: String] = [:]
    ) -> BucketRequest {
        let object = "/" + (key ?? "")
        return BucketRequest(
            method: method,
            host: settings.isPathStyle ? authority : "\(settings.bucket).\(authority)",
            path: settings.isPathStyle ? "/\(settings.bucket)" + object : object,
            query: query,
            headers: headers
        )
    }

    func url(_ request: BucketRequest) -> String {
        "\(isSecure ? "https" : "http")://\(request.host)\(request.target)"
    }

    /// Returns a URL with which a caller without keys can read a blob for a while.
    func address(of digest: Digest) -> String {
        url(
            signer.presigned(
                request("GET", key: key(digest)),
                seconds: FarmLimits.presignedSeconds,
                now: now()
            )
        )
    }

    /// Returns a place where a caller without keys can write a blob of `bytes` bytes once, for a
    /// while.
    func place(of digest: Digest, bytes: Int) -> BlobPlace {
        var headers = Self.headers(of: digest)
        headers["content-length"] = "\(bytes)"
        let signed = signer.presigned(
            request("PUT", key: key(digest), headers: headers),
            seconds: FarmLimits.presignedSeconds,
            now: now()
        )
        headers["content-length"] = nil
        return BlobPlace(url: url(signed), headers: headers)
    }

    /// Returns the headers of a PUT that writes a blob only once, and only with the bytes of its
    /// name.
    static func headers(of digest: Digest) -> [String: String] {
        ["if-none-match": "*", "x-amz-checksum-sha256": BucketText.base64(digest)]
    }

    // MARK: one call

    /// Sends a call to the bucket, and again if its answer was lost or the server had an error.
    ///
    /// `digest` is that of the body. Any status that is not `expected` is an error.
    func call(
        _ request: BucketRequest,
        _ body: Body = .none,
        digest: Digest? = nil,
        expecting expected: Set<Int>,
        bytesMax: Int = FarmLimits.smallMessageBytesMax
    ) async throws -> Answer {
        var reason = ""
        // A server that does not answer gets fewer tries than one that answers with an error.
        let last = ContinuousClock.now + .seconds(FarmLimits.bucketCallSeconds)
        for attempt in 0..<FarmLimits.bucketAttemptsMax {
            if attempt > 0 {
                guard ContinuousClock.now < last else { break }
                let pause = 0.1 * Double(1 << attempt)
                try await Task.sleep(for: .seconds(pause * .random(in: 0.5...1)))
            }
            do {
                let answer = try await once(request, body, digest, bytesMax)
                if expected.contains(answer.status) { return answer }
                guard Self.mayPass(answer) else { throw refusal(answer, digest) }
                reason = answer.reason
            } catch let error as BucketError {
                throw error
            } catch is CancellationError {
                throw CancellationError()
            } catch is NIOTooManyBytesError {
                throw refused(status: 200, "its answer is too long")
            } catch let error as CocoaError {
                throw error
            } catch {
                reason = Self.words(error)
            }
            try Task.checkCancellation()
        }
        throw BucketError.unavailable(bucket: settings.bucket, reason: reason)
    }

    private func once(
        _ request: BucketRequest,
        _ body: Body,
        _ digest: Digest?,
        _ bytesMax: Int
    ) async throws -> Answer {
        let empty = Digest(of: Data())
        let signed = signer.signed(request, body: (digest ?? empty).hex, now: now())
        var call = HTTPClientRequest(url: url(request))
        call.method = HTTPMethod(rawValue: request.method)
        for (name, value) in signed.headers { call.headers.add(name: name, value: value) }
        var seconds = Int64(FarmLimits.bucketCallSeconds)
        switch body {
        case .none: break
        case .bytes(let bytes): call.body = .bytes(ByteBuffer(bytes: bytes))
        case .file(let path, let bytes):
            call.body = .stream(FilePieces(path: path), length: .known(Int64(bytes)))
            seconds = Int64(FarmLimits.blobSeconds)
        }
        let answer = try await Self.http.execute(call, timeout: .seconds(seconds))
        return Answer(
            status: Int(answer.status.code),
            headers: answer.headers,
            body: try await answer.body.collect(upTo: bytesMax)
        )
    }

    /// Returns whether an answer is a fault that may pass, so that the same call may succeed a
    /// moment later.
    private static func mayPass(_ answer: Answer) -> Bool {
        switch answer.status {
        case 500..., 408, 409, 425, 429: true
        case 400: answer.reason == "RequestTimeout"
        default: false
        }
    }

    private func refusal(_ answer: Answer, _ digest: Digest?) -> any Error {
        let reason = answer.reason
        switch (answer.status, reason) {
        case (_, "NoSuchBucket"): return BucketError.noBucket(settings.bucket)
        case (_, "BadDigest"), (_, "XAmzContentSHA256Mismatch"), (_, "InvalidDigest"):
            return BucketError.mismatch(digest ?? Digest(of: Data()))
        case (301, _), (307, _), (_, "AuthorizationHeaderMalformed"):
            let region =
                answer.headers.first(name: "x-amz-bucket-region")
                ?? BucketListing.text(of: "Region", in: Substring(String(buffer: answer.body)))
            guard let region else { break }
            return BucketError.otherRegion(bucket: settings.bucket, region: region)
        case (401, _), (403, _):
            return BucketError.denied(bucket: settings.bucket, reason: reason)
        default: break
        }
        return refused(status: answer.status, reason)
    }

    func refused(status: Int, _ reason: String) -> BucketError {
        .refused(bucket: settings.bucket, status: status, reason: String(reason.prefix(200)))
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            "its host name is not known"
        case is NIOConnectionError: "no program listens there"
        case let error as HTTPClientError: error.shortDescription.lowercased()
        case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
        default: "the connection broke off"
        }
    }
}

/// The bytes of a file, read in pieces.
private struct FilePieces: AsyncSequence, Sendable {
    private static let bytes = 256 << 10
    let path: String

    struct AsyncIterator: AsyncIteratorProtocol {
        let path: String
        private var file: FileHandle?

        init(path: String) { self.path = path }

        mutating func next() async throws -> ByteBuffer? {
            if file == nil { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) }
            guard let piece = try file?.read(upToCount: FilePieces.bytes), !piece.isEmpty else {
                try file?.close()
                return nil
            }
            return ByteBuffer(bytes: piece)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(path: path) }
}
