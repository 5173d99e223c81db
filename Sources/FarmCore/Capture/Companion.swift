// A companion is a file that belongs to a picture and says more about it than its pixels. It goes
// wherever its picture goes: into the blob store, the zip of a run and the set. No verdict depends
// on it.

/// The kind of a companion; a picture has at most one of each kind.
package enum CompanionKind: String, Hashable, Sendable, Codable, CodingKeyRepresentable,
    CaseIterable
{
    /// An ``ElementTree``, packed with gzip.
    case elements

    /// The ending of the companion's file, after the picture's name.
    package var fileEnding: String {
        switch self {
        case .elements: ".elements.json.gz"
        }
    }
}

extension [CompanionKind: Companion] {
    /// The digests as text, by the names of the kinds.
    package var digests: [String: String] {
        [String: String](
            uniqueKeysWithValues: map { ($0.key.rawValue, $0.value.digest.description) }
        )
    }
}

/// A companion of a capture: one file with its digests.
///
/// The blob store has the bytes before any record names them.
package struct Companion: Hashable, Sendable, Codable {
    /// SHA-256 of the file's bytes, which is also the blob's name in the blob store.
    package var digest: Digest
    /// Git's blob id of the file's bytes.
    package var objectID: ObjectID
    /// The file's length in bytes.
    package var bytes: Int

    package init(digest: Digest, objectID: ObjectID, bytes: Int) {
        self.digest = digest
        self.objectID = objectID
        self.bytes = bytes
    }
}

/// The companions of a set's pictures, by the pictures' names; has no key for a picture without one.
package typealias CompanionsByName = [SnapshotID: [CompanionKind: ObjectID]]
