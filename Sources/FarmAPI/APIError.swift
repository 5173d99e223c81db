// The errors of calls to a coordinator, for people and for the client's retries.
import FarmCore

/// The reason why a call to a coordinator failed.
package enum APIError: ExplainedError {
    /// The coordinator refused the call, with an explained error.
    case refused(Problem, ExitCode)
    case unreachable(url: String, ConnectionFault)
    /// No coordinator answered, or none that answered has a leader.
    case nobodyLeads([AskedCoordinator])
    case unauthorized(url: String)
    case malformed(url: String, reason: String)

    /// Whether the same call may succeed later: no coordinator answers, or its disk is full.
    package var isUnreachable: Bool {
        switch self {
        case .unreachable, .nobodyLeads: true
        case .refused(let problem, _): problem.code == Self.diskFullCode
        case .unauthorized, .malformed: false
        }
    }

    /// Whether the coordinator lacks the lease or run, or a blob that a report names.
    ///
    /// A restored coordinator lacks everything newer than its backup, and one with a new key
    /// accepts no older lease.
    ///
    /// The lease is over then, but the worker goes on.
    package var endsLease: Bool {
        guard case .refused(let problem, _) = self else { return false }
        return ["unknown-lease", "unknown-run", "blob-not-stored"].contains(problem.code)
    }

    /// The code of the refusal while a coordinator's disk is full, whether the ledger's or the
    /// blobs'.
    private static let diskFullCode = "disk-full"

    package var code: String {
        switch self {
        case .refused(let problem, _): problem.code
        case .unreachable: "coordinator-unreachable"
        case .nobodyLeads: Routes.noLeaderCode
        case .unauthorized: "token-refused"
        case .malformed: "answer-malformed"
        }
    }
    package var message: String {
        switch self {
        case .refused(let problem, _): problem.message
        case .unreachable(let url, let fault): fault.message(url)
        case .nobodyLeads(let asked):
            "no coordinator leads now (asked \(asked.count): "
                + asked.map { "\($0.url): \($0.fault.words)" }.joined(separator: ", ") + ")."
        case .unauthorized(let url): "the coordinator \(url) refuses the token."
        case .malformed(let url, let reason):
            "the coordinator \(url) answered what this program cannot read: \(reason)."
        }
    }
    package var remedy: String {
        switch self {
        case .refused(let problem, _): problem.remedy
        case .unreachable(let url, let fault): fault.remedy(url)
        case .nobodyLeads:
            "Check that they run and that --coordinator names them; then see their logs."
        case .unauthorized: "Set SNAPFARM_TOKEN to a token of that coordinator."
        case .malformed:
            "Check that --coordinator names a coordinator; use the same version of snapfarm on both "
                + "sides."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .refused(_, let exit): exit
        case .unreachable(_, let fault): fault.isConfigured ? .configuration : .unavailable
        case .nobodyLeads(let asked):
            asked.allSatisfy(\.fault.isConfigured) ? .configuration : .unavailable
        case .unauthorized: .usage
        case .malformed: .unavailable
        }
    }
}
