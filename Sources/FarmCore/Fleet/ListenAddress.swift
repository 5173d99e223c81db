// The address that a coordinator listens at.

/// An address to listen at: a host and a port.
package struct ListenAddress: Hashable, Sendable, Codable {
    package var host: String
    /// The port number, or 0 for any free port.
    package var port: Int

    package init(host: String = "127.0.0.1", port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `host:port`, `[v6]:port` or `:port` for every interface; returns `nil` for other
    /// text.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-:".contains($0)) })
        else { return nil }
        self.init(host: host.isEmpty ? "0.0.0.0" : host, port: port)
    }

    /// Whether only programs of this machine can reach the address.
    package var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The address as `host:port`, with brackets around an IPv6 address.
    package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
