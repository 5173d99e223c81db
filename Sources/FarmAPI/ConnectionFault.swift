// The faults of a connection to a coordinator, in words for people. The errors of the network
// libraries name their own types, and files of the machine that built them.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The fault of a connection to a coordinator.
package enum ConnectionFault: Hashable, Sendable {
    case hostUnknown
    case nobodyListens
    case tooSlow
    /// No authority known here signed the certificate.
    case untrusted
    /// The certificate is not valid at this time of this machine's clock (milliseconds since 1970).
    case outOfDate(CertificateLife, now: Int64)
    /// The certificate is for another host.
    case otherName
    /// The port of an `https` URL speaks another protocol.
    case noTLS
    case noHTTP
    /// The coordinator closed the connection; a port for TLS does so when it gets `http`.
    case closed
    /// The connection ended in the middle of the answer.
    case cutOff
    case status(UInt)
    /// The coordinator answered, but the host of its blobs did not.
    case elsewhere(host: String, reason: String)
    /// The coordinator answers that no coordinator leads, with its reason, or `nil` if it names
    /// none.
    case noLeader(reason: String?)
    /// Any other fault, in the system's words.
    case other(String)

    /// Makes the fault that an error of the HTTP client stands for.
    init(_ error: any Error) {
        switch error {
        case let error as ElsewhereFault:
            self = .elsewhere(host: error.host, reason: error.reason)
        case let error as NIOConnectionError: self = Self.of(error)
        case let error as NIOSSLError: self = Self.of(error)
        case is NIOSSLExtraError: self = .otherName
        case HTTPParserError.invalidEOFState: self = .cutOff
        case is HTTPParserError: self = .noHTTP
        case let error as HTTPClientError: self = Self.of(error)
        case let error as IOError: self = Self.of(error)
        case is ChannelError: self = .closed
        case is NIOTooManyBytesError: self = .other("its answer is larger than it may be")
        default: self = .other("the connection broke off")
        }
    }

    private static func of(_ error: NIOConnectionError) -> Self {
        guard let first = error.connectionErrors.first?.error else { return .hostUnknown }
        if let known = first as? IOError { return of(known) }
        if case .connectTimeout? = first as? ChannelError { return .tooSlow }
        return .other("no connection could be made")
    }

    private static func of(_ error: IOError) -> Self {
        switch error.errnoCode {
        case ECONNREFUSED: .nobodyListens
        case ECONNRESET, EPIPE: .closed
        case ETIMEDOUT: .tooSlow
        default: .other(String(cString: strerror(error.errnoCode)).lowercased())
        }
    }

    private static func of(_ error: NIOSSLError) -> Self {
        switch error {
        case .uncleanShutdown: return .closed
        case .unableToValidateCertificate, .noCertificateToValidate: return .untrusted
        default:
            // The library gives the reason in its text alone.
            return "\(error)".contains("CERTIFICATE_VERIFY_FAILED") ? .untrusted : .noTLS
        }
    }

    private static func of(_ error: HTTPClientError) -> Self {
        switch error {
        case .connectTimeout, .readTimeout, .deadlineExceeded, .tlsHandshakeTimeout: .tooSlow
        case .remoteConnectionClosed: .closed
        default: .other(error.shortDescription.lowercased())
        }
    }

    /// Whether the same call fails the same way until the configuration is changed.
    var isConfigured: Bool {
        switch self {
        case .untrusted, .outOfDate, .otherName, .noTLS, .noHTTP: true
        case .hostUnknown, .nobodyListens, .tooSlow, .closed, .cutOff, .status, .noLeader,
            .elsewhere, .other:
            false
        }
    }

    var isLeaderless: Bool { if case .noLeader = self { true } else { false } }

    var isElsewhere: Bool { if case .elsewhere = self { true } else { false } }

    /// Whether retries end at once, because a waiting person gains nothing from another one.
    ///
    /// Without an answer of the resolver, looking a name up takes seconds.
    var endsAttempts: Bool { isConfigured || self == .hostUnknown }
}

extension ConnectionFault {
    /// Returns the fault of a call to `url` as one sentence.
    func message(_ url: String) -> String {
        switch self {
        case .hostUnknown: "the coordinator \(url) does not answer: its host name is not known."
        case .nobodyListens: "the coordinator \(url) does not answer: no program listens there."
        case .tooSlow: "the coordinator \(url) does not answer: it takes too long."
        case .untrusted:
            "the coordinator \(url) is not trusted: no authority known here signed its certificate."
        case .outOfDate(let life, let now):
            "the coordinator \(url) is not trusted: its certificate "
                + "\(life.warning(at: now) ?? "is out of date")."
        case .otherName:
            "the coordinator \(url) is not trusted: its certificate is for another host name."
        case .noTLS: "the coordinator \(url) does not speak TLS."
        case .noHTTP: "what listens at \(url) is no coordinator: it does not speak HTTP."
        case .closed where url.hasPrefix("http:"):
            "the coordinator \(url) closes the connection without an answer, as a port for https does."
        case .closed: "the coordinator \(url) closes the connection without an answer."
        case .cutOff: "the coordinator \(url) ended the connection in the middle of its answer."
        case .status(let code): "the coordinator \(url) answers with errors: status \(code)."
        case .elsewhere(let host, let reason):
            "\(host), where the coordinator \(url) keeps its blobs, \(reason)."
        case .noLeader: "the coordinator \(url) knows of none that leads now."
        case .other(let reason): "the coordinator \(url) does not answer: \(reason)."
        }
    }

    /// The fault in a few words, for a list of several coordinators.
    package var words: String {
        switch self {
        case .hostUnknown: "unknown host"
        case .nobodyListens: "refused"
        case .tooSlow: "too slow"
        case .untrusted: "not trusted"
        case .outOfDate(let life, let now):
            now < life.start ? "a certificate that is not valid yet" : "an expired certificate"
        case .otherName: "a certificate for another name"
        case .noTLS: "no TLS"
        case .noHTTP: "no HTTP"
        case .closed: "connection closed"
        case .cutOff: "an answer cut off"
        case .status(let code): "status \(code)"
        case .noLeader(let reason): reason ?? "no leader"
        case .elsewhere(_, let reason), .other(let reason): reason
        }
    }

    func remedy(_ url: String) -> String {
        switch self {
        case .hostUnknown: "Check the host of --coordinator."
        case .elsewhere:
            "Check that this machine reaches that host, and that its clock is right; then try again."
        case .untrusted:
            "Set SNAPFARM_CA to a PEM file with the certificate of its authority; where it is set, "
                + "that file has another."
        case .outOfDate(let life, let now) where now < life.start:
            "Correct the clock of this machine if it is slow; otherwise that of the machine that made "
                + "the certificate."
        case .outOfDate:
            "Put a new certificate where the coordinator's `tls:` says, and call snapfarm reload there; "
                + "if this machine's clock is fast, correct it."
        case .otherName:
            "Name the coordinator as its certificate does, or make one for this name."
        case .noTLS:
            "Write --coordinator http://…, or give the coordinator `tls:`; see whether the port is its."
        case .noHTTP: "Check the port of --coordinator."
        case .closed where url.hasPrefix("http:"):
            "Write --coordinator https://… where it has `tls:`; otherwise see its log."
        case .closed, .cutOff, .status: "See the coordinator's log; then try again."
        case .noLeader: "Try again in a moment; if it stays so, see the coordinators' logs."
        case .nobodyListens, .tooSlow, .other:
            "Check that it runs and that --coordinator names it; then try again."
        }
    }
}
