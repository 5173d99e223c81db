// Sends calls on to the leader. It holds only one piece of a call's body in memory and never
// retries: only the caller knows whether a call may be repeated.
//
// Invariants
//   - A call goes to the leader of this ledger and to no other host, whatever its path and headers
//     say.
//   - Headers of one connection (RFC 9110 §7.6.1) stay on it.
import FarmAPI
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Forwards calls to the leader.
struct LeaderProxy: Service {
    let leadership: any Leadership
    let relay: CallRelay
    let sealer: SessionSealer
    /// Whether this process serves its callers over TLS.
    let speaksTLS: Bool
    let reading: RequestReading

    init(_ leadership: any Leadership, _ sealer: LeaseSealer, _ options: ServerOptions) {
        self.leadership = leadership
        relay = CallRelay(authorities: options.authorities)
        self.sealer = sealer.sessions
        speaksTLS = options.speaksTLS
        reading = RequestReading(bodySeconds: options.bodySeconds)
    }

    /// Closes the connections to the leader when the server has ended.
    func run() async {
        try? await gracefulShutdown()
        await relay.close()
    }

    /// The names of headers that are about one connection and are not forwarded; `Host`,
    /// `Content-Length` and `Expect` are made anew.
    private static let ownHeaders: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
        "te", "trailer", "transfer-encoding", "upgrade", "http2-settings", "host", "content-length",
        "expect",
    ]

    // MARK: sending

    /// Forwards a call to the leader and returns the leader's answer.
    ///
    /// `isForm`: the call was checked to come from our own page.
    func send(
        _ request: Request,
        _ context: FarmContext,
        to leader: Leader,
        isForm: Bool = false
    ) async throws -> Response {
        guard case .other(let text) = leader, let url = Self.base(text) else {
            throw LeaderRefusal.none(obstacle: leadership.obstacle)
        }
        let bytes = try bodyBytes(request, context)
        let pipe = bytes == 0 ? nil : BodyPipe()
        let call = RelayedCall(
            method: request.method.rawValue,
            target: request.uri.path + (request.uri.query.map { "?" + $0 } ?? ""),
            headers: headers(request, context, url, isForm: isForm),
            body: pipe,
            bodyBytes: bytes
        )
        do {
            // A stopping coordinator does not wait: the caller tries again at the next one.
            return try await cancelWhenGracefulShutdown {
                try await exchange(call, request, context, leader, url)
            }
        } catch let fault as RelayFault {
            throw Self.refusal(fault, url)
        }
    }

    private static func refusal(_ fault: RelayFault, _ url: String) -> any ExplainedError {
        switch fault {
        case .unreached(let fault): LeaderRefusal.unreached(url: url, fault.words)
        case .unanswered: LeaderRefusal.unanswered(url: url)
        case .malformed: RequestRefusal.malformed("it cannot be sent on")
        }
    }

    /// Returns `text` without a slash at its end, or `nil` if it is no URL, or one with path, query
    /// or user.
    private static func base(_ text: String) -> String? {
        guard let url = WebAddress(text)?.url, ["", "/"].contains(url.path), url.query == nil,
            url.fragment == nil, url.user == nil
        else { return nil }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private func headers(
        _ request: Request,
        _ context: FarmContext,
        _ url: String,
        isForm: Bool
    ) -> [(name: String, value: String)] {
        var dropped = Self.ownHeaders.union(Self.named(in: request.headers[values: .connection]))
        dropped.insert(Routes.proxiedHeader.lowercased())
        // The origin was checked against the name that the browser knows. The leader has another
        // name.
        if isForm { dropped.insert("origin") }
        var kept = request.headers.filter { !dropped.contains($0.name.canonicalName) }
            .map { (name: $0.name.rawName, value: $0.value) }
        if isForm, request.headers[.origin] != nil { kept.append((name: "Origin", value: url)) }
        let caller = ProxiedCaller.sealed(context, speaksTLS: speaksTLS, by: sealer)
        kept.append((name: Routes.proxiedHeader, value: caller))
        return kept
    }

    /// Returns the names of the headers that the `Connection` headers list, in lower case.
    private static func named(in values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    // MARK: the body

    /// Returns the length of a call's body in bytes, or `nil` if only the body's end shows it.
    private func bodyBytes(_ request: Request, _ context: FarmContext) throws -> Int? {
        try reading.checkLength(request, bytesMax(request, context))
        if let length = request.headers[.contentLength] {
            guard let bytes = Int(length), bytes >= 0 else {
                throw RequestRefusal.malformed("its length is no number")
            }
            return bytes
        }
        return request.headers[.transferEncoding] == nil ? 0 : nil
    }

    /// Returns the most bytes that the leader accepts as a body of this method and caller.
    ///
    /// The leader checks the exact limit of the call's path.
    private func bytesMax(_ request: Request, _ context: FarmContext) -> Int {
        guard request.method == .put else { return FarmLimits.messageBytesMax }
        return context.grant.allows([.submit])
            ? FarmLimits.bundleBytesMax : FarmLimits.blobBytesMax
    }

    private func pump(
        _ request: Request,
        _ context: FarmContext,
        into pipe: BodyPipe
    ) async throws {
        let bytesMax = bytesMax(request, context)
        var bytes = 0
        do {
            try await reading.forEachPiece(
                of: request,
                seconds: request.method == .put ? FarmLimits.blobSeconds : reading.bodySeconds
            ) { piece in
                bytes += piece.readableBytes
                guard bytes <= bytesMax else {
                    throw RequestRefusal.tooLarge(bytesMax: bytesMax)
                }
                await pipe.write(piece)
            }
        } catch {
            pipe.cut()
            throw error
        }
        pipe.finish()
    }

    // MARK: one exchange

    private enum Part: Sendable {
        case sent
        case answered(RelayedAnswer)
        /// The leader has answered, and the caller did not end its body in the time after that.
        case waitedLong
    }

    private func exchange(
        _ call: RelayedCall,
        _ request: Request,
        _ context: FarmContext,
        _ leader: Leader,
        _ url: String
    ) async throws -> Response {
        try await withThrowingTaskGroup(of: Part.self) { group in
            var isSent = call.body == nil
            if let pipe = call.body {
                group.addTask {
                    try await pump(request, context, into: pipe)
                    return .sent
                }
            }
            group.addTask {
                do {
                    let seconds = max(
                        FarmLimits.leaderAnswerSeconds,
                        request.method == .put ? FarmLimits.blobSeconds : 0
                    )
                    return .answered(
                        try await relay.send(call, to: url, answerSeconds: seconds)
                    )
                } catch {
                    call.body?.cut()
                    throw error
                }
            }
            group.addTask {
                // A leader that was replaced may hang for ever.
                while leadership.leader == leader {
                    try await Task.sleep(for: .seconds(FarmLimits.leaderLookSeconds))
                }
                throw LeaderRefusal.unanswered(url: url)
            }
            defer { group.cancelAll() }
            var response: Response?
            while let part = try await group.next() {
                switch part {
                case .sent: isSent = true
                case .answered(let answer):
                    response = try await self.response(answer, call, request)
                    if isSent { break }
                    group.addTask {
                        try await Task.sleep(for: .seconds(FarmLimits.drainSeconds))
                        return .waitedLong
                    }
                case .waitedLong:
                    isSent = true
                    response?.headers[.connection] = "close"
                }
                if isSent, let response { return response }
            }
            throw CancellationError()
        }
    }

    private func response(
        _ answer: RelayedAnswer,
        _ call: RelayedCall,
        _ request: Request
    ) async throws -> Response {
        var headers = HTTPFields()
        let own = Self.ownHeaders.union(
            Self.named(
                in: answer.headers.filter { $0.name.lowercased() == "connection" }.map(\.value)
            )
        )
        for (text, value) in answer.headers where !own.contains(text.lowercased()) {
            guard let name = HTTPField.Name(text) else { continue }
            headers.append(HTTPField(name: name, value: value))
        }
        let status = HTTPResponse.Status(code: answer.status)
        if let pipe = call.body, !pipe.hasEnded {
            // The leader answered before all was sent: it refuses the call, or has the blob
            // already. It may read no more, so the rest of the body is discarded.
            let bytes = try await answer.bytes(max: FarmLimits.earlyAnswerBytesMax)
            pipe.cut()
            return Response(status: status, headers: headers, body: .init(byteBuffer: bytes))
        }
        // A body would be read as the answer to the next call.
        if request.method == .head {
            return Response(status: status, headers: headers, body: ResponseBody())
        }
        let length = answer.headers.first { $0.name.lowercased() == "content-length" }
        return Response(
            status: status,
            headers: headers,
            body: ResponseBody(contentLength: length.flatMap { Int($0.value) }) { writer in
                try await answer.forEachPiece { try await writer.write($0) }
                try await writer.finish(nil)
            }
        )
    }
}
