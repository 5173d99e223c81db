// The download of a file by its URL, such as a CI provider's artifact. Its size is limited, and the
// caller's header goes to the URL's own host alone.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

/// The reason why a file could not be downloaded.
package enum DownloadError: ExplainedError, Hashable {
    case badURL(String)
    case badHeader
    case unreachable(host: String, reason: String)
    /// The connection ended in the middle of the file.
    case cutOff(host: String, bytes: Int, reason: String)
    case status(Int, host: String)
    /// The host sent a web page in place of the file.
    case page(host: String)
    case tooManyRedirects(host: String)
    case tooBig(bytesMax: Int)

    package var code: String {
        switch self {
        case .badURL, .badHeader: "download-request"
        case .unreachable: "download-unreachable"
        case .cutOff: "download-cut-off"
        case .status, .page, .tooManyRedirects: "download-refused"
        case .tooBig: "download-too-big"
        }
    }

    package var message: String {
        switch self {
        case .badURL(let text): "\(text) is no http or https address of a host."
        case .badHeader: "SNAPFARM_ARTIFACT_HEADER is not of the form `Name: value`."
        case .unreachable(let host, let reason): "\(host) cannot be reached: \(reason)."
        case .cutOff(let host, let bytes, let reason):
            "the download from \(host) ended after \(bytes) bytes: \(reason)."
        case .status(let status, let host): "\(host) answered with status \(status)."
        case .page(let host):
            "\(host) answered with a page in place of the file, probably one to log in."
        case .tooManyRedirects(let host): "\(host) redirects again and again."
        case .tooBig(let bytesMax): "the file is over \(bytesMax) bytes."
        }
    }

    package var remedy: String {
        switch self {
        case .badURL: "Copy the artifact's address from the CI provider's page."
        case .badHeader: "Set it like `Circle-Token: …` or `Authorization: Bearer …`."
        case .unreachable, .cutOff:
            "Check the address and the network, then run the command again."
        case .status(401...404, _), .page:
            "If the artifact needs a login, set SNAPFARM_ARTIFACT_HEADER to the header the provider "
                + "asks for, such as `Authorization: Bearer …`, or download it by hand and name the "
                + "file."
        case .status, .tooManyRedirects, .tooBig:
            "Download the file by hand and name it."
        }
    }

    package var exit: ExitCode {
        switch self {
        case .badURL, .badHeader: .usage
        case .unreachable, .cutOff: .unavailable
        case .status, .page, .tooManyRedirects: .unavailable
        case .tooBig: .invalidInput
        }
    }
}

/// A download into a file.
package struct FileDownload: Sendable {
    private static let redirectsMax = 5
    private static let secondsMax: Int64 = 600

    private let url: String
    private let bytesMax: Int
    private let header: (name: String, value: String)?

    /// Prepares the download of a file with at most `bytesMax` bytes.
    ///
    /// `header` is one line `Name: value`; only the URL's own host gets it.
    package init(url: String, bytesMax: Int, header line: String?) throws(DownloadError) {
        self.url = url
        self.bytesMax = bytesMax
        guard let line, !line.isEmpty else {
            header = nil
            return
        }
        let parts = line.split(separator: ":", maxSplits: 1)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 2, !parts[0].isEmpty,
            !line.contains(where: { $0.isNewline || $0 == "\0" })
        else { throw .badHeader }
        header = (parts[0], parts[1])
    }

    /// Downloads the file to a new file at `path`.
    ///
    /// - Throws: ``DownloadError``, or an error of writing the file.
    package func save(toFileAt path: String) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(20)
        // With retries the client would call a host that refuses for those 20 seconds.
        configuration.connectionPool.retryConnectionEstablishment = false
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<Void, any Error>
        do {
            result = .success(try await save(toFileAt: path, http))
        } catch {
            result = .failure(error)
        }
        try? await http.shutdown()
        try result.get()
    }

    private func save(toFileAt path: String, _ http: HTTPClient) async throws {
        let first = try Self.parsed(url)
        var place = first
        for _ in 0...Self.redirectsMax {
            var request = HTTPClientRequest(url: place.absoluteString)
            request.headers.add(name: "user-agent", value: "snapfarm")
            let isOwnHost =
                place.host == first.host && place.scheme == first.scheme && place.port == first.port
            if let header, isOwnHost {
                request.headers.add(name: header.name, value: header.value)
            }
            let host = place.host ?? ""
            let response: HTTPClientResponse
            do {
                response = try await http.execute(request, timeout: .seconds(Self.secondsMax))
            } catch  where !(error is CancellationError) {
                throw DownloadError.unreachable(host: host, reason: ConnectionFault(error).words)
            }
            if (300..<400).contains(response.status.code),
                let location = response.headers.first(name: "location"),
                let next = URL(string: location, relativeTo: place)
            {
                place = try Self.parsed(next.absoluteString)
                continue
            }
            guard response.status == .ok else {
                throw DownloadError.status(Int(response.status.code), host: host)
            }
            return try await write(response.body, of: host, toFileAt: path)
        }
        throw DownloadError.tooManyRedirects(host: first.host ?? "")
    }

    private func write(
        _ body: HTTPClientResponse.Body,
        of host: String,
        toFileAt path: String
    ) async throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var count = 0
        var parts = body.makeAsyncIterator()
        func next() async throws -> ByteBuffer? {
            do {
                return try await parts.next()
            } catch  where !(error is CancellationError) {
                let reason = ConnectionFault(error).words
                throw DownloadError.cutOff(host: host, bytes: count, reason: reason)
            }
        }
        while let part = try await next() {
            if count == 0, Self.isMarkup(part.readableBytesView) {
                throw DownloadError.page(host: host)
            }
            count += part.readableBytes
            guard count <= bytesMax else { throw DownloadError.tooBig(bytesMax: bytesMax) }
            try file.write(contentsOf: Data(part.readableBytesView))
        }
    }

    /// Returns whether bytes begin like a web page.
    ///
    /// No archive does so, whichever type the host states.
    private static func isMarkup(_ bytes: ByteBufferView) -> Bool {
        let mark: Set<UInt8> = [0xEF, 0xBB, 0xBF]
        let first = bytes.first { !mark.contains($0) && ![9, 10, 13, 32].contains($0) }
        return first == UInt8(ascii: "<")
    }

    private static func parsed(_ text: String) throws(DownloadError) -> URL {
        guard let address = WebAddress(text) else { throw .badURL(text) }
        return address.url
    }
}
