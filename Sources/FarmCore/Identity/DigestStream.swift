// A digest of bytes that arrive in pieces and are never all in memory.
import Crypto

/// Computes the SHA-256 digest of bytes that arrive in pieces.
package struct DigestStream: Sendable {
    private var hash = SHA256()
    /// The number of bytes that were added so far.
    package private(set) var count = 0

    package init() {}

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
        count += bytes.count
    }

    /// Returns the digest of all bytes so far.
    package func finish() -> Digest { Digest(hash.finalize()) }
}
