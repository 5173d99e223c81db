// `snapfarm restore`: a data folder from a backup, on a machine that may have nothing else.
//
// Invariants
//   - The numbers that the lost farm gave to leases and decisions after the backup are never given
//     again: the restored ledger continues far above them, so that an old worker cannot report.
//   - The data folder gets its name last, so an interrupted restore leaves nothing under that name.
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmServer
import Foundation

/// Restores a backup into a data folder.
package struct DataRestore {
    /// The absolute path of the backup's folder.
    let backup: String
    /// The absolute path of the data folder, which is empty or does not exist.
    let data: String

    /// Chooses the backup: `folder` itself, or the newest backup in it.
    package init(_ folder: String, data: String) throws {
        self.data = data
        let files = FileManager.default
        if files.fileExists(atPath: folder + "/ledger.sqlite") {
            backup = folder
        } else {
            let whole = try Self.names(in: folder).filter {
                !$0.hasSuffix(".part")
                    && files.fileExists(atPath: "\(folder)/\($0)/ledger.sqlite")
            }
            guard let newest = whole.max() else { throw BackupError.noBackup(folder) }
            backup = folder + "/" + newest
        }
        guard try Self.names(in: data).isEmpty else { throw BackupError.notEmpty(data) }
    }

    /// Returns the names in a folder; none if there is no folder.
    ///
    /// - Throws: `BackupError.unreadable` if the folder cannot be listed.
    private static func names(in folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw BackupError.unreadable(folder, error.inWords)
        }
    }

    /// Restores the backup; if `isForced`, accepts one that breaks invariants too.
    package func restore(isForced: Bool) throws -> RestoreReport {
        try Self.refuseLinks(in: backup)
        let check = try CheckReport(folder: backup, scrutiny: .contents)
        guard check.clean || isForced else {
            throw BackupError.broken(backup, check.brokenCount)
        }
        let missing = try missing()
        let stores = try Self.names(in: backup + "/stores")
        let part = data + ".part"
        let files = FileManager.default
        do {
            if files.fileExists(atPath: part) { try files.removeItem(atPath: part) }
            try files.createDirectory(
                atPath: part,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            // Copies, never hard links: a disk error in the farm's file must not reach the backup.
            for name in try files.contentsOfDirectory(atPath: backup) where name != "stores" {
                try files.copyItem(atPath: backup + "/" + name, toPath: part + "/" + name)
            }
        } catch let error as CocoaError {
            throw BackupError.unwritable(part, error.inWords)
        }
        try SQLiteLedger.raiseNumbers(inFileAt: part + "/ledger.sqlite")
        var report = RestoreReport(backup: backup, data: data, runs: check.runs)
        report.isAlone = check.bucket == nil
        report.missing = missing
        for name in stores {
            try files.createDirectory(atPath: part + "/stores", withIntermediateDirectories: true)
            try BackupFolder.mirror(
                "\(backup)/stores/\(name)",
                to: "\(part)/stores/\(name)",
                ["--no-hardlinks"]
            )
            report.stores.append("\(data)/stores/\(name)")
        }
        // An existing empty folder is removed.
        rmdir(data)
        try BackupFolder.settle(part, at: data)
        return report
    }
}

// MARK: checks of a backup

extension DataRestore {
    /// Refuses a backup with links or special files: a link would make other files of this machine
    /// a part of the farm, or let the farm write into them.
    private static func refuseLinks(in folder: String) throws {
        let files = FileManager.default
        guard let paths = files.enumerator(atPath: folder) else { return }
        for case let path as String in paths {
            let type = paths.fileAttributes?[.type] as? FileAttributeType
            guard type == .typeRegular || type == .typeDirectory else {
                throw BackupError.linked(folder + "/" + path)
            }
        }
    }

    /// Returns the files that the backup lacks and that a coordinator creates anew; throws if an
    /// existing one is unusable.
    private func missing() throws -> [MissingFile] {
        try MissingFile.allCases.filter { file in
            let path = backup + "/" + file.rawValue
            guard FileManager.default.fileExists(atPath: path) else { return true }
            switch file {
            case .tokens: _ = try TokenFile(path: path, clock: { 0 }).records()
            case .leaseKey:
                var random = SystemRandomNumberGenerator()
                _ = try LeaseKeyFile.sealer(path, using: &random)
            }
            return false
        }
    }
}

/// A file that a farm can replace if a backup lacks it, at a cost.
enum MissingFile: String, Encodable, CaseIterable {
    case tokens = "tokens.json"
    case leaseKey = "lease.key"

    /// Returns a text with the cost of the file's loss, and the remedy.
    func words(_ data: String, isAlone: Bool) -> String {
        switch self {
        case .tokens:
            "tokens.json is not in the backup: the coordinator refuses all workers, callers and logins. "
                + "Make new tokens: snapfarm tokens create NAME --scope SCOPE --data \(data)"
        case .leaseKey:
            "lease.key is not in the backup, and the coordinator makes a new one: what workers run now "
                + "runs again, and people log in again."
                + (isAlone
                    ? "" : " Remove the object `farm` from the bucket, which knows the old one.")
        }
    }
}

/// The result of a restore.
package struct RestoreReport: Encodable, Hashable {
    var schemaVersion = 1
    var backup: String
    var data: String
    var runs: Int
    /// The absolute paths of the restored reference stores.
    var stores: [String] = []
    /// Whether the blobs are in the data folder, and not in a bucket.
    var isAlone = true
    var missing: [MissingFile] = []

    private enum CodingKeys: String, CodingKey {
        case schemaVersion, backup, data, runs, stores, missing
    }

    /// Returns the report as lines for a terminal.
    package func text() -> String {
        var lines = ["Restored \(runs) runs from \(backup) to \(data)."]
        lines += stores.map { "A reference store is in \($0): name it under `stores:`." }
        lines += missing.map { $0.words(data, isAlone: isAlone) }
        lines.append("What came after the backup is not there: start those runs again.")
        lines.append(
            isAlone
                ? "Next: snapfarm serve --data \(data)"
                : "Next: name that folder as `data:` in the coordinator's configuration, which names its "
                    + "bucket, too; then snapfarm serve --config FILE"
        )
        return lines.joined(separator: "\n") + "\n"
    }
}
