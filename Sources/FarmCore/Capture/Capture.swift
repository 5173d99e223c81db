// A picture that a test made in a run: one PNG file with its digests. The blob store has the bytes
// before any record names them.

/// A picture that a test made in a run.
package struct Capture: Hashable, Sendable, Codable {
    package var id: SnapshotID
    /// The test case that made the picture, or `nil` if the test program did not name it.
    package var test: TestID?
    /// SHA-256 of the file's bytes, which is also the blob's name in the blob store.
    package var digest: Digest
    /// Git's blob id of the file's bytes; a capture is identical to a reference with the same id.
    package var objectID: ObjectID
    /// The file's length in bytes.
    package var bytes: Int
    /// The picture's size in pixels, or `nil` if the picture has not been read yet.
    package var size: PixelSize?
    /// The framework's own identifier of the picture, or `nil` if no sidecar names one.
    package var identifier: String?
    /// The number of pixels of the page below the picture, or `nil` if there are none or the driver
    /// does not know.
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
