// What can be wrong with a stored blob, found without changing anything: for `snapfarm check`.
import FarmCore

/// How a blob is looked at.
package enum BlobScrutiny: Sendable {
    /// It is there, and as long as its record says.
    case size
    /// Its bytes have its digest, too.
    case contents
}

/// Why a blob is not what its name promises.
package enum BlobDefect: Hashable, Sendable {
    case missing
    /// It has so many bytes, not those of its record.
    case size(Int)
    /// It has so many bytes, which are its own: the record of it is wrong.
    case record(Int)
    /// Its bytes have another digest.
    case contents
    case unreadable(String)
}

extension BlobStore {
    /// A store that is only read; makes no folder.
    package init(reading folder: String) { self.folder = folder }

    /// What is wrong with a blob; nil where nothing is.
    ///
    /// `bytes` is what its record says, nil where it does not.
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
