// The outermost layer: every error becomes a status with an explained body, every answer is
// counted, and refusals are logged under a limit.
import FarmAPI
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

struct ErrorMiddleware: RouterMiddleware {
    let metrics: ServerMetrics
    let logger: Logger
    let budget: LogBudget
    /// Called with each error of the coordinator itself that a caller sees.
    var failed: @Sendable (any ExplainedError) -> Void = { _ in }

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        metrics.began()
        let response = try await answered(request, context, next)
        metrics.ended(status: Int(response.status.code))
        return response
    }

    private func answered(
        _ request: Request,
        _ context: FarmContext,
        _ next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any ExplainedError {
            return try refusal(error, request)
        } catch is NIOTooManyBytesError {
            return try refusal(
                RequestRefusal.tooLarge(bytesMax: FarmLimits.messageBytesMax),
                request
            )
        } catch is CancellationError {
            // The server is stopping. A client that tries again finds the next server. It would
            // take an empty answer for a real one.
            return Response(
                status: .serviceUnavailable,
                headers: [.retryAfter: RetryHint.seconds]
            )
        } catch let error as HTTPError {
            return try refusal(refused(error, request), request)
        } catch {
            let problem = InternalError(reason: error.inWords)
            logger.error("call failed", metadata: facts(request, "\(error)"))
            return try refusal(problem, request)
        }
    }

    private func refused(_ error: HTTPError, _ request: Request) -> RequestRefusal {
        if error.status == .notFound {
            return .notFound("call \(request.method.rawValue) \(request.uri.path.prefix(100))")
        }
        return .library(status: error.status.code, error.body ?? error.status.reasonPhrase)
    }

    private func refusal(_ error: any ExplainedError, _ request: Request) throws -> Response {
        let status = RefusalStatus.of(error)
        if status.code >= 500 { failed(error) }
        if status.code != 404, budget.take() {
            // The leader's address, which did not answer, is only in the message.
            let reason = error is LeaderRefusal ? "\(error.code): \(error.message)" : error.code
            logger.notice("call refused", metadata: facts(request, reason))
        }
        var response = try answer(
            ErrorBody(problem: Problem(error), exit: error.exit),
            status: status
        )
        // A body would be read as the answer to the client's next call.
        if request.method == .head { response.body = ResponseBody() }
        if status == .serviceUnavailable { response.headers[.retryAfter] = RetryHint.seconds }
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        // Closes the connection: the rest of a refused body is not worth reading to keep it.
        if request.method != .get, request.method != .head {
            response.headers[.connection] = "close"
        }
        return response
    }

    private func facts(_ request: Request, _ reason: String) -> Logger.Metadata {
        [
            "call": "\(request.method.rawValue) \(request.uri.path.prefix(200))",
            "reason": "\(reason)",
        ]
    }
}

/// The `Retry-After` header of a refusal whose cause is over in a moment.
enum RetryHint {
    /// The header's value, in seconds.
    static let seconds = "1"
}

/// An unexpected error of the coordinator itself.
private struct InternalError: ExplainedError {
    let reason: String
    var code: String { "internal" }
    var message: String { "the coordinator failed: \(reason)." }
    var remedy: String { "Look into its log; please report it." }
    var exit: ExitCode { .internal }
}

/// Limits the number of log lines about refused calls per minute, for floods of bad calls.
final class LogBudget: Sendable {
    private let state = Mutex<(minute: Int64, count: Int)>((0, 0))
    private let countMax: Int

    init(perMinute: Int) { countMax = perMinute }

    func take() -> Bool {
        let minute = Int64(Date().timeIntervalSince1970 / 60)
        return state.withLock { state in
            if state.minute != minute { state = (minute, 0) }
            state.count += 1
            return state.count <= countMax
        }
    }
}

/// Returns an answer with a JSON body.
func answer(
    _ value: some Encodable,
    status: HTTPResponse.Status = .ok
) throws -> Response {
    Response(
        status: status,
        headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(value)))
    )
}
