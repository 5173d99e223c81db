// The folder of one backup: filled under a temporary name, and renamed at the end.
import FarmArtifacts
import FarmCore
import FarmFiles
import FarmGit
import Foundation

struct BackupFolder {
    /// The path of the finished backup's folder.
    let path: String
    /// The path of the backup's folder until the backup is complete.
    let part: String
    /// The path of the newest complete backup in the same place, or `nil` for the first backup.
    private let previous: String?
    private static let ending = ".part"
    /// The time limit for copying one reference store, in seconds; Git prints nothing meanwhile.
    private static let storeSeconds = 3_600

    /// Creates the folder of a backup at that time, for its owner only, because it holds tokens and
    /// keys.
    ///
    /// Removes what an earlier backup left unfinished.
    init(_ place: String, at now: Int64) throws {
        let name = Self.name(at: now)
        path = place + "/" + name
        part = path + Self.ending
        do {
            try Self.makePrivate(place)
            let names = try FileManager.default.contentsOfDirectory(atPath: place)
            guard !names.contains(name) else { throw BackupError.exists(path) }
            for name in names where name.hasSuffix(Self.ending) {
                guard Self.isName(String(name.dropLast(Self.ending.count))) else { continue }
                try FileManager.default.removeItem(atPath: place + "/" + name)
            }
            previous = names.filter(Self.isName).max().map { place + "/" + $0 }
            try Self.makePrivate(part + "/blobs")
        } catch let error as CocoaError {
            throw BackupError.unwritable(place, error.inWords)
        }
    }

    /// Returns the name of a backup at that time, such as `20261125-181200`; names sort by time.
    static func name(at now: Int64) -> String {
        let text = ISO8601.text(now).prefix(19).replacing("T", with: "_")
        return text.filter { $0 != "-" && $0 != ":" }.replacing("_", with: "-")
    }

    private static func isName(_ name: String) -> Bool {
        name.wholeMatch(of: /[0-9]{8}-[0-9]{6}/) != nil
    }

    private static func makePrivate(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    // MARK: filling

    /// Copies a file into the backup, if the file exists.
    func copy(_ file: String, as name: String) throws {
        guard FileManager.default.fileExists(atPath: file) else { return }
        try Self.copy(file, to: part + "/" + name)
    }

    /// Copies all blobs of a data folder into the backup; hard-links those that the previous backup
    /// has.
    func copyBlobs(of data: String, into report: inout BackupReport) throws {
        let source = BlobStore(reading: data + "/blobs")
        let target = BlobStore(reading: part + "/blobs")
        let earlier = previous.map { BlobStore(reading: $0 + "/blobs") }
        try source.forEachBlob { blob in
            let path = target.path(of: blob.digest)
            try Self.makePrivate(path.parentFolder)
            report.blobs += 1
            report.blobBytes += blob.bytes
            if let earlier, earlier.size(of: blob.digest) == blob.bytes,
                link(earlier.path(of: blob.digest), path) == 0
            {
                report.linkedBlobs += 1
            } else {
                try Self.copy(source.path(of: blob.digest), to: path)
            }
        }
    }

    /// Copies a pipeline's reference store into the backup with Git, which is safe while others
    /// write to the store.
    func copyStore(_ store: String, of pipeline: String) throws {
        try Self.makePrivate(part + "/stores")
        try Self.mirror(store, to: Self.store(of: pipeline, in: part))
    }

    /// Flushes the finished backup to the disk and gives it its name.
    func finish() throws { try Self.settle(part, at: path) }

    // MARK: for backup and restore

    /// Returns the path of a pipeline's store in a backup; it does not depend on the configuration.
    static func store(of pipeline: String, in folder: String) -> String {
        let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_"))
        let name = pipeline.addingPercentEncoding(withAllowedCharacters: plain) ?? "store"
        return folder + "/stores/" + name + ".git"
    }

    /// Flushes all files in the folder `part` to the disk, then renames the folder to `path`.
    static func settle(_ part: String, at path: String) throws {
        let names = FileManager.default.enumerator(atPath: part)?.compactMap { $0 as? String }
        do throws(FileFailure) {
            try DurableFile.flush((names ?? []).map { part + "/" + $0 }, below: part)
            guard rename(part, path) == 0 else { throw .last("rename", path) }
            try DurableFile.flushFolder(of: path)
        } catch {
            throw BackupError.unwritable(path, error.reason)
        }
    }

    static func copy(_ file: String, to target: String) throws {
        do {
            try FileManager.default.copyItem(atPath: file, toPath: target)
        } catch let error as CocoaError {
            throw BackupError.unwritable(target, error.inWords)
        }
    }

    /// Copies a whole bare repository with its settings.
    ///
    /// On the same disk Git links to the files, which it never changes, unless `options` say
    /// otherwise.
    static func mirror(_ store: String, to target: String, _ options: [String] = []) throws {
        let ending = try ChildProgram.run(
            ["git", "clone", "--quiet", "--mirror"] + options + ["--", store, target],
            environment: ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") },
            stallSeconds: storeSeconds,
            secondsMax: storeSeconds
        )
        guard case .done(let result) = ending else {
            throw BackupError.store(store, "git did not end")
        }
        guard result.status == 0 else { throw BackupError.store(store, result.errors) }
        try FileManager.default.removeItem(atPath: target + "/config")
        try copy(store + "/config", to: target + "/config")
    }
}

/// The errors of backup and restore.
package enum BackupError: ExplainedError {
    case exists(String)
    case unwritable(String, String)
    case unreadable(String, String)
    case store(String, String)
    case noBackup(String)
    case notEmpty(String)
    case broken(String, Int)
    /// A backup has an entry that is neither a file nor a folder.
    case linked(String)

    package var code: String {
        switch self {
        case .exists: "backup-exists"
        case .unwritable: "backup-unwritable"
        case .unreadable: "backup-unreadable"
        case .store: "backup-store"
        case .noBackup: "no-backup"
        case .notEmpty: "folder-not-empty"
        case .broken: "backup-broken"
        case .linked: "backup-linked"
        }
    }
    package var message: String {
        switch self {
        case .exists(let path): "there is a backup \(path) already."
        case .unwritable(let path, let reason): "\(path) could not be written: \(reason)."
        case .unreadable(let path, let reason):
            "\(path) could not be read: \(reason); nothing was restored."
        case .store(let store, let reason):
            "the reference store \(store) could not be copied: \(reason.trimmingSpaces())."
        case .noBackup(let path): "there is no backup in \(path)."
        case .notEmpty(let path): "\(path) is not empty, and nothing was restored."
        case .broken(let path, let count):
            "the backup \(path) is damaged in \(count == 1 ? "1 place" : "\(count) places"); nothing "
                + "was restored."
        case .linked(let path):
            "\(path) is a link or another special file, which no backup has; nothing was restored."
        }
    }
    package var remedy: String {
        switch self {
        case .exists: "Wait a second, or name another folder with --to."
        case .unwritable: "Check the folder's rights and the disk's space, and try again."
        case .unreadable: "Name a folder that you may read, and try again."
        case .store: "Run `snapfarm refs verify` in it, and try again."
        case .noBackup: "Name a folder such as BACKUPS/20261125-181200, or the one that holds them."
        case .notEmpty: "Name a folder that is empty or not there with --data."
        case .broken:
            "Ask `snapfarm check --data BACKUP --deep` which; restore an older backup, or this one "
                + "with --anyway."
        case .linked:
            "Restore another backup, or this one after you have replaced the link by its file."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .exists: .busy
        case .unwritable, .unreadable, .store: .inputOutput
        case .noBackup, .notEmpty, .broken, .linked: .invalidInput
        }
    }
}
