// How the receiver of an event knows who sent it: a code over time and body that only holders of the
// secret can make. `docs/fleet.md` shows how to check it.
import Crypto
import Foundation

package enum WebhookSignature {
    /// `t=SECONDS,v1=HEX`: HMAC-SHA256 over `SECONDS.BODY`, so that no old call passes for a new one.
    package static func header(_ body: Data, secret: String, seconds: Int64) -> String {
        let key = SymmetricKey(data: Data(secret.utf8))
        let signed = Data("\(seconds).".utf8) + body
        let code = Digest(HMAC<SHA256>.authenticationCode(for: signed, using: key))
        return "t=\(seconds),v1=\(code.hex)"
    }
}
