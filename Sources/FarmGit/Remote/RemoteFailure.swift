// Parses the error texts of Git and ssh. The table here is the only place that reads them.
import FarmCore
import Foundation

/// The masked output of a program that failed.
package struct RemoteFailure {
    package let text: String
    package let location: StoreLocation
    package let doing: String
    /// The path of the folder on this machine that the program writes to.
    package let folder: String

    private enum Cause {
        case hostUnknown
        case certificate
        case credentials
        case notFound
        case unreachable
        case diskFull
        case refused
    }

    /// The cause of phrases in error texts, in lower case; the first match counts.
    private static let causes: [(words: String, cause: Cause)] = [
        ("no space left", .diskFull),
        ("disk quota exceeded", .diskFull),
        ("fsck error", .refused),
        ("host key verification failed", .hostUnknown),
        ("certificate", .certificate),
        ("authentication failed", .credentials),
        ("could not read username", .credentials),
        ("permission denied (", .credentials),
        ("too many authentication failures", .credentials),
        ("returned error: 401", .credentials),
        ("returned error: 403", .credentials),
        ("does not appear to be a git repository", .notFound),
        ("repository not exported", .notFound),
        ("not found", .notFound),
        ("no such file or directory", .notFound),
        ("could not resolve", .unreachable),
        ("unable to look up", .unreachable),
        ("couldn't connect", .unreachable),
        ("failed to connect", .unreachable),
        ("unable to connect", .unreachable),
        ("connection refused", .unreachable),
        ("connection reset", .unreachable),
        ("connection closed", .unreachable),
        ("connection timed out", .unreachable),
        ("timed out", .unreachable),
        ("no route to host", .unreachable),
        ("network is unreachable", .unreachable),
        ("broken pipe", .unreachable),
        ("hung up", .unreachable),
        ("early eof", .unreachable),
        ("unexpected eof", .unreachable),
        ("unexpected disconnect", .unreachable),
        ("rpc failed", .unreachable),
        ("transfer closed", .unreachable),
        ("returned error: 5", .unreachable),
        ("socket", .unreachable),
        ("tls connection", .unreachable),
        ("ssl_error", .unreachable),
    ]

    package var error: RemoteError {
        let lower = text.lowercased()
        let found = Self.causes.first { lower.contains($0.words) }
        let remote = "\(location)"
        switch found?.cause {
        case .hostUnknown: return .hostUnknown(remote: remote, host: location.host, reason: reason)
        case .certificate: return .certificate(remote: remote, reason: reason)
        case .credentials:
            return .credentials(remote: remote, kind: location.kind, reason: reason)
        case .notFound: return .notFound(remote: remote, reason: reason)
        case .unreachable: return .unreachable(remote: remote, doing: doing, reason: reason)
        case .diskFull:
            let line = lower.split(whereSeparator: \.isNewline)
                .first { $0.contains(found?.words ?? "") }
            let isOurs = line?.hasPrefix("remote:") != true
            return .diskFull(place: isOurs ? folder : remote, doing: doing, reason: reason)
        case .refused: return .refused(remote: remote, doing: doing, reason: reason)
        case nil: return .failed(remote: remote, doing: doing, reason: reason)
        }
    }

    /// The object that the server refuses to send, or `nil` if the failure is of another kind.
    package var refusedObject: ObjectID? {
        for words in ["not our ref ", "unadvertised object "] {
            guard let range = text.range(of: words) else { continue }
            return ObjectID(text[range.upperBound...].prefix(40))
        }
        return nil
    }

    /// The lines of the output that state the cause, without progress, joined to one line of at
    /// most 300 characters.
    package var reason: String {
        let lines = text.split { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let telling = lines.filter { line in
            ["fatal:", "error:", "remote: error", "remote: fatal", "ERROR", "ssh:"]
                .contains { line.hasPrefix($0) }
                || line.contains("denied") || line.contains("verification failed")
        }.filter { !$0.hasPrefix("error: failed to push some refs") }
        let chosen = telling.isEmpty ? Array(lines.suffix(2)) : telling
        let joined = chosen.joined(separator: "; ")
        let trimmed = joined.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
        return trimmed.isEmpty ? "it did not say why" : String(trimmed.prefix(300))
    }
}
