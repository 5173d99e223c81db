// Reads the bodies of requests, under limits of size and time. The connection's own limit cuts off
// a silent client. A slow client is refused at its first piece after the deadline.
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the bodies of requests, under limits of size and time.
struct RequestReading: Sendable {
    /// The most seconds that a JSON body may take to arrive.
    let bodySeconds: Double

    /// Reads and decodes the JSON body of a request.
    func body<Value: Decodable>(
        _ request: Request,
        as type: Value.Type,
        bytesMax: Int = FarmLimits.smallMessageBytesMax
    ) async throws -> Value {
        let bytes = try await bytes(request, bytesMax: bytesMax)
        do {
            return try JSONDecoder().decode(type, from: Data(bytes.readableBytesView))
        } catch {
            throw RequestRefusal.malformed(Self.words(error))
        }
    }

    /// Returns the whole body of a request, of at most `bytesMax` bytes.
    func bytes(_ request: Request, bytesMax: Int) async throws -> ByteBuffer {
        try checkLength(request, bytesMax)
        var bytes = ByteBuffer()
        try await forEachPiece(of: request, seconds: bodySeconds) { piece in
            guard piece.readableBytes <= bytesMax - bytes.readableBytes else {
                throw RequestRefusal.tooLarge(bytesMax: bytesMax)
            }
            var piece = piece
            bytes.writeBuffer(&piece)
        }
        return bytes
    }

    /// Checks the announced length of a request's body, before any of the body is read.
    ///
    /// - Throws: `RequestRefusal.tooLarge` above `bytesMax`.
    func checkLength(_ request: Request, _ bytesMax: Int) throws {
        guard let length = request.headers[.contentLength].flatMap({ Int($0) }) else { return }
        guard length <= bytesMax else { throw RequestRefusal.tooLarge(bytesMax: bytesMax) }
    }

    func forEachPiece(
        of request: Request,
        seconds: Double,
        _ take: (ByteBuffer) async throws -> Void
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var pieces = request.body.makeAsyncIterator()
        while let piece = try await next(&pieces) {
            guard ContinuousClock.now < deadline else {
                throw RequestRefusal.tooSlow(seconds: seconds)
            }
            try await take(piece)
        }
    }

    private func next(
        _ pieces: inout RequestBody.AsyncIterator
    ) async throws -> ByteBuffer? {
        do {
            return try await pieces.next()
        } catch let error as CancellationError {
            throw error
        } catch let error as NIOTooManyBytesError {
            throw error
        } catch {
            // The connection ended, or the bytes are not HTTP: the caller's fault in both cases.
            throw RequestRefusal.cutOff
        }
    }

    /// Returns one line that names the JSON field that does not fit, without the caller's bytes.
    private static func words(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it cannot be read" }
        let context: DecodingError.Context? =
            switch error {
            case .dataCorrupted(let context), .keyNotFound(_, let context),
                .typeMismatch(_, let context), .valueNotFound(_, let context):
                context
            @unknown default: nil
            }
        let path = context?.codingPath.map(\.stringValue).joined(separator: ".") ?? ""
        if case .keyNotFound(let key, _) = error {
            return "it has no \(path.isEmpty ? "" : path + ".")\(key.stringValue)"
        }
        return path.isEmpty ? "it is not JSON of that kind" : "\(path.prefix(200)) does not fit"
    }
}

extension FarmContext {
    /// Returns a parameter of the path, with its percent escapes decoded.
    ///
    /// - Throws: `RequestRefusal.badName` for a text that is no usable name.
    func name(_ parameter: String) throws -> String {
        let escaped: String = try parameters.require(parameter)
        let hasEscapes = escaped.utf8.contains(UInt8(ascii: "%"))
        let name = hasEscapes ? escaped.removingPercentEncoding ?? escaped : escaped
        guard FleetNames.isUsable(name) else { throw RequestRefusal.badName(parameter) }
        return name
    }
}
