// A file behind a URL, as CI providers keep artifacts: bounded, never a header to a stranger.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

/// Why a file could not be downloaded.
package enum DownloadError: ExplainedError, Hashable {
    case badURL(String)
    case badHeader
    case unreachable(host: String, reason: String)
    case status(Int, host: String)
    case tooManyRedirects(host: String)
    case tooBig(bytesMax: Int)

    package var code: String {
        switch self {
        case .badURL, .badHeader: "download-request"
        case .unreachable: "download-unreachable"
        case .status, .tooManyRedirects: "download-refused"
        case .tooBig: "download-too-big"
        }
    }

    package var message: String {
        switch self {
        case .badURL(let text): "\(text): is not an http or https URL."
        case .badHeader: "SNAPFARM_ARTIFACT_HEADER is not of the form `Name: value`."
        case .unreachable(let host, let reason): "\(host) cannot be reached: \(reason)."
        case .status(let status, let host): "\(host) answered with status \(status)."
        case .tooManyRedirects(let host): "\(host) redirects again and again."
        case .tooBig(let bytesMax): "the file is over \(bytesMax) bytes."
        }
    }

    package var remedy: String {
        switch self {
        case .badURL: "Copy the artifact's address from the CI provider's page."
        case .badHeader: "Set it like `Circle-Token: …` or `Authorization: Bearer …`."
        case .unreachable: "Check the address and the network, then run the command again."
        case .status(401...404, _):
            "If the artifact needs a login, set SNAPFARM_ARTIFACT_HEADER to the header the "
                + "provider asks for, or download it by hand and name the file."
        case .status, .tooManyRedirects, .tooBig:
            "Download the file by hand and name it."
        }
    }

    package var exit: ExitCode {
        switch self {
        case .badURL, .badHeader: .usage
        case .unreachable: .unavailable
        case .status, .tooManyRedirects: .unavailable
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

    /// Downloads to a new file.
    ///
    /// - Throws: ``DownloadError``, or why the file cannot be written.
    package func save(toFileAt path: String) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(20)
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
                throw DownloadError.unreachable(host: host, reason: "\(error)")
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
            return try await write(response.body, toFileAt: path)
        }
        throw DownloadError.tooManyRedirects(host: first.host ?? "")
    }

    private func write(_ body: HTTPClientResponse.Body, toFileAt path: String) async throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var count = 0
        for try await part in body {
            count += part.readableBytes
            guard count <= bytesMax else { throw DownloadError.tooBig(bytesMax: bytesMax) }
            try file.write(contentsOf: Data(part.readableBytesView))
        }
    }

    private static func parsed(_ text: String) throws(DownloadError) -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host?.isEmpty == false
        else { throw .badURL(text) }
        return url
    }
}
