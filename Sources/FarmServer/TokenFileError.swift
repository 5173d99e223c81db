// Why the tokens of a coordinator cannot be read or changed, each with what to do.
import FarmCore

/// The reason why a coordinator's tokens cannot be read or changed.
package enum TokenFileError: ExplainedError, Hashable {
    case unreadable(String, String)
    /// The tokens in PostgreSQL are damaged; each coordinator's file is a copy of them.
    case sharedUnreadable
    case unwritable(String, String)
    case badName(String)
    case badPerson
    case badPatterns
    case nameTaken(String)
    case unknownName(String, near: String?)
    case tooMany

    package var code: String {
        switch self {
        case .unreadable, .sharedUnreadable: "tokens-unreadable"
        case .unwritable: "tokens-unwritable"
        case .badName, .nameTaken, .unknownName: "token-name"
        case .badPerson: "token-person"
        case .badPatterns: "token-pattern"
        case .tooMany: "tokens-too-many"
        }
    }
    package var message: String {
        switch self {
        case .unreadable(let path, let reason): "the tokens in \(path) cannot be read: \(reason)."
        case .sharedUnreadable:
            "the tokens that all coordinators share in PostgreSQL cannot be read: they are not tokens."
        case .unwritable(let path, let reason): "the tokens in \(path) cannot be kept: \(reason)."
        case .badName(let name): "\(name.prefix(100).debugDescription) is no name for a token."
        case .badPerson: "that is no name of a person."
        case .badPatterns: "these are no patterns of pipelines."
        case .nameTaken(let name): "there is a token \(name) already."
        case .unknownName(let name, _): "there is no token \(name)."
        case .tooMany: "there are \(FarmLimits.tokensMax) tokens already."
        }
    }
    package var remedy: String {
        switch self {
        case .unreadable: "Restore the file, or remove it and make new tokens."
        case .sharedUnreadable:
            "Delete the row `tokens` of this pool from the table farm.document, then restart a "
                + "coordinator: it puts there what tokens.json of its data folder has."
        case .unwritable: "Run this as the user that runs the coordinator; check the disk."
        case .badName: "Use letters, digits, `-`, `_` and `.`."
        case .badPerson:
            "Write one line of at most \(FarmLimits.personBytesMax) bytes without control characters."
        case .badPatterns:
            "Write at most \(FarmLimits.tokenPatternsMax) patterns such as 'pay-*', each one line of "
                + "1 to \(FleetNames.bytesMax) bytes."
        case .nameTaken: "Choose another name, or revoke it first: snapfarm tokens revoke NAME."
        case .unknownName(_, let near):
            near.map { "Did you mean \($0)?" } ?? "List them with `snapfarm tokens list`."
        case .tooMany: "Revoke unused ones."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .unreadable, .sharedUnreadable, .unwritable: .inputOutput
        case .badName, .badPerson, .badPatterns, .nameTaken, .unknownName, .tooMany: .usage
        }
    }
}
