// What a test made: one PNG, known by its digests. The bytes lie in the blob store before any
// record names them.

/// A picture a test made.
package struct Capture: Hashable, Sendable, Codable {
    package var id: SnapshotID
    /// The test case that made it; nil where the test program did not say.
    package var test: TestID?
    /// SHA-256 of the file's bytes; the blob store keeps them under it.
    package var digest: Digest
    /// Git's id of the same bytes; equal to the reference's id means identical.
    package var objectID: ObjectID
    /// Bytes of the file.
    package var bytes: Int
    /// Pixels; nil while the picture has not been looked at.
    package var size: PixelSize?
    /// The framework's own identifier of the picture, where a sidecar names it.
    package var identifier: String?
    /// Pixels of the page below the picture, where the driver knows; nil for none.
    package var pixelsBelow: Int?

    package init(
        id: SnapshotID,
        test: TestID?,
        digest: Digest,
        objectID: ObjectID,
        bytes: Int,
        size: PixelSize? = nil,
        identifier: String? = nil,
        pixelsBelow: Int? = nil
    ) {
        self.id = id
        self.test = test
        self.digest = digest
        self.objectID = objectID
        self.bytes = bytes
        self.size = size
        self.identifier = identifier
        self.pixelsBelow = pixelsBelow
    }
}

/// Width and height in pixels.
package struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var description: String { "\(width)×\(height)" }
}
