// The signature by which the receiver of an event authenticates its sender: a code over time and
// body that only owners of the secret can make. `docs/fleet.md` shows the check.
import Crypto
import Foundation

package enum WebhookSignature {
    /// Returns the signature header of an event: `t=SECONDS,v1=HEX`, with the HMAC-SHA256 of
    /// `SECONDS.BODY`.
    ///
    /// The time makes a repeated old call recognisable.
    package static func header(_ body: Data, secret: String, seconds: Int64) -> String {
        let key = SymmetricKey(data: Data(secret.utf8))
        let signed = Data("\(seconds).".utf8) + body
        let code = Digest(HMAC<SHA256>.authenticationCode(for: signed, using: key))
        return "t=\(seconds),v1=\(code.hex)"
    }
}
