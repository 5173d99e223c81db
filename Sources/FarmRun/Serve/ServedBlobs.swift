// The place of a coordinator's blobs: its data folder, or the bucket of its configuration. A note
// in the data folder names the bucket of its ledger, so that no command takes an empty folder for
// lost pictures.
import FarmArtifacts
import FarmCore
import FarmFiles
import Foundation
import Logging

enum ServedBlobs {
    /// Opens the blob store that a configuration names; ``settle`` checks a bucket later.
    static func open(
        _ configuration: CoordinatorConfiguration,
        _ data: DataFolder,
        _ environment: [String: String],
        isShared: Bool,
        now: @escaping @Sendable () -> Int64
    ) throws -> any BlobKeeping {
        let folder = try BlobStore(folder: data.blobs)
        // If coordinators share the folder, others may be uploading now.
        if !isShared { folder.removeLeftovers() }
        guard let store = try bucket(configuration, environment, folder, now: now) else {
            return folder
        }
        if try BucketNameFile.read(data.path) == nil, folder.page(after: nil).next != nil {
            throw BucketNoteError.blobs(folder.folder, configured: store.client.settings.text)
        }
        return store
    }

    /// Checks a bucket before anything is stored in it: it answers, its prefix belongs to this
    /// farm, as the key of leases shows, and the coordinators of `pool` use the same one.
    ///
    /// The data folder notes the bucket only after that, so a refused bucket can be corrected. A
    /// bucket that is noted already may be unreachable: calls then wait for it.
    static func settle(
        _ blobs: any BlobKeeping,
        _ data: DataFolder,
        _ pool: ServedPool?,
        _ logger: Logger
    ) async throws {
        guard let store = blobs as? BucketStore else {
            try pool?.shareBucket(nil)
            return
        }
        let text = store.client.settings.text
        let isKnown = try BucketNameFile.read(data.path) != nil
        do {
            try await store.check()
            try await store.take(for: farmID(of: data))
        } catch ArtifactError.bucket(let error) where isKnown && error.exit == .unavailable {
            logger.warning("\(error.message) \(error.remedy)")
        }
        try pool?.shareBucket(text)
        try BucketNameFile.write(text, data.path)
    }

    /// Returns the farm's id: the same for all coordinators of a farm, and after a restore.
    private static func farmID(of data: DataFolder) -> String {
        let key = FileManager.default.contents(atPath: data.leaseKey) ?? Data()
        return Digest(of: Data("farm ".utf8) + key).hex
    }

    /// Returns the bucket of a configuration, for a command that reads it while the coordinator
    /// runs; `nil` if the blobs are in the data folder.
    ///
    /// - Throws: `BucketNoteError` if the data folder notes another bucket.
    static func bucket(
        _ configuration: CoordinatorConfiguration,
        _ environment: [String: String]
    ) throws -> BucketStore? {
        let folder = BlobStore(reading: configuration.data + "/blobs")
        return try bucket(configuration, environment, folder) {
            Int64(Date().timeIntervalSince1970 * 1000)
        }
    }

    private static func bucket(
        _ configuration: CoordinatorConfiguration,
        _ environment: [String: String],
        _ folder: BlobStore,
        now: @escaping @Sendable () -> Int64
    ) throws -> BucketStore? {
        let data = configuration.data
        let noted = try BucketNameFile.read(data)
        guard let settings = configuration.settings.bucket else {
            if let noted { throw BucketNoteError.folder(data, bucket: noted) }
            return nil
        }
        if let noted, noted != settings.text {
            throw BucketNoteError.other(data, bucket: noted, configured: settings.text)
        }
        return BucketStore(
            BucketClient(
                settings,
                accessKey: try configuration.secret(settings.accessKey, environment),
                secretKey: try configuration.secret(settings.secretKey, environment),
                now: now
            ),
            spool: folder
        )
    }
}

/// Reads and writes the file in a data folder that names the bucket of its blobs.
enum BucketNameFile {
    static let name = "blobs.bucket"

    /// Returns the noted bucket, or `nil` if the blobs are in the data folder.
    static func read(_ data: String) throws -> String? {
        try BoundedFile.read(data + "/" + name, bytesMax: 4_096).map {
            String(decoding: $0, as: UTF8.self).trimmingSpaces()
        }
    }

    static func write(_ text: String, _ data: String) throws {
        guard try read(data) != text else { return }
        try DurableFile.write(Data((text + "\n").utf8), to: data + "/" + name)
    }
}

/// The errors of a data folder whose blobs are not at the configured place.
package enum BucketNoteError: ExplainedError {
    case folder(String, bucket: String)
    case other(String, bucket: String, configured: String)
    case blobs(String, configured: String)
    /// A data folder notes a bucket that the command would have to read, but does not open.
    case unknown(String, bucket: String)

    package var code: String {
        switch self {
        case .folder, .other: "blobs-elsewhere"
        case .blobs: "blobs-in-folder"
        case .unknown: "blobs-in-bucket"
        }
    }
    package var message: String {
        switch self {
        case .folder(let data, let bucket):
            "the blobs of \(data) lie in a bucket (\(bucket)), and the configuration names none."
        case .other(let data, let bucket, let configured):
            "the blobs of \(data) lie in a bucket (\(bucket)), not in \(configured)."
        case .blobs(let folder, let configured):
            "there are blobs in \(folder), and the configuration names a bucket (\(configured))."
        case .unknown(let data, let bucket):
            "the blobs of \(data) lie in a bucket (\(bucket)), which this command does not open."
        }
    }
    package var remedy: String {
        switch self {
        case .folder, .other:
            "Name that bucket in `blobs:`; or copy the objects to where they are to lie and remove "
                + "the file \(BucketNameFile.name) (docs/s3.md)."
        case .blobs:
            "Copy the folder to the bucket with the same names, then move it away (docs/s3.md)."
        case .unknown: "Let the coordinator remove old runs: `retention:` in its configuration."
        }
    }
    package var exit: ExitCode { .configuration }
}
