// The errors of an agent's calls.
import FarmCore

/// The reason why an agent's call does nothing.
package enum AgentRefusal: ExplainedError, Hashable {
    /// An argument is missing or of the wrong kind.
    case argument(String, wanted: String)
    /// The server was started without `--allow-approve`; `command` is for a person.
    case approval(command: String)
    /// The server was started without `--allow-run`.
    case run(command: String)
    /// All of these pictures are accepted.
    case accepted(String)
    /// An earlier `run` of the session has not ended.
    case running
    /// The store of the run's pipeline is not here.
    case noHistory(String)
    case noResource(String)

    package var code: String {
        switch self {
        case .argument: "agent-argument"
        case .approval: "agent-may-not-approve"
        case .run: "agent-may-not-run"
        case .accepted: "agent-accepted"
        case .running: "agent-running"
        case .noHistory: "agent-no-history"
        case .noResource: "agent-no-resource"
        }
    }
    package var message: String {
        switch self {
        case .argument(let name, let wanted): "the argument \(name) must be \(wanted)."
        case .approval: "accepting pictures is for people: this server may not do it."
        case .run: "starting a run needs a person's consent: this server may not do it."
        case .accepted(let name): "all pictures of \(name) are accepted already."
        case .running: "a run that this session started has not ended."
        case .noHistory(let name): "nothing is known here about a reference of \(name)."
        case .noResource(let address):
            "there is no resource \(address.prefix(200).debugDescription)."
        }
    }
    package var remedy: String {
        switch self {
        case .argument: "See the tool's schema."
        case .approval(let command):
            "Ask a person to look, and to run: \(command). Who starts `snapfarm mcp` may add --allow-approve."
        case .run(let command):
            "Ask a person to run: \(command). Who starts `snapfarm mcp` may add --allow-run."
        case .accepted: "Ask the person who did it, or comment."
        case .running: "Wait for its answer."
        case .noHistory:
            "The store of the run's pipeline must be on this machine, and the picture have a reference."
        case .noResource: "See resources/list and resources/templates/list."
        }
    }
    package var exit: ExitCode { .usage }
}
