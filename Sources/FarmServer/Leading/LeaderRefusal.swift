// Why a call that only the leader can answer is not answered: 503, and the caller tries again.
import FarmAPI
import FarmCore

enum LeaderRefusal: ExplainedError, StatusedRefusal, Hashable {
    /// This coordinator knows of no leader.
    ///
    /// `obstacle` says why the shared ledger cannot be used, or is `nil` if it can.
    case none(obstacle: String?)
    /// There was no connection to the leader: no part of the call reached it.
    case unreached(url: String, String)
    /// The call was sent to the leader, and its outcome is unknown here.
    case unanswered(url: String)
    /// Another coordinator forwarded the call, and this one does not lead.
    case loop

    /// Whether the cause lasts until a person mends it: no other coordinator can take over by
    /// itself.
    var isLasting: Bool { if case .none(_?) = self { true } else { false } }

    var code: String { Self.code }
    static let code = Routes.noLeaderCode

    var message: String {
        switch self {
        case .none(nil): "\(Routes.noLeaderWords)."
        case .none(let obstacle?):
            "\(Routes.noLeaderWords): the shared ledger cannot be used: \(obstacle)"
        case .unreached(let url, let reason): "the leader \(url) cannot be reached: \(reason)."
        case .unanswered(let url): "the leader \(url) went away before it answered."
        case .loop: "this coordinator was taken for the leader and does not lead."
        }
    }
    var remedy: String {
        switch self {
        case .none(_?):
            "Look whether its database runs and can be reached from the coordinators."
        case .none, .unreached, .loop: "Try again in a moment: another coordinator takes over."
        case .unanswered: "See whether it was done; if not, try again in a moment."
        }
    }
    var exit: ExitCode { .unavailable }
    var status: Int { 503 }
}
