// The meaning of a Git host's answers: done, rate limited, or refused for a reason that a person
// can mend. Pure: clock and headers are arguments.
import FarmCore

/// The parts of a Git host's answer that `HostRules` reads.
package struct HostAnswer: Sendable {
    package var status: Int
    /// The headers by name, in lower case.
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []

    fileprivate func limit(_ name: String) -> String? {
        headers["x-ratelimit-\(name)"] ?? headers["ratelimit-\(name)"]
    }

    fileprivate var isOverLimit: Bool { limit("remaining") == "0" }
}

package enum HostRules {
    /// The most times that one call to a Git host is sent.
    package static let attemptsMax = 4
    /// The limit of all waits of one call, in seconds; a run must not wait long for its comment.
    package static let waitSecondsMax = 120.0

    /// Returns the seconds to wait before a call to a Git host is sent again, or `nil` if it must
    /// not be.
    ///
    /// `attempt` counts from 1; `now` is in seconds since 1970. A 403 is a limit only if its
    /// headers say so. Without a time, the wait is a minute, as GitHub asks. GitLab's headers lack
    /// the `x-`.
    package static func retry(_ answer: HostAnswer, attempt: Int, now: Double) -> Double? {
        guard attempt < attemptsMax else { return nil }
        let wait: Double?
        switch answer.status {
        case 403, 429:
            if let seconds = answer.headers["retry-after"].flatMap(Double.init) {
                wait = seconds
            } else if answer.isOverLimit {
                let reset = answer.limit("reset").flatMap(Double.init)
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

/// The errors of showing a run on a Git host; none changes the run's verdict.
package enum HostError: ExplainedError, Equatable {
    case refused(GitHostKind, call: String, status: Int, reason: String)
    case limited(GitHostKind, call: String)
    case unreachable(GitHostKind, call: String, reason: String)
    case unreadable(GitHostKind, call: String)
    case contended(GitHostKind, tries: Int)
    case full(GitHostKind)

    init(_ kind: GitHostKind, _ answer: HostAnswer, call: String, reason: String) {
        let isLimit =
            answer.status == 429 || answer.isOverLimit || answer.headers["retry-after"] != nil
        if [403, 429].contains(answer.status), isLimit {
            self = .limited(kind, call: call)
        } else {
            self = .refused(kind, call: call, status: answer.status, reason: reason)
        }
    }

    package var code: String {
        switch self {
        case .refused: "host-refused"
        case .limited: "host-limited"
        case .unreachable: "host-unreachable"
        case .unreadable: "host-unreadable"
        case .contended: "host-contended"
        case .full: "host-full"
        }
    }

    package var message: String {
        switch self {
        case .refused(let kind, let call, let status, let reason):
            "\(kind.rawValue) refused \(call) with \(status): \(reason)."
        case .limited(let kind, let call):
            "\(kind.rawValue)'s rate limit does not let \(call) through now."
        case .unreachable(let kind, let call, let reason):
            "\(kind.rawValue) did not answer \(call): \(reason)."
        case .unreadable(let kind, let call):
            "\(kind.rawValue)'s answer to \(call) is not what it documents."
        case .contended(_, let tries):
            "Other jobs wrote over the comment of the pull request; gave up after \(tries) tries."
        case .full: "The comment of the pull request has no room for this run."
        }
    }

    package var remedy: String {
        let kept = "The verdict stands; the report is in `report.md`."
        guard case .refused(let kind, _, let status, _) = self else { return kept }
        let hint =
            switch status {
            case 401: "\(kind.tokenVariable) is wrong or has expired."
            case 403: "The token needs \(kind.rights)."
            case 404: "The token cannot see this repository, or the pull request does not exist."
            case 400, 422: "\(kind.rawValue) found the text or the commit invalid."
            default: "Look at \(kind.statusPage)."
            }
        return "\(hint) \(kept)"
    }
    package var exit: ExitCode { .unavailable }
}
