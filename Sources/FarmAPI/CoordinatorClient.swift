// The client side of the API: one connection pool, deadlines, limits, retries. Every call is
// idempotent, so a call without an answer is repeated.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// A client of the API of a coordinator.
package struct CoordinatorClient: Sendable {
    package let places: CoordinatorPlaces
    private let token: String
    let http: HTTPClient
    let elsewhere: BlobUploader
    let patience: RetryPolicy

    /// Makes a client of one or several coordinators.
    ///
    /// `url` is `http://host:port` or `https://…`, without a path, or several with commas between
    /// them. `authorities` is a PEM file of the certificates to trust instead of the system's. Each
    /// client has connections of its own: no upload delays a client for renewals alone.
    package init(
        url: String,
        token: String,
        patience: RetryPolicy = .usual,
        authorities: String? = nil
    ) {
        places = CoordinatorPlaces(url)
        self.token = token
        http = Self.makeHTTPClient(authorities, patience)
        elsewhere = BlobUploader(authorities: authorities, patience)
        self.patience = patience
    }

    /// The URLs of all coordinators, with commas between them, as another program's option takes
    /// them.
    package var url: String { places.all.joined(separator: ",") }

    /// Returns whether a file holds certificates that a client can trust.
    package static func holdsAuthorities(_ path: String) -> Bool {
        (try? NIOSSLCertificate.fromPEMFile(path))?.isEmpty == false
    }

    /// Makes a client with a pool that long polls do not exhaust (the default is 8 connections a
    /// host).
    private static func makeHTTPClient(
        _ authorities: String?,
        _ patience: RetryPolicy
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        if let authorities {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authorities)
            configuration.tlsConfiguration = tls
        }
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.timeout.connect = .seconds(patience.connectSeconds)
        // Otherwise the library would retry a refused connection until the call's deadline; here
        // the attempts are counted.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes the client's connections; it cannot be used afterwards.
    package func close() async {
        try? await http.shutdown()
        await elsewhere.close()
    }

    // MARK: worker

    @discardableResult
    package func hello(_ request: HelloRequest) async throws -> HelloReply {
        try await post(Routes.workers, request)
    }

    package func claim(_ worker: WorkerID, _ request: ClaimRequest) async throws -> ClaimReply {
        try await post(
            Routes.claim(worker.text),
            request,
            deadlineSeconds: request.waitSeconds + 30
        )
    }

    package func renew(
        _ token: LeaseToken,
        running: TestID?,
        started: [TestID] = [],
        reached: Int = 0
    ) async throws -> FencedAnswer {
        // A renewal that takes longer than the time between two is no use.
        let reply: FencedReply = try await post(
            Routes.renew(token.id.text),
            of: token,
            RenewRequest(
                epoch: token.epoch,
                running: running,
                started: started.isEmpty ? nil : started,
                reached: reached > 0 ? reached : nil
            ),
            deadlineSeconds: FarmLimits.renewalSeconds
        )
        return reply.answer
    }

    package func report(_ token: LeaseToken, _ reports: [TestReport]) async throws
        -> [FencedAnswer]
    {
        let reply: VerdictsReply = try await post(
            Routes.verdicts(token.id.text),
            of: token,
            VerdictsRequest(epoch: token.epoch, reports: reports)
        )
        return reply.answers
    }

    /// Sends a lease's last reports, at most `FarmLimits.reportsPerMessageMax`, and ends the lease.
    package func complete(
        _ token: LeaseToken,
        reports: [TestReport],
        evidence: LeaseEvidence
    ) async throws -> CompleteReply {
        try await post(
            Routes.complete(token.id.text),
            of: token,
            CompleteRequest(epoch: token.epoch, reports: reports, evidence: evidence)
        )
    }

    package func release(_ token: LeaseToken) async throws -> FencedAnswer {
        let reply: FencedReply = try await post(
            Routes.release(token.id.text),
            of: token,
            ReleaseRequest(epoch: token.epoch)
        )
        return reply.answer
    }

    package func references(_ run: RunID, _ cell: CellID) async throws -> CellReferences {
        let reply: ReferencesReply = try await get(
            Routes.references(run.text, Self.escaped(cell.text))
        )
        return reply.references
    }

    /// Returns the bytes of a picture that is a reference of a run.
    package func picture(_ run: RunID, _ object: ObjectID) async throws -> Data {
        try await send(.GET, Routes.picture(run.text, object.hex), body: nil)
    }

    package func blob(_ digest: Digest, of run: RunID) async throws -> Data {
        let bytes = try await send(.GET, Routes.blob(digest.hex, of: run), body: nil)
        guard Digest(of: bytes) == digest else { throw TransferError.damaged(digest) }
        return bytes
    }

    /// Stores bytes at the coordinator; they are durable when this returns.
    package func put(_ bytes: Data, as digest: Digest) async throws {
        let body = { HTTPClientRequest.Body.bytes(ByteBuffer(bytes: bytes)) }
        if try await putElsewhere(digest, bytes: bytes.count, body) { return }
        _ = try await send(.PUT, Routes.blob(digest.hex), body: bytes)
    }

    // MARK: runs

    package func submit(_ request: SubmitRequest) async throws -> RunID {
        let reply: SubmitReply = try await post(Routes.runs, request)
        return reply.run
    }

    /// Returns the progress of a run, after `waitSeconds` or as soon as the run has ended.
    package func progress(_ run: RunID, waitSeconds: Double = 0) async throws -> RunProgress {
        let query = "?\(Routes.waitQuery)=\(waitSeconds)"
        let reply: RunReply = try await get(Routes.run(run.text) + query)
        return reply.progress
    }

    package func result(_ run: RunID) async throws -> JudgedRun? {
        let reply: ResultReply = try await get(Routes.result(run.text))
        return reply.judged
    }

    package func cancel(_ run: RunID) async throws {
        let _: Done = try await post(Routes.cancel(run.text), Done())
    }

    /// Reports that a worker process is gone, so that its tests run elsewhere at once.
    package func workerLost(_ worker: WorkerID) async throws {
        let _: Done = try await post(Routes.lost(worker.text), Done())
    }

    // MARK: one call

    /// Posts a message to a path; `lease` is the lease that the call is about, or `nil`.
    func post<Reply: Decodable>(
        _ path: String,
        of lease: LeaseToken? = nil,
        _ body: some Encodable,
        deadlineSeconds: Double = 60
    ) async throws -> Reply {
        let data = try await send(
            .POST,
            path,
            seal: lease?.seal,
            body: JSONEncoder().encode(body),
            deadlineSeconds: deadlineSeconds
        )
        return try decode(data, path)
    }

    func get<Reply: Decodable>(_ path: String) async throws -> Reply {
        try decode(try await send(.GET, path, body: nil), path)
    }

    private func decode<Reply: Decodable>(_ data: Data, _ path: String) throws -> Reply {
        do {
            return try JSONDecoder().decode(Reply.self, from: data)
        } catch {
            throw APIError.malformed(url: places.current, reason: "its answer has another form")
        }
    }

    private func send(
        _ method: HTTPMethod,
        _ path: String,
        seal: Digest? = nil,
        body: Data?,
        deadlineSeconds: Double = 60
    ) async throws -> Data {
        try await attempting { place in
            var request = request(method, path, at: place)
            if let seal { request.headers.add(name: Routes.sealHeader, value: seal.hex) }
            if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
            let timeout = TimeAmount.milliseconds(Int64(deadlineSeconds * 1000))
            let response = try await execute(request, timeout: timeout)
            let bytes = Data(
                try await response.body.collect(upTo: FarmLimits.pictureBytesMax * 2)
                    .readableBytesView
            )
            if response.status.code < 300 { return .answered(bytes) }
            if response.status.code >= 500 {
                return .failed(response.status, response.headers, bytes)
            }
            throw refusal(response.status, bytes, at: place)
        }
    }

    /// Returns a request of this client without a body, for the coordinator at the URL `place`.
    func request(_ method: HTTPMethod, _ path: String, at place: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: place + Routes.prefix + path)
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: Routes.versionHeader, value: Routes.version)
        if method == .GET { request.headers.add(name: Routes.followsHeader, value: "1") }
        return request
    }

    func refusal(
        _ status: HTTPResponseStatus,
        _ body: Data,
        at place: String
    ) -> APIError {
        guard let error = try? JSONDecoder().decode(ErrorBody.self, from: body) else {
            if status == .unauthorized { return .unauthorized(url: place) }
            return .malformed(url: place, reason: "status \(status.code)")
        }
        return .refused(error.problem, error.exit)
    }

    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}
