// The URLs of the coordinators of one ledger, as a caller was told them. Each can be called; the one
// that answered last is called first. A token goes to these and to nobody else.
import FarmCore
import Synchronization

/// Where a client finds its coordinators.
package final class CoordinatorPlaces: Sendable {
    /// Without a path, in the order they were named.
    package let all: [String]
    private let first = Mutex(0)

    /// `text` is one URL, or several separated by commas.
    init(_ text: String) { all = Self.urls(in: text) }

    /// The URLs of a text, without a slash at their end; at least one, which may be empty.
    package static func urls(in text: String) -> [String] {
        var urls: [String] = []
        for part in text.split(separator: ",") {
            var url = part.drop { $0 == " " }
            while url.last == " " || url.last == "/" { url.removeLast() }
            if !url.isEmpty, !urls.contains(String(url)) { urls.append(String(url)) }
        }
        return urls.isEmpty ? [text] : urls
    }

    /// The one that answered last.
    package var current: String { all[first.withLock { $0 }] }

    /// From that one on, each once.
    var byTurn: [String] {
        let first = first.withLock { $0 }
        return Array(all[first...] + all[..<first])
    }

    /// It answers: the next call goes there first.
    func stay(at url: String) {
        guard let index = all.firstIndex(of: url) else { return }
        first.withLock { $0 = index }
    }
}

/// What became of a call at one coordinator.
package struct AskedCoordinator: Sendable, Hashable {
    package var url: String
    package var fault: ConnectionFault
}
