// A temporary folder that goes with its owner: by `remove` or, if the owner was killed, at the next
// start of the farm. Its mark is a file in it that the owner holds locked. The system releases the
// lock when the owner ends, for whatever reason, also in another container on the same disk.
import CFarmShims
import FarmCore
import FarmFiles
import Foundation

/// A new temporary folder with a random name that only this user may open.
package final class OwnedFolder: Sendable {
    /// The absolute path.
    package let path: String
    private let lock: Int32

    /// The beginning of the names of all such folders in the system's temporary folder.
    package static let prefix = "snapfarm-"

    /// Makes `<prefix><purpose>-<random>` in the system's temporary folder.
    ///
    /// - Throws: `DriverError`.
    package convenience init(_ purpose: String) throws(DriverError) {
        try self.init(in: NSTemporaryDirectory(), Self.prefix + purpose + "-")
    }

    /// Makes `<prefix><random>` in an existing folder.
    package init(in folder: String, _ prefix: String) throws(DriverError) {
        let parent = URL(fileURLWithPath: folder).standardizedFileURL.path
        var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .fileUnwritable(path: parent, reason: String(cString: strerror(errno)))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        lock = farm_own_folder(path)
        guard lock >= 0 else {
            let reason = String(cString: strerror(errno))
            rmdir(path)
            throw .fileUnwritable(path: path, reason: reason)
        }
    }

    deinit { farm_leave_folder(lock) }

    /// Removes the folder with its content.
    package func remove() { Self.remove(path) }

    /// Removes a folder whose mark the caller holds; `removeItem` removes one entry.
    ///
    /// The mark goes last: if the removal is interrupted, the next start still knows the owner of
    /// the rest.
    package static func remove(
        _ folder: String,
        by removeItem: (String) throws -> Void = { FolderTree.remove($0) }
    ) {
        func names() -> [String]? { try? FileManager.default.contentsOfDirectory(atPath: folder) }
        for name in names() ?? [] where name != FARM_OWNER_FILE {
            try? removeItem(folder + "/" + name)
        }
        guard names() == [FARM_OWNER_FILE] else { return }
        try? removeItem(folder + "/" + FARM_OWNER_FILE)
        rmdir(folder)
    }
}
