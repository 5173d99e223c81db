// What an answer of GitHub means: done, asked too fast, or refused for a reason that a person can
// do something about. Pure: clock and headers come in as arguments.
import FarmCore

/// An answer as far as the rules look.
package struct GitHubAnswer: Sendable {
    package var status: Int
    /// Names in lower case.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

package enum GitHubRules {
    /// Times one call is sent.
    package static let attemptsMax = 4
    /// Seconds that one call waits in all; a verdict that waits for a comment helps nobody.
    package static let waitSecondsMax = 120.0

    /// Seconds to wait before the call is sent again; nil when it is not to be.
    ///
    /// `attempt` counts from 1; `now` is in seconds since 1970. 429 and 403 are limits only where
    /// their headers say so; without a time, GitHub asks for at least a minute.
    package static func retry(_ answer: GitHubAnswer, attempt: Int, now: Double) -> Double? {
        guard attempt < attemptsMax else { return nil }
        let wait: Double?
        switch answer.status {
        case 403, 429:
            if let seconds = answer.headers["retry-after"].flatMap(Double.init) {
                wait = seconds
            } else if answer.headers["x-ratelimit-remaining"] == "0" {
                let reset = answer.headers["x-ratelimit-reset"].flatMap(Double.init)
                wait = reset.map { max(0, $0 - now) } ?? 60
            } else {
                wait = answer.status == 429 ? 60 : nil
            }
        case 500...599: wait = Double(1 << (attempt - 1))
        default: wait = nil
        }
        guard let wait, wait.isFinite, wait >= 0, wait <= waitSecondsMax else { return nil }
        return wait
    }
}

/// Why a run cannot be shown on GitHub; the verdict stands all the same.
package enum GitHubError: ExplainedError, Equatable {
    case refused(call: String, status: Int, reason: String)
    case limited(call: String)
    case unreachable(call: String, reason: String)
    case unreadable(call: String)
    case contended(tries: Int)
    case full

    init(_ answer: GitHubAnswer, call: String, reason: String) {
        let isLimit =
            answer.status == 429 || answer.headers["x-ratelimit-remaining"] == "0"
            || answer.headers["retry-after"] != nil
        if [403, 429].contains(answer.status), isLimit {
            self = .limited(call: call)
        } else {
            self = .refused(call: call, status: answer.status, reason: reason)
        }
    }

    package var code: String {
        switch self {
        case .refused: "github-refused"
        case .limited: "github-limited"
        case .unreachable: "github-unreachable"
        case .unreadable: "github-unreadable"
        case .contended: "github-contended"
        case .full: "github-full"
        }
    }

    package var message: String {
        switch self {
        case .refused(let call, let status, let reason):
            "GitHub refused \(call) with \(status): \(reason)."
        case .limited(let call): "GitHub's rate limit does not let \(call) through now."
        case .unreachable(let call, let reason): "GitHub did not answer \(call): \(reason)."
        case .unreadable(let call): "GitHub's answer to \(call) is not what it documents."
        case .contended(let tries):
            "Other jobs wrote over the comment of the pull request; gave up after \(tries) tries."
        case .full: "The comment of the pull request has no room for this run."
        }
    }

    package var remedy: String {
        let kept = "The verdict stands; the report is in `report.md`."
        guard case .refused(_, let status, _) = self else { return kept }
        let hint =
            switch status {
            case 401: "SNAPFARM_GITHUB_TOKEN is wrong or has expired."
            case 403:
                "The token needs the permissions `pull-requests: write` and `statuses: write`."
            case 404: "The token cannot see this repository, or the pull request does not exist."
            case 422: "GitHub found the text or the commit invalid."
            default: "Look at githubstatus.com."
            }
        return "\(hint) \(kept)"
    }
    package var exit: ExitCode { .unavailable }
}
