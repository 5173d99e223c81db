// The ledger numbers leases one after the other, so the name of anybody's lease can be guessed. On
// the wire a lease therefore carries a seal that only its coordinator can make: who was not given
// a lease cannot report under it, renew it or end it. Pure: the key comes in.
import Crypto
import Foundation

/// Seals leases, and knows the ones it has sealed.
package struct LeaseSealer: Sendable {
    package static let keyBytes = 32

    let key: SymmetricKey

    /// Nil unless the key has `keyBytes` bytes.
    package init?(key: Data) {
        guard key.count == Self.keyBytes else { return nil }
        self.key = SymmetricKey(data: key)
    }

    /// Makes a sealer with a new random key; it opens only what it sealed itself.
    package init(using generator: inout some RandomNumberGenerator) {
        key = SymmetricKey(data: Self.randomKey(using: &generator))
    }

    package static func randomKey(using generator: inout some RandomNumberGenerator) -> Data {
        Data((0..<keyBytes).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    }

    /// The token with its seal, as the worker receives it; one token always gets the same seal.
    package func sealed(_ token: LeaseToken) -> LeaseToken {
        LeaseToken(id: token.id, epoch: token.epoch, seal: seal(token))
    }

    /// The token without its seal; nil where the seal is missing or wrong.
    package func opened(_ token: LeaseToken) -> LeaseToken? {
        guard let seal = token.seal, seal.isEqualInConstantTime(to: self.seal(token)) else {
            return nil
        }
        return LeaseToken(id: token.id, epoch: token.epoch)
    }

    private func seal(_ token: LeaseToken) -> Digest {
        let name = Data("\(token.epoch) \(token.id.text)".utf8)
        return Digest(HMAC<SHA256>.authenticationCode(for: name, using: key))
    }
}
