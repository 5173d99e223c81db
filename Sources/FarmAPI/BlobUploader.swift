// Blobs in a bucket of S3 instead of at the coordinator. The coordinator names their place, and the
// client sends the bytes there directly. The coordinator's token does not go there: the address
// alone is enough for that host.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The connections to the host that stores a coordinator's blobs.
final class BlobUploader: Sendable {
    fileprivate let http: HTTPClient
    /// Whether uploads request a blob's place first; false once the coordinator has answered that
    /// it stores blobs itself.
    fileprivate let isAsked = Mutex(true)

    /// Makes the connections; they trust the system's authorities beside `authorities`, because any
    /// provider may run a bucket.
    init(authorities: String?, _ patience: RetryPolicy) {
        var configuration = HTTPClient.Configuration()
        if let authorities {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.file(authorities)]
            configuration.tlsConfiguration = tls
        }
        configuration.timeout.connect = .seconds(patience.connectSeconds)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func close() async { try? await http.shutdown() }
}

/// A failed call of the host that stores the blobs; another try may help.
struct ElsewhereFault: Error {
    let host: String
    let reason: String

    init(_ url: String, _ reason: String) {
        host = URL(string: url)?.host ?? "the host"
        self.reason = reason
    }
}

extension CoordinatorClient {
    /// Puts a blob at the place that the coordinator names.
    ///
    /// Returns `true` once the blob's host confirms that it is stored, or `false` if the
    /// coordinator stores blobs itself and must get the bytes.
    func putElsewhere(
        _ digest: Digest,
        bytes: Int,
        _ body: () -> HTTPClientRequest.Body
    ) async throws -> Bool {
        guard elsewhere.isAsked.withLock({ $0 }) else { return false }
        return try await attempting { coordinator in
            // A place for each try, because an address expires after a while.
            var ask = request(.POST, Routes.place(digest.hex), at: coordinator)
            ask.body = .bytes(
                ByteBuffer(bytes: try JSONEncoder().encode(PlaceRequest(bytes: bytes)))
            )
            let said = try await http.execute(ask, timeout: .seconds(60))
            let words = Data(try await Self.text(of: said).utf8)
            if said.status.code >= 500 { return .failed(said.status, said.headers, words) }
            guard said.status.code < 300,
                let reply = try? JSONDecoder().decode(PlaceReply.self, from: words)
            else { throw refusal(said.status, words, at: coordinator) }
            if reply.isThere { return .answered(true) }
            guard let place = reply.elsewhere else {
                elsewhere.isAsked.withLock { $0 = false }
                return .answered(false)
            }
            var call = try Self.call(place.url)
            call.method = .PUT
            for (name, value) in place.headers { call.headers.add(name: name, value: value) }
            call.body = body()
            let answer = try await executeElsewhere(
                call,
                timeout: .seconds(Int64(FarmLimits.blobSeconds))
            )
            let text = try await Self.text(of: answer)
            switch answer.status.code {
            // 412: another client was quicker with the same bytes.
            case 200..<300, 412: return .answered(true)
            default: throw Self.refused(call.url, answer.status, text)
            }
        }
    }

    /// Calls the coordinator, and follows a redirect to the place of a blob.
    func execute(
        _ request: HTTPClientRequest,
        timeout: TimeAmount
    ) async throws -> HTTPClientResponse {
        let answer = try await http.execute(request, timeout: timeout)
        guard answer.status == .temporaryRedirect,
            let place = answer.headers.first(name: "Location")
        else { return answer }
        _ = try await Self.text(of: answer)
        var call = try Self.call(place)
        if let range = request.headers.first(name: "Range") {
            call.headers.add(name: "Range", value: range)
        }
        let found = try await executeElsewhere(call, timeout: timeout)
        switch found.status.code {
        case 200, 206, 416: return found
        default:
            throw Self.refused(call.url, found.status, try await Self.text(of: found))
        }
    }

    private func executeElsewhere(
        _ call: HTTPClientRequest,
        timeout: TimeAmount
    ) async throws -> HTTPClientResponse {
        do {
            return try await elsewhere.http.execute(call, timeout: timeout)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ElsewhereFault(call.url, "does not answer: " + ConnectionFault(error).words)
        }
    }

    private static func call(_ url: String) throws -> HTTPClientRequest {
        guard WebAddress(url) != nil else {
            throw TransferError.elsewhere(
                host: URL(string: url)?.host ?? "",
                reason: "an address that cannot be called"
            )
        }
        return HTTPClientRequest(url: url)
    }

    /// Returns the error of a failed call of the blobs' host: one that allows retries for a fault
    /// that may pass, else a final one.
    private static func refused(
        _ url: String,
        _ status: HTTPResponseStatus,
        _ text: String
    ) -> any Error {
        let code = text.firstMatch(of: /<Code>([A-Za-z0-9]{1,80})<\/Code>/).map { String($0.1) }
        let reason = code ?? "status \(status.code)"
        // 403: the address has expired, or the coordinator's clock is wrong.
        switch (status.code, reason) {
        case (400, "RequestTimeout"), (403, _), (408, _), (409, _), (425, _), (429, _), (500..., _):
            return ElsewhereFault(url, "answers with \(reason)")
        default:
            return TransferError.elsewhere(host: URL(string: url)?.host ?? "", reason: reason)
        }
    }

    private static func text(of answer: HTTPClientResponse) async throws -> String {
        String(buffer: try await answer.body.collect(upTo: FarmLimits.smallMessageBytesMax))
    }
}
