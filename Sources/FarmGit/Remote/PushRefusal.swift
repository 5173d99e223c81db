// A push that reaches the other side and is not taken there.
import Foundation

/// The refusal of a push by the other side, in the words of Git.
package enum PushRefusal: Equatable {
    /// Another push moved the branch first.
    case moved
    /// A hook, a protected branch, a token without the right.
    case refused(reason: String)

    package var reason: String {
        switch self {
        case .moved: "it has changed meanwhile"
        case .refused(let reason): reason
        }
    }

    /// Whether the other side could not keep, or did not want, the objects that it was sent.
    var isAboutObjects: Bool { reason.hasPrefix("unpacker error") }

    /// Words of servers whose branch moved while they looked.
    private static let races = [
        "cannot lock ref", "failed to update ref", "incorrect old value", "stale info",
        "fetch first", "non-fast-forward",
    ]
    private static let linesMax = 3
    private static let reasonCharactersMax = 300

    /// Reads standard error of `git push`; nil where it failed for another reason.
    package init?(_ text: String) {
        let lines = text.split { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        // The words of the other side's hooks begin with `remote:`, and cannot look like this.
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
