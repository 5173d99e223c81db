// The key that seals a coordinator's leases. It outlives the process, so that workers go on with
// their leases when the coordinator is started again.
import FarmCore
import FarmFiles
import Foundation

/// The file of the key that seals leases.
package enum LeaseKeyFile {
    /// Returns the sealer with the key of the file at `path`.
    ///
    /// Makes the key if there is no file.
    ///
    /// - Throws: `LeaseKeyError`.
    package static func sealer(
        _ path: String,
        using generator: inout some RandomNumberGenerator
    ) throws -> LeaseSealer {
        guard FileManager.default.fileExists(atPath: path) else {
            let key = LeaseSealer.randomKey(using: &generator)
            do {
                try DurableFile.write(key, to: path, readers: .owner)
            } catch {
                throw LeaseKeyError.unwritable(path, error.reason)
            }
            return try sealer(of: key, path)
        }
        guard let key = FileManager.default.contents(atPath: path) else {
            throw LeaseKeyError.unreadable(path, FileFailure.last("read", path).reason)
        }
        return try sealer(of: key, path)
    }

    private static func sealer(of key: Data, _ path: String) throws -> LeaseSealer {
        guard let sealer = LeaseSealer(key: key) else {
            let expected = "it has \(key.count) bytes instead of \(LeaseSealer.keyBytes)"
            throw LeaseKeyError.unreadable(path, expected)
        }
        return sealer
    }
}

/// The reason why the key of leases cannot be read or written.
package enum LeaseKeyError: ExplainedError, Hashable {
    case unreadable(String, String)
    case unwritable(String, String)

    package var code: String {
        switch self {
        case .unreadable: "lease-key-unreadable"
        case .unwritable: "lease-key-unwritable"
        }
    }
    package var message: String {
        switch self {
        case .unreadable(let path, let reason):
            "the key of leases in \(path) cannot be read: \(reason)."
        case .unwritable(let path, let reason):
            "the key of leases in \(path) cannot be kept: \(reason)."
        }
    }
    package var remedy: String {
        switch self {
        case .unreadable:
            "Make it readable, or remove it: what workers run now is then run again."
        case .unwritable: "Check the folder's rights and the disk's space."
        }
    }
    package var exit: ExitCode { .inputOutput }
}
