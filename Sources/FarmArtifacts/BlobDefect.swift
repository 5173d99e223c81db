// The defects of a stored blob, found without changing anything: for `snapfarm check`.
import FarmCore

/// The depth of a blob's check.
package enum BlobScrutiny: Sendable {
    /// Checks that the blob is there and has the size of its record.
    case size
    /// Checks, too, that the blob's bytes have the digest of its name.
    case contents
}

/// A difference between a blob and its name or record.
package enum BlobDefect: Hashable, Sendable {
    case missing
    /// The blob's size in bytes is not that of its record, and its bytes are wrong.
    case size(Int)
    /// The blob's size in bytes is not that of its record, but its bytes are right.
    case record(Int)
    /// The blob's bytes do not have the digest of its name.
    case contents
    case unreadable(String)
}

extension BlobStore {
    /// Opens a store for reading only; makes no folder.
    package init(reading folder: String) { self.folder = folder }

    /// Returns the defect of a blob, or `nil` if it has none.
    ///
    /// `bytes` is the size by its record, or `nil` if the record has none.
    package func defect(
        of digest: Digest,
        bytes: Int?,
        _ scrutiny: BlobScrutiny
    ) -> BlobDefect? {
        guard let size = size(of: digest) else { return .missing }
        let isOther = bytes.map { $0 != size } ?? false
        guard isOther || scrutiny == .contents else { return nil }
        let damage = damage(of: digest)
        guard isOther else { return damage }
        return damage == nil ? .record(size) : .size(size)
    }

    private func damage(of digest: Digest) -> BlobDefect? {
        var stream = DigestStream()
        do throws(ArtifactError) {
            try Self.forEachChunk(of: path(of: digest)) { chunk throws(ArtifactError) in
                stream.append(chunk)
            }
        } catch {
            return .unreadable(error.message)
        }
        return stream.finish() == digest ? nil : .contents
    }
}
