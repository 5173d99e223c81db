// Access to a coordinator: a bearer token on every call, compared in constant time. Only its hash
// is kept.
import FarmCore
import Foundation

/// Decides whether a call is allowed.
package protocol CallAccess: Sendable {
    /// Returns the caller's name and scopes for an `Authorization` header.
    ///
    /// - Throws: `AccessRefusal` unless the caller has one of `scopes`.
    func grant(_ header: String?, needing scopes: Set<AccessScope>) throws -> AccessGrant
}

/// The only token of an embedded coordinator; it allows every call.
package struct AccessToken: CallAccess {
    private let record: TokenRecord

    package init(_ token: String) {
        record = TokenRecord(
            name: "embedded",
            scopes: [.admin],
            sha256: Digest(of: Data(token.utf8)),
            created: 0,
            expires: nil
        )
    }

    package func grant(_ header: String?, needing scopes: Set<AccessScope>) throws -> AccessGrant {
        try AccessRules.grant(header, among: [record], needing: scopes, now: 0)
    }

    /// Returns 256 random bits as 64 hex digits.
    package static func random(
        using generator: inout some RandomNumberGenerator
    ) -> String {
        (0..<4).map { _ in
            let word = generator.next()
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
