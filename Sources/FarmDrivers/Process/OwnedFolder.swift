// A temporary folder that goes with its owner: by `remove`, or with the next start of the farm
// where the owner was killed. Its mark is a file in it that the owner holds locked; the system lets
// go of the lock when the owner ends, whatever ends it, also in another container on the same disk.
import CFarmShims
import FarmCore
import FarmFiles
import Foundation

/// A fresh folder with a random name that only this user may open.
package final class OwnedFolder: Sendable {
    /// Absolute.
    package let path: String
    private let lock: Int32

    /// What the names of all of them in the system's temporary folder begin with.
    package static let prefix = "snapfarm-"

    /// Makes `<prefix><purpose>-<random>` in the system's temporary folder.
    ///
    /// - Throws: `DriverError`.
    package convenience init(_ purpose: String) throws(DriverError) {
        try self.init(in: NSTemporaryDirectory(), Self.prefix + purpose + "-")
    }

    /// Makes `<prefix><random>` in a folder that is there.
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

    /// Removes it with all it holds.
    package func remove() { Self.remove(path) }

    /// Removes a folder of which the caller holds the mark; `removeItem` is what removes one entry.
    ///
    /// The mark goes last: where this is cut off, the next start still knows whose the rest is.
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
