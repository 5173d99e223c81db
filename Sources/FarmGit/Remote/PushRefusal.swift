// A push that reaches the remote but is refused there.
import Foundation

/// The remote's refusal of a push, parsed from Git's output.
package enum PushRefusal: Equatable {
    /// Another push moved the branch first.
    case moved
    /// The remote refused the push: a hook, a protected branch, or a token without the right.
    case refused(reason: String)

    package var reason: String {
        switch self {
        case .moved: "it has changed meanwhile"
        case .refused(let reason): reason
        }
    }

    /// Whether the remote could not store, or did not accept, the objects of the push.
    var isAboutObjects: Bool { reason.hasPrefix("unpacker error") }

    /// The phrases in error texts of servers whose branch moved during the push.
    private static let races = [
        "cannot lock ref", "failed to update ref", "incorrect old value", "stale info",
        "fetch first", "non-fast-forward",
    ]
    private static let linesMax = 3
    private static let reasonCharactersMax = 300

    /// Parses standard error of `git push`; returns `nil` if it failed for another reason.
    package init?(_ text: String) {
        let lines = text.split { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        // Output of the remote's hooks begins with `remote:`, so it cannot look like this line.
        guard let line = lines.first(where: { $0.hasPrefix(" ! [") }) else { return nil }
        let why = line.lastIndex(of: "(").map { line[line.index(after: $0)...].dropLast() } ?? line
        guard !line.hasPrefix(" ! [rejected]"), !Self.races.contains(where: why.contains) else {
            self = .moved
            return
        }
        let said = lines.filter { $0.hasPrefix("remote: ") && !$0.contains("% (") }
            .prefix(Self.linesMax)
            .map { $0.dropFirst("remote: ".count).trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        let reason = ([String(why)] + said).joined(separator: "; ")
        self = .refused(reason: String(reason.prefix(Self.reasonCharactersMax)))
    }
}
