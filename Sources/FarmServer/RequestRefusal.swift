// Why a call is refused, and with which status. Every refusal has an explained body.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import HTTPTypes

/// The reason why a call is refused, whatever the state of the coordinator.
enum RequestRefusal: ExplainedError, Hashable {
    case malformed(String)
    case tooLarge(bytesMax: Int)
    case tooSlow(seconds: Double)
    case cutOff
    case badName(String)
    case notFound(String)
    case badRange
    case version(String?)
    case notYours(String)
    /// An error that the HTTP library raises by itself.
    case library(status: Int, String)

    var code: String {
        switch self {
        case .malformed: "request-malformed"
        case .tooLarge: "request-too-large"
        case .tooSlow: "request-too-slow"
        case .cutOff: "request-cut-off"
        case .badName: "request-name"
        case .notFound: "not-found"
        case .badRange: "range-not-satisfiable"
        case .version: "version-mismatch"
        case .notYours: "not-yours"
        case .library: "request-refused"
        }
    }
    var message: String {
        switch self {
        case .malformed(let reason): "the request's body is not what this call takes: \(reason)."
        case .tooLarge(let bytesMax): "the request's body is over \(bytesMax.grouped) bytes."
        case .tooSlow(let seconds): "the request's body took longer than \(Int(seconds)) seconds."
        case .cutOff: "the request's body broke off."
        case .badName(let what): "\(what) is not one line of 1 to \(FleetNames.bytesMax) bytes."
        case .notFound(let what): "there is no \(what)."
        case .badRange: "the range lies beyond the end."
        case .version(let version?):
            "the caller speaks version \(version.prefix(20)) of the protocol; this coordinator "
                + "speaks \(Self.served)."
        case .version(nil):
            "the caller does not say which version of the protocol it speaks; this coordinator "
                + "speaks \(Self.served)."
        case .notYours(let what): "a worker may not read \(what)."
        case .library(_, let reason): "the request was refused: \(reason)."
        }
    }
    private static let served = Routes.versionsServed.joined(separator: " and ")

    var remedy: String {
        switch self {
        case .malformed, .badName, .library: "Call the coordinator with its own snapfarm."
        case .tooLarge: "Send less at once."
        case .tooSlow, .cutOff: "Check the network between the machines, then try again."
        case .notFound: "Check the address; docs/fleet.md lists the calls."
        case .badRange: "Ask for the size first."
        case .version:
            "Upgrade the older of the two; a coordinator serves callers of its own version of the "
                + "protocol and of the one before, so it comes first."
        case .notYours: "Use a token with the scope read or submit."
        }
    }
    var exit: ExitCode {
        switch self {
        case .version: .configuration
        case .tooSlow: .busy
        default: .usage
        }
    }
    var status: Int {
        switch self {
        case .malformed, .badName, .cutOff: 400
        case .tooLarge: 413
        case .tooSlow: 408
        case .notFound: 404
        case .badRange: 416
        case .version: 426
        case .notYours: 403
        case .library(let status, _): status
        }
    }
}

/// A refusal that names its own HTTP status.
protocol StatusedRefusal: ExplainedError {
    var status: Int { get }
}

enum RefusalStatus {
    /// Returns the HTTP status of an explained error.
    static func of(_ error: any ExplainedError) -> HTTPResponse.Status {
        let code =
            switch error {
            case let error as RequestRefusal: error.status
            case let error as any StatusedRefusal: error.status
            case AccessRefusal.scope, AccessRefusal.pipeline, AccessRefusal.wholeFarm: 403
            case ProxyRefusal.stranger: 403
            // The caller waits and tries again.
            case is QuotaRefusal: 429
            case is AccessRefusal: 401
            case LedgerError.noRun, LedgerError.noLease, CoordinatorError.noCell: 404
            case CoordinatorError.noPicture: 404
            case CoordinatorError.open, CoordinatorError.notPublished: 409
            case ArtifactError.missing: 404
            case ArtifactError.mismatch: 400
            // Not 507: room on the disk would not help.
            case ArtifactError.damaged: 500
            case ArtifactError.tooLarge: 413
            case SubmissionError.otherPlan, is RunArtifactsError: 409
            default: byExit(error.exit)
            }
        return HTTPResponse.Status(integerLiteral: code)
    }

    private static func byExit(_ exit: ExitCode) -> Int {
        switch exit {
        case .inputOutput: 507
        case .internal: 500
        case .busy, .unavailable: 503
        case .configuration: 409
        default: 400
        }
    }
}
