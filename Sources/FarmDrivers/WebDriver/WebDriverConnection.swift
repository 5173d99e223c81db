// The connection to one chromedriver on the loopback: W3C WebDriver over plain HTTP, and through it
// any command of the DevTools protocol. Every answer is bounded.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

/// An error that chromedriver returned, or the loss of the connection.
struct WebDriverFailure: Error {
    /// WebDriver's name of the error (`invalid session id`), or `connection` if the connection was
    /// lost.
    var kind: String
    var message: String

    /// Whether the browser, not the page, is the cause.
    var meansDeadBrowser: Bool {
        let kinds = ["connection", "invalid session id", "no such window", "session not created"]
        let signs = [
            "disconnected", "not connected to DevTools", "not reachable", "tab crashed",
            "Target closed", "target window already closed", "target closed", "session deleted",
        ]
        return kinds.contains(kind) || signs.contains { message.contains($0) }
    }
}

/// The connection to one chromedriver.
struct WebDriverConnection: Sendable {
    let port: Int
    /// The most bytes of an answer: a picture of the largest size as Base64, and the JSON around
    /// it.
    private static let answerBytesMax = FarmLimits.pictureBytesMax / 3 * 4 + (1 << 20)
    /// The most hours that an answer may take; callers set the limit that counts.
    private static let answerHoursMax: Int64 = 24
    /// An HTTP client like the shared one, but one that does not retry if a driver is gone.
    ///
    /// The client lives as long as the program, so it is never shut down.
    static let client = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(10)
        // ``get(_:accept:seconds:)`` follows redirects itself, and checks their targets.
        configuration.redirectConfiguration = .disallow
        return HTTPClient(
            eventLoopGroup: HTTPClient.defaultEventLoopGroup,
            configuration: configuration
        )
    }()

    private static let redirectsMax = 5

    /// The error of an address, of a page or of a redirect, that cannot be called.
    struct UnusableAddress: Error, CustomStringConvertible {
        let text: String
        var description: String { "\(text.prefix(200)) is no http or https address of a host" }
    }

    /// Gets a page, and follows redirects.
    ///
    /// - Throws: ``UnusableAddress``, and the errors of the HTTP client.
    static func get(
        _ address: String,
        accept: String = "*/*",
        seconds: Int64
    ) async throws -> HTTPClientResponse {
        var place = address
        for _ in 0...redirectsMax {
            guard let url = WebAddress(place)?.url else { throw UnusableAddress(text: place) }
            var request = HTTPClientRequest(url: url.absoluteString)
            request.headers.add(name: "accept", value: accept)
            let answer = try await client.execute(request, timeout: .seconds(seconds))
            guard (300..<400).contains(answer.status.code),
                let location = answer.headers.first(name: "location"),
                let next = URL(string: location, relativeTo: url)
            else { return answer }
            place = next.absoluteString
        }
        throw HTTPClientError.redirectLimitReached
    }

    private struct Answer<Value: Decodable>: Decodable { var value: Value }
    private struct Refusal: Decodable {
        var error: String
        var message: String
    }

    /// Sends a command and decodes the `value` of its answer.
    ///
    /// - Throws: ``WebDriverFailure``; `CancellationError` if the task was cancelled.
    func post<Value: Decodable>(
        _ path: String,
        _ body: JSONValue,
        as type: Value.Type
    ) async throws -> Value {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
        request.body = .bytes(ByteBuffer(bytes: try body.data))
        let (isGood, data) = try await answer(request)
        do {
            if isGood { return try JSONDecoder().decode(Answer<Value>.self, from: data).value }
            let refusal = try JSONDecoder().decode(Answer<Refusal>.self, from: data).value
            throw WebDriverFailure(
                kind: refusal.error,
                message: String(Self.plain(refusal.message).prefix(500))
            )
        } catch let error as DecodingError {
            throw WebDriverFailure(kind: "unexpected answer", message: error.inWords)
        }
    }

    /// Returns chromedriver's message without the details of the browser.
    private static func plain(_ message: String) -> String {
        let lines = message.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let line = lines.filter { !$0.hasPrefix("(Session info") }.prefix(2).joined(separator: " ")
        let sign = "unknown error: "
        return line.hasPrefix(sign) ? String(line.dropFirst(sign.count)) : line
    }

    private func answer(_ request: HTTPClientRequest) async throws -> (Bool, Data) {
        do {
            let response = try await Self.client.execute(
                request,
                timeout: .hours(Self.answerHoursMax)
            )
            let body = try await response.body.collect(upTo: Self.answerBytesMax)
            return (response.status == .ok, Data(body.readableBytesView))
        } catch {
            try Task.checkCancellation()
            throw WebDriverFailure(kind: "connection", message: error.inWords)
        }
    }
}

/// Decodes an answer whose value does not matter.
struct AnyAnswer: Decodable {
    init(from decoder: any Decoder) {}
}
