// Who may call: a bearer token on every call, compared in constant time; only its hash is kept.
import FarmCore
import Foundation

/// The token of an embedded coordinator.
package struct AccessToken: Sendable {
    private let digest: [UInt8]

    package init(_ token: String) { digest = Self.hash(token) }

    /// Whether an `Authorization` header carries the token.
    ///
    /// Both sides are hashed first, so the time tells nothing of how much of a guess was right.
    package func admits(_ header: String?) -> Bool {
        guard let header, header.hasPrefix("Bearer ") else { return false }
        let given = Self.hash(String(header.dropFirst(7)))
        return zip(given, digest).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// 256 random bits as hex.
    package static func random(
        using generator: inout some RandomNumberGenerator
    ) -> String {
        (0..<4).map { _ in
            let word = generator.next()
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private static func hash(_ token: String) -> [UInt8] {
        Array(Digest(of: Data(token.utf8)).hex.utf8)
    }
}
