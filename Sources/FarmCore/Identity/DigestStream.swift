// A digest of bytes that come in pieces and are never all in memory.
import Crypto

/// Computes the SHA-256 digest of bytes as they come.
package struct DigestStream: Sendable {
    private var hash = SHA256()
    /// Bytes seen so far.
    package private(set) var count = 0

    package init() {}

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
        count += bytes.count
    }

    /// The digest of all bytes so far.
    package func finish() -> Digest { Digest(hash.finalize()) }
}

extension Digest {
    fileprivate init(_ hash: SHA256.Digest) {
        let digits = Array("0123456789abcdef".utf8)
        let text = hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        hex = String(decoding: text, as: UTF8.self)
    }
}
