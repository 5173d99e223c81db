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
