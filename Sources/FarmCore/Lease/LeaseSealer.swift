// The seals of leases. The ledger numbers leases consecutively, so a lease's name can be guessed.
// In messages, a lease therefore has a seal that only its coordinator can make: without it, a
// caller cannot report under the lease, renew it or end it. Pure: the caller passes the key.
import Crypto
import Foundation

/// Makes and checks the seals of leases, which prove that the coordinator gave them.
package struct LeaseSealer: Sendable {
    package static let keyBytes = 32

    let key: SymmetricKey

    /// Makes a sealer with a key, or `nil` unless the key has `keyBytes` bytes.
    package init?(key: Data) {
        guard key.count == Self.keyBytes else { return nil }
        self.key = SymmetricKey(data: key)
    }

    /// Makes a sealer with a new random key; its seals are valid only for this sealer.
    package init(using generator: inout some RandomNumberGenerator) {
        key = SymmetricKey(data: Self.randomKey(using: &generator))
    }

    package static func randomKey(using generator: inout some RandomNumberGenerator) -> Data {
        Data((0..<keyBytes).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    }

    /// Returns the token with its seal, for the worker; equal tokens have equal seals.
    package func sealed(_ token: LeaseToken) -> LeaseToken {
        LeaseToken(id: token.id, epoch: token.epoch, seal: seal(token))
    }

    /// Returns the token without its seal, or `nil` if the seal is missing or wrong.
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
