// What every call passes first (token, errors), and the JSON on both ends of a call.
import FarmAPI
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

typealias FarmContext = BasicRequestContext

/// Refuses a call without the token, and turns every error into an `ErrorBody`.
struct Gate: RouterMiddleware {
    let token: AccessToken
    let logger: Logger

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        guard token.admits(request.headers[.authorization]) else {
            // Without `close` the server would read the whole body to keep the connection.
            return Response(status: .unauthorized, headers: [.connection: "close"])
        }
        do {
            return try await next(request, context)
        } catch let error as any ExplainedError {
            return try refusal(Problem(error), error.exit)
        } catch let error as HTTPError {
            throw error
        } catch is CancellationError {
            // The server is being stopped. Who asks again finds the next one; an empty answer
            // would be read as one.
            return Response(status: .serviceUnavailable)
        } catch {
            logger.error("\(request.method) \(request.uri.path): \(error)")
            let problem = Problem(
                code: "internal",
                message: "the coordinator failed: \(error).",
                remedy: "Look into its log; please report it."
            )
            return try refusal(problem, .internal)
        }
    }

    private func refusal(_ problem: Problem, _ exit: FarmExit) throws -> Response {
        let status: HTTPResponse.Status =
            switch exit {
            case .inputOutput: .insufficientStorage
            case .internal: .internalServerError
            case .busy: .serviceUnavailable
            default: .badRequest
            }
        return try answer(ErrorBody(problem: problem, exit: exit), status: status)
    }
}

extension HTTPResponse.Status {
    /// 507: no space left to store what came.
    static let insufficientStorage = HTTPResponse.Status(
        code: 507,
        reasonPhrase: "Insufficient Storage"
    )
}

/// A JSON answer.
func answer(
    _ value: some Encodable,
    status: HTTPResponse.Status = .ok
) throws -> Response {
    let bytes = try JSONEncoder().encode(value)
    return Response(
        status: status,
        headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    )
}

/// The JSON body of a request, under `FarmLimits.messageBytesMax`.
func body<Value: Decodable>(_ request: Request, as type: Value.Type) async throws -> Value {
    let buffer = try await request.body.collect(upTo: FarmLimits.messageBytesMax)
    do {
        return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
    } catch {
        throw HTTPError(.badRequest, message: "\(error)")
    }
}
