// An address that this program calls. swift-nio ends the process if an address has an IP address as
// its host and a port above 65535. So addresses from files, options, variables and answers are
// checked here before a call.
import Foundation

/// An `http` or `https` address whose host and port can be called.
package struct WebAddress: Hashable, Sendable {
    package let url: URL

    /// Parses an address; returns `nil` if its scheme is not `http` or `https`, if it has no host,
    /// or if its port is outside 1 to 65535.
    package init?(_ text: String) {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            let host = url.host, !host.isEmpty, Self.hasUsablePort(text)
        else { return nil }
        self.url = url
    }

    /// Whether the text names no port or one from 1 to 65535; Foundation ignores a port too large
    /// for an `Int`.
    private static func hasUsablePort(_ text: String) -> Bool {
        let rest = text.drop { $0 != "/" }.drop { $0 == "/" }
        let authority = rest.prefix { !"/?#\\".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let afterHost = place.hasPrefix("[") ? place.drop { $0 != "]" }.dropFirst() : place
        guard let colon = afterHost.lastIndex(of: ":") else { return true }
        let port = afterHost[afterHost.index(after: colon)...]
        return port.isEmpty || UInt16(port).map { $0 > 0 } ?? false
    }
}
