// A proxy that authenticates people and names the person in a header of each request. The header is
// only trusted from the proxy's own address; from any other address it is an attack, and the
// request is refused.

/// The proxy whose identity header is trusted.
package struct TrustedProxy: Hashable, Sendable {
    package static let defaultHeader = "X-Forwarded-User"

    /// The proxy's IP address.
    package var address: String
    /// The name of the header that names the person.
    package var header: String
    /// The scope of the person's access to the pages.
    package var scope: AccessScope

    package init(address: String, header: String, scope: AccessScope) {
        self.address = address
        self.header = header
        self.scope = scope
    }

    /// Whether a request comes from the proxy; `peer` is the other end of the connection.
    package func isPeer(_ peer: String?) -> Bool {
        guard let peer else { return false }
        return Self.plain(peer) == Self.plain(address)
    }

    /// Returns the rights of the person that the header names, or `nil` if the request has no such
    /// header.
    ///
    /// - Throws: `ProxyRefusal` if the header is from another address or is no person's name.
    package func grant(peer: String?, values: [String]) throws(ProxyRefusal) -> AccessGrant? {
        guard !values.isEmpty else { return nil }
        guard isPeer(peer) else { throw .stranger(header: header) }
        guard values.count == 1, AccessRules.isPerson(values[0]) else {
            throw .name(header: header)
        }
        return AccessGrant(name: "proxy", scopes: [scope], person: values[0])
    }

    /// Returns the address in lower case, with an IPv4 address that is written as IPv6 (by a
    /// dual-stack socket) as IPv4.
    private static func plain(_ address: String) -> Substring {
        let address = address.lowercased()[...]
        return address.hasPrefix("::ffff:") && address.contains(".")
            ? address.dropFirst(7) : address
    }

    /// Whether `text` is an IP address, not a host's name.
    package static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) { return true }
        return text.contains(":") && text.utf8.count <= 45
            && text.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }

    /// Whether `text` can be the name of a header for a person's identity.
    package static func isHeader(_ text: String) -> Bool {
        let others = ["authorization", "cookie", "host", "origin", "content-length"]
        return (1...100).contains(text.utf8.count) && !others.contains(text.lowercased())
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || $0 == 45
            }
    }
}

/// The reason why an identity header is refused.
package enum ProxyRefusal: ExplainedError, Hashable {
    case stranger(header: String)
    case name(header: String)

    package var code: String {
        switch self {
        case .stranger: "identity-not-trusted"
        case .name: "identity-malformed"
        }
    }
    package var message: String {
        switch self {
        case .stranger(let header):
            "the request says who looks (\(header)), and does not come from the trusted proxy."
        case .name(let header):
            "the header \(header) is not one name of at most \(FarmLimits.personBytesMax) bytes."
        }
    }
    package var remedy: String {
        switch self {
        case .stranger: "Open the page at the proxy's address, or send the request without it."
        case .name: "Let the proxy send one name on one line."
        }
    }
    package var exit: ExitCode { .usage }
}
