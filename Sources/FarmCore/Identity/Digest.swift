// The content addresses of a picture: SHA-256 names its bytes among the blobs, Git's blob id in the
// reference store.
import Crypto
import Foundation

/// A SHA-256 digest, written as `sha256:` and 64 lower-case hex digits.
package struct Digest: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The digest as 64 lower-case hex digits.
    package let hex: String

    package init(of bytes: some DataProtocol) {
        self.init(SHA256.hash(data: bytes))
    }

    init(_ finished: SHA256Digest) { self.hex = hexText(finished) }

    /// Wraps an HMAC: a code that cannot be computed without the key.
    init(_ finished: HMAC<SHA256>.MAC) { self.hex = hexText(finished) }

    /// Parses 64 lower-case hex digits, with or without `sha256:` before them; returns `nil` for
    /// other text.
    package init?(_ text: some StringProtocol) {
        let digits = text.hasPrefix("sha256:") ? String(text.dropFirst(7)) : String(text)
        guard isLowerHex(digits, count: 64) else { return nil }
        self.hex = digits
    }

    package var description: String { "sha256:\(hex)" }

    package static func < (left: Digest, right: Digest) -> Bool { left.hex < right.hex }

    /// Whether both digests are equal; the comparison's time does not show how near a guess was.
    package func isEqualInConstantTime(to other: Digest) -> Bool {
        zip(hex.utf8, other.hex.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let digest = Digest(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not a SHA-256 digest: \(text.prefix(80))"
            )
        }
        self = digest
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A Git object id: 40 lower-case hex digits (SHA-1, the only kind libgit2 1.5 reads).
package struct ObjectID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    package let hex: String

    /// Computes the id that Git gives a blob: SHA-1 over `blob <count>\0` and the bytes.
    package init(ofBlob bytes: some DataProtocol) {
        var hash = Insecure.SHA1()
        hash.update(data: Data("blob \(bytes.count)\0".utf8))
        hash.update(data: bytes)
        self.hex = hexText(hash.finalize())
    }

    /// Parses exactly 40 lower-case hex digits; returns `nil` for other text.
    package init?(_ text: some StringProtocol) {
        guard isLowerHex(String(text), count: 40) else { return nil }
        self.hex = String(text)
    }

    package var description: String { hex }

    /// The id's first 12 digits, for people.
    package var short: String { String(hex.prefix(12)) }

    package static func < (left: ObjectID, right: ObjectID) -> Bool { left.hex < right.hex }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let object = ObjectID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not a Git object id: \(text.prefix(80))"
            )
        }
        self = object
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}

private func hexText(_ bytes: some Sequence<UInt8>) -> String {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
}

private func isLowerHex(_ text: String, count: Int) -> Bool {
    text.utf8.count == count
        && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
}
