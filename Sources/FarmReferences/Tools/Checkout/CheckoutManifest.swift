// The manifest of a checkout, `.snapfarm-checkout.json` at the root of a work tree. It lists the
// files that snapfarm wrote, so that local edits can be recognised. It is written last and never
// committed.
import FarmCore
import FarmFiles
import Foundation

/// The state of a work tree after a checkout.
package struct CheckoutManifest: Hashable, Sendable, Codable {
    /// One file as it was checked out.
    package struct File: Hashable, Sendable, Codable {
        package var id: SnapshotID
        package var objectID: ObjectID
        /// The file's status right after it was written.
        ///
        /// An equal status means that the file is untouched.
        package var status: FileStatus

        package init(id: SnapshotID, objectID: ObjectID, status: FileStatus) {
            self.id = id
            self.objectID = objectID
            self.status = status
        }
    }

    /// The blob id of the text of the pin that was checked out.
    package var pin: ObjectID
    package var layout: ReferenceLayout
    package var cells: [CellID]
    /// The files by path, relative to the root of the work tree.
    package var files: [String: File]
    package var version = Self.version

    package static let name = ".snapfarm-checkout.json"
    private static let version = 1
    /// The largest size of a manifest in bytes: 300,000 files of 400 bytes.
    private static let bytesMax = 128 << 20

    /// Reads the manifest of a work tree and its modification time; returns `nil` if there is none.
    static func read(
        in workTree: GuardedFolder
    ) throws -> (manifest: CheckoutManifest, writtenNanoseconds: Int64)? {
        guard let status = try workTree.status(name) else { return nil }
        let bytes = try workTree.read(name, bytesMax: bytesMax)
        do {
            let manifest = try JSONDecoder().decode(CheckoutManifest.self, from: bytes)
            guard manifest.version == version else {
                throw CheckoutError.manifestBroken(
                    path: "\(workTree.path)/\(name)",
                    reason: "its version is \(manifest.version), not \(version)"
                )
            }
            return (manifest, status.modifiedNanoseconds)
        } catch let error as DecodingError {
            throw CheckoutError.manifestBroken(
                path: "\(workTree.path)/\(name)",
                reason: error.inWords
            )
        }
    }

    func write(to workTree: GuardedFolder) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try workTree.write(Self.name, try encoder.encode(self))
    }
}

extension ReferencePin {
    /// The blob id of the pin's text: a short form of the pin.
    package var fingerprint: ObjectID { ObjectID(ofBlob: Data(text.utf8)) }
}
