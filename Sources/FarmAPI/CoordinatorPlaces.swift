// The URLs of the coordinators of one ledger, as the user named them. Each can be called; the one
// that answered last is called first. A token goes to these hosts alone.
import FarmCore
import Synchronization

/// The URLs of a client's coordinators.
package final class CoordinatorPlaces: Sendable {
    /// The URLs without a path, in the order in which they were named.
    package let all: [String]
    private let first = Mutex(0)

    /// Reads the URLs in `text`: one URL, or several separated by commas.
    init(_ text: String) { all = Self.urls(in: text) }

    /// Returns the URLs in a text, without a slash at their end; at least one, which may be empty.
    package static func urls(in text: String) -> [String] {
        var urls: [String] = []
        for part in text.split(separator: ",") {
            var url = part.drop { $0 == " " }
            while url.last == " " || url.last == "/" { url.removeLast() }
            if !url.isEmpty, !urls.contains(String(url)) { urls.append(String(url)) }
        }
        return urls.isEmpty ? [text] : urls
    }

    /// The URL of the coordinator that answered last.
    package var current: String { all[first.withLock { $0 }] }

    /// All URLs, each once, beginning with the current one.
    var byTurn: [String] {
        let first = first.withLock { $0 }
        return Array(all[first...] + all[..<first])
    }

    /// Lets the next call begin with the coordinator at `url`, because it has answered.
    func stay(at url: String) {
        guard let index = all.firstIndex(of: url) else { return }
        first.withLock { $0 = index }
    }
}

/// The result of a call at one coordinator.
package struct AskedCoordinator: Sendable, Hashable {
    package var url: String
    package var fault: ConnectionFault
}
