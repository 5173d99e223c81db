// A call that one coordinator forwards to another: any method, path and body, streamed both ways.
// It follows no redirect, so that a caller's token reaches only the named host.
import AsyncHTTPClient
import FarmCore
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A caller's call to be forwarded, without the headers of its connection.
package struct RelayedCall: Sendable {
    package var method: String
    /// The path and query of the call as they came, from the `/` on.
    package var target: String
    package var headers: [(name: String, value: String)]
    /// The body of the call, or `nil` for a call without one.
    package var body: BodyPipe?
    /// The size of the body in bytes, or `nil` if it is known only at the body's end.
    package var bodyBytes: Int?

    package init(
        method: String,
        target: String,
        headers: [(name: String, value: String)],
        body: BodyPipe?,
        bodyBytes: Int?
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.bodyBytes = bodyBytes
    }
}

/// The answer to a forwarded call.
package struct RelayedAnswer: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    private let body: HTTPClientResponse.Body

    fileprivate init(_ response: HTTPClientResponse) {
        status = Int(response.status.code)
        headers = response.headers.map { (name: $0.name, value: $0.value) }
        body = response.body
    }

    /// Returns the whole body, of at most `max` bytes.
    package func bytes(max: Int) async throws -> ByteBuffer { try await body.collect(upTo: max) }

    /// Passes each piece of the body to `take` as it comes; may be called only once.
    package func forEachPiece(_ take: (ByteBuffer) async throws -> Void) async throws {
        for try await piece in body { try await take(piece) }
    }
}

/// The reason why a call could not be forwarded.
package enum RelayFault: Error, Hashable {
    /// There was no connection: no part of the call has arrived.
    case unreached(ConnectionFault)
    /// The call was sent, in part or as a whole, and there is no answer: its effect is unknown.
    case unanswered(ConnectionFault)
    /// No HTTP request can express the call.
    case malformed
}

/// Forwards calls, over connections of its own.
package final class CallRelay: Sendable {
    private enum State {
        case idle
        case open(HTTPClient)
        case closed
    }

    private let authorities: String?
    private let state = Mutex(State.idle)

    /// Makes a relay; `authorities` is a PEM file of the certificates to trust instead of the
    /// system's.
    package init(authorities: String?) { self.authorities = authorities }

    /// Closes the relay's connections; later calls fail.
    package func close() async {
        let open = state.withLock { state -> HTTPClient? in
            defer { state = .closed }
            if case .open(let http) = state { return http }
            return nil
        }
        try? await open?.shutdown()
    }

    /// Sends a call to the coordinator at `url`, which has no path, and returns the answer.
    ///
    /// - Throws: ``RelayFault``, `CancellationError`.
    package func send(
        _ call: RelayedCall,
        to url: String,
        answerSeconds: Double
    ) async throws -> RelayedAnswer {
        guard call.target.hasPrefix("/"), let http = client() else {
            throw RelayFault.malformed
        }
        var request = HTTPClientRequest(url: url + call.target)
        request.method = HTTPMethod(rawValue: call.method)
        for (name, value) in call.headers { request.headers.add(name: name, value: value) }
        if let body = call.body {
            request.body = .stream(
                body,
                length: call.bodyBytes.map { .known(Int64($0)) } ?? .unknown
            )
        }
        do {
            let limit = TimeAmount.milliseconds(Int64(answerSeconds * 1000))
            return RelayedAnswer(try await http.execute(request, timeout: limit))
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as NIOConnectionError {
            throw RelayFault.unreached(ConnectionFault(error))
        } catch let error as HTTPClientError {
            throw Self.fault(error)
        } catch {
            throw RelayFault.unanswered(ConnectionFault(error))
        }
    }

    private static func fault(_ error: HTTPClientError) -> any Error {
        switch error {
        case .cancelled: CancellationError()
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            RelayFault.unreached(ConnectionFault(error))
        case .invalidURL, .emptyHost, .bodyLengthMismatch, .traceRequestWithBody:
            RelayFault.malformed
        default:
            // These errors have values, and the library's type offers no pattern for them.
            error.shortDescription.hasPrefix("Invalid header field")
                ? RelayFault.malformed : RelayFault.unanswered(ConnectionFault(error))
        }
    }

    /// Returns the HTTP client, or `nil` once the relay is closed.
    private func client() -> HTTPClient? {
        state.withLock { state in
            switch state {
            case .closed: return nil
            case .open(let http): return http
            case .idle:
                let http = HTTPClient(
                    eventLoopGroupProvider: .singleton,
                    configuration: Self.configuration(authorities)
                )
                state = .open(http)
                return http
            }
        }
    }

    private static func configuration(_ authorities: String?) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        if let authorities {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authorities)
            configuration.tlsConfiguration = tls
        }
        // Each waiting call of each worker has a connection.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            FarmLimits.connectionsMax
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(Int64(FarmLimits.leaderConnectSeconds))
        configuration.timeout.read = .seconds(Int64(FarmLimits.leaderAnswerSeconds))
        configuration.redirectConfiguration = .disallow
        return configuration
    }
}
