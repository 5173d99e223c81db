// Shows a run on GitHub: one sticky comment, found by its marker, and one commit status. Every
// call may come twice; waiting is bounded by GitHubRules.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1

/// Speaks to GitHub's REST API.
package struct GitHubClient: Sendable {
    private let place: GitHubPlace
    private let token: String
    private let http: HTTPClient
    private let now: @Sendable () -> Double
    private let pause: @Sendable (Double) async throws -> Void

    /// Comments of a pull request that are looked through for ours.
    private static let pagesMax = 20
    private static let perPage = 100
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

    /// Puts the comment in place of the one before, or adds it; nothing without a pull request.
    package func put(_ comment: GitHubComment) async throws {
        guard let number = place.pullRequest else { return }
        let body = try JSONEncoder().encode(["body": comment.body])
        if let old = try await find(comment.marker, number) {
            guard old.body != comment.body else { return }
            do {
                let path = "issues/comments/\(old.id)"
                try await send(.PATCH, path, body, as: "the comment")
                return
            } catch GitHubError.refused(_, let status, _) where status == 403 || status == 404 {
                // Somebody else's, or gone: ours is a new one.
            }
        }
        try await send(.POST, "issues/\(number)/comments", body, as: "the comment")
    }

    private struct Comment: Decodable {
        let id: Int64
        let body: String?
    }

    private func find(_ marker: String, _ number: Int) async throws -> Comment? {
        let call = "the list of comments"
        for page in 1...Self.pagesMax {
            let path = "issues/\(number)/comments?per_page=\(Self.perPage)&page=\(page)"
            let bytes = try await send(.GET, path, nil, as: call)
            guard let comments = try? JSONDecoder().decode([Comment].self, from: Data(bytes)) else {
                throw GitHubError.unreadable(call: call)
            }
            if let ours = comments.first(where: { $0.body?.hasPrefix(marker) == true }) {
                return ours
            }
            if comments.count < Self.perPage { return nil }
        }
        return nil
    }

    // MARK: calls

    @discardableResult
    private func send(
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

    private func exchange(
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
    private static func reason(_ answer: GitHubAnswer) -> String {
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
