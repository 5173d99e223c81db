// The coordinators that a command calls: their URLs, the token and other settings from options and
// environment.
import FarmAPI
import FarmCore
import Foundation

/// The coordinators of one ledger that a command calls, with the caller's token.
package struct RemoteCoordinator: Sendable {
    /// The coordinator's URL, or several URLs separated by commas.
    let url: String
    let token: String
    /// The PEM file of the certificates that are trusted instead of the system's, or `nil`.
    let authorities: String?
    /// The run's key from the command line, or `nil` if none is given.
    package var key: String?
    /// The run's priority, or `nil` for the usual one.
    package var priority: Int?
    /// The seconds for which a run waits to be handed in while its team's quota has no room.
    package var quotaWaitSeconds = Double(FarmLimits.quotaWaitMinutes) * 60
    /// The agent that decides about pictures, or `nil` if a person does.
    package var agent: String?
    /// Whether this machine runs workers for the coordinator during the run.
    package var joins = false

    /// Reads URLs, token and certificates.
    ///
    /// - Throws: ``RemoteCoordinatorError`` for an invalid URL, a missing token or a file without
    ///   certificates.
    package init(url: String, environment: [String: String]) throws {
        let urls = CoordinatorPlaces.urls(in: url)
        guard urls.count <= FarmLimits.coordinatorsMax else {
            throw RemoteCoordinatorError.tooMany(urls.count)
        }
        for url in urls where !Self.isUsable(url) { throw RemoteCoordinatorError.badURL(url) }
        guard let token = environment["SNAPFARM_TOKEN"], !token.isEmpty else {
            throw RemoteCoordinatorError.noToken
        }
        self.url = urls.joined(separator: ",")
        self.token = token
        authorities = environment["SNAPFARM_CA"].flatMap { $0.isEmpty ? nil : $0 }
        if let authorities, !CoordinatorClient.holdsAuthorities(authorities) {
            throw RemoteCoordinatorError.noAuthorities(authorities)
        }
    }

    private static func isUsable(_ url: String) -> Bool {
        guard let parsed = WebAddress(url)?.url else { return false }
        return ["", "/"].contains(parsed.path) && parsed.query == nil && parsed.user == nil
    }

    func client(patience: RetryPolicy = .usual) -> CoordinatorClient {
        CoordinatorClient(url: url, token: token, patience: patience, authorities: authorities)
    }

    /// Calls `body` with a client of the coordinator that is closed afterwards, and returns its
    /// result.
    package func asked<Value: Sendable>(
        patience: RetryPolicy = .usual,
        _ body: (CoordinatorClient) async throws -> Value
    ) async throws -> Value {
        let client = client(patience: patience)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await client.close()
        return try result.get()
    }
}

/// The errors of choosing a coordinator.
package enum RemoteCoordinatorError: ExplainedError {
    case badURL(String)
    case tooMany(Int)
    case noURL
    case noToken
    case noAuthorities(String)

    package var code: String {
        switch self {
        case .badURL, .tooMany, .noURL: "coordinator-url"
        case .noToken: "token-missing"
        case .noAuthorities: "authorities-unreadable"
        }
    }
    package var message: String {
        switch self {
        case .badURL(let url): "\(url.prefix(200)) is not the URL of a coordinator."
        case .tooMany(let count):
            "\(count) coordinators are named, of at most \(FarmLimits.coordinatorsMax)."
        case .noURL: "no coordinator is named."
        case .noToken: "SNAPFARM_TOKEN is not set."
        case .noAuthorities(let path): "the file \(path) of SNAPFARM_CA holds no certificate."
        }
    }
    package var remedy: String {
        switch self {
        case .badURL, .noURL:
            "Name it with --coordinator https://HOST:PORT, or several with commas between them."
        case .tooMany: "Name fewer: any of them leads to the others."
        case .noToken:
            "Make one on the coordinator's machine: snapfarm tokens create NAME --scope SCOPE."
        case .noAuthorities: "Name a PEM file of certificates."
        }
    }
    package var exit: ExitCode { .usage }
}
