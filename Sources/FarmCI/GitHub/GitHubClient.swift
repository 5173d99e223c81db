// Speaks to GitHub: statuses of the commit here, the comment in GitHubClient+Comment.swift. Every
// call may come twice; waiting is bounded by GitHubRules.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

/// Speaks to GitHub's REST API.
package struct GitHubClient: Sendable {
    let place: GitHubPlace
    private let token: String
    private let http: HTTPClient
    let now: @Sendable () -> Double
    let pause: @Sendable (Double) async throws -> Void

    /// Pages of comments or statuses that are looked through.
    static let pagesMax = 20
    static let perPage = 100
    /// Times that what several jobs write at once is read back and written again.
    static let roundsMax = 8
    private static let answerBytesMax = 16 << 20

    /// `now` gives seconds since 1970, `pause` waits for so many seconds.
    package init(
        place: GitHubPlace,
        token: String,
        now: @escaping @Sendable () -> Double,
        pause: @escaping @Sendable (Double) async throws -> Void
    ) {
        self.place = place
        self.token = token
        self.now = now
        self.pause = pause
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(10)
        // A redirect would carry the token elsewhere.
        configuration.redirectConfiguration = .disallow
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Gives the connections back; the client cannot be used afterwards.
    package func close() async { try? await http.shutdown() }

    /// Sets the status of the commit.
    package func set(_ status: GitHubStatus) async throws {
        let body = try JSONEncoder().encode(status)
        try await send(.POST, "statuses/\(place.commit)", body, as: "the commit status")
    }

    /// Sets the status of a run and, after a part of its pipeline, that of the whole.
    ///
    /// Parts that end at the same moment do not see each other's status before they set the whole;
    /// so it is read back until it says what the parts say.
    package func show(
        _ summary: RunSummary,
        rejected: RejectedPictures = RejectedPictures()
    ) async throws {
        try await set(GitHubStatus(summary, rejected: rejected, page: place.page))
        guard summary.run.partName != nil else { return }
        for _ in 1...Self.roundsMax {
            let known = try await statuses()
            let whole = GitHubStatus.ofParts(
                of: summary.run.pipeline,
                known: known,
                page: place.page
            )
            let shown = known.first { $0.context == whole.context }
            guard shown?.state != whole.state || shown?.description != whole.description
            else { return }
            try await set(whole)
        }
    }

    /// The newest status of each context of the commit.
    private func statuses() async throws -> [GitHubStatus] {
        struct Combined: Decodable {
            let statuses: [GitHubStatus]
        }
        let call = "the statuses of the commit"
        var all: [GitHubStatus] = []
        for page in 1...Self.pagesMax {
            let path = "commits/\(place.commit)/status?per_page=\(Self.perPage)&page=\(page)"
            let bytes = try await send(.GET, path, nil, as: call)
            guard let found = try? JSONDecoder().decode(Combined.self, from: Data(bytes)) else {
                throw GitHubError.unreadable(call: call)
            }
            all += found.statuses
            if found.statuses.count < Self.perPage { break }
        }
        return all
    }

    // MARK: calls

    @discardableResult
    func send(
        _ method: HTTPMethod,
        _ path: String,
        _ body: Data?,
        as call: String
    ) async throws -> [UInt8] {
        for attempt in 1... {
            let answer = try await exchange(method, path, body, as: call)
            if (200...299).contains(answer.status) { return answer.body }
            guard let wait = GitHubRules.retry(answer, attempt: attempt, now: now()) else {
                throw GitHubError(answer, call: call, reason: Self.reason(answer))
            }
            try await pause(wait)
        }
        throw GitHubError.unreachable(call: call, reason: "it was sent too often")
    }

    func exchange(
        _ method: HTTPMethod,
        _ path: String,
        _ body: Data?,
        as call: String
    ) async throws -> GitHubAnswer {
        var request = HTTPClientRequest(url: "\(place.api)/repos/\(place.repository)/\(path)")
        request.method = method
        request.headers = [
            "Accept": "application/vnd.github+json",
            "Authorization": "Bearer \(token)",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "snapfarm",
        ]
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        do {
            let response = try await http.execute(request, timeout: .seconds(30))
            let bytes = try await response.body.collect(upTo: Self.answerBytesMax)
            let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
            return GitHubAnswer(
                status: Int(response.status.code),
                headers: Dictionary(headers, uniquingKeysWith: { first, _ in first }),
                body: Array(bytes.readableBytesView)
            )
        } catch let error as CancellationError {
            throw error
        } catch {
            throw GitHubError.unreachable(call: call, reason: "\(error)")
        }
    }

    /// GitHub's own word, on one line and bounded.
    static func reason(_ answer: GitHubAnswer) -> String {
        struct Refusal: Decodable {
            let message: String
        }
        guard let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(answer.body)) else {
            return "no reason given"
        }
        let line = refusal.message.unicodeScalars.prefix(300).map { $0.value < 32 ? " " : $0 }
        return String(String.UnicodeScalarView(line))
    }
}
