// The folder of `--diff-dir` or `--report`. At the start it must be empty, or have the mark of an
// earlier comparison, so that no input file is overwritten. Nothing is written through a link in it.
import FarmCore
import Foundation

/// The folder that a comparison writes into.
final class DiffFolder: Sendable {
    /// The kind of a folder; its file marks the folder as made by a comparison.
    enum Kind: String {
        case differences = ".snapfarm-compare"
        case report = ".snapfarm-report"
    }

    private static let temporaryPrefix = ".snapfarm-tmp-"

    /// The folder's path, as the caller gave it.
    let path: String
    let identity: FolderIdentity
    private let descriptor: Int32

    /// Opens the folder at `path`, and creates it if it is missing.
    init(_ path: String, _ kind: Kind = .differences) throws(CompareError) {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true
            )
        } catch {
            throw .write(path, reason: Self.reason(error))
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw .writing(path) }
        identity = FolderIdentity(status)
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        guard let names else { throw .write(path, reason: "it cannot be listed") }
        guard names.isEmpty || names.contains(kind.rawValue) else {
            throw .occupied(path, option: kind == .report ? "--report" : "--diff-dir")
        }
        let file = openat(
            descriptor,
            kind.rawValue,
            O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
            0o644
        )
        guard file >= 0 else { throw .writing("\(path)/\(kind.rawValue)") }
        close(file)
    }

    deinit { close(descriptor) }

    /// Removes files and folders of an earlier comparison, by their names in this folder.
    func remove(_ names: [String]) throws(CompareError) {
        let files = FileManager.default
        for name in names where (try? files.attributesOfItem(atPath: "\(path)/\(name)")) != nil {
            do {
                try files.removeItem(atPath: "\(path)/\(name)")
            } catch {
                throw .write("\(path)/\(name)", reason: Self.reason(error))
            }
        }
    }

    /// Writes a file atomically, creates the folders on its path, and returns its path.
    ///
    /// Calls at the same time need different numbers.
    func write(_ relative: PathBytes, _ bytes: [UInt8], number: Int) throws(CompareError) -> String
    {
        let shown = "\(path)/\(relative.shown)"
        // Names come from listed folders. The check is a second guard against a path out of this
        // folder.
        guard let parts = relative.parts, let name = parts.last else {
            throw .write(shown, reason: "the path leads out of the folder")
        }
        var folders: [Int32] = []
        defer { for folder in folders { close(folder) } }
        for part in parts.dropLast() {
            folders.append(try enter(part, in: folders.last ?? descriptor, shown))
        }
        let folder = folders.last ?? descriptor
        let temporary = Array("\(Self.temporaryPrefix)\(getpid())-\(number)".utf8)
        do throws(CompareError) {
            try fill(temporary, in: folder, bytes, shown)
            let code = Self.withText(temporary) { temporary in
                Self.withText(name) { renameat(folder, temporary, folder, $0) }
            }
            guard code == 0 else { throw .writing(shown) }
        } catch {
            _ = Self.withText(temporary) { unlinkat(folder, $0, 0) }
            throw error
        }
        return "\(path)/\(relative.text)"
    }

    /// Opens a subfolder, and creates it if it is missing; follows no link.
    private func enter(
        _ name: [UInt8],
        in folder: Int32,
        _ shown: String
    ) throws(CompareError) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var next = Self.withText(name) { openat(folder, $0, flags) }
        if next < 0, errno == ENOENT {
            let made = Self.withText(name) { mkdirat(folder, $0, 0o777) }
            // Another task may have created the folder.
            guard made == 0 || errno == EEXIST else { throw .writing(shown) }
            next = Self.withText(name) { openat(folder, $0, flags) }
        }
        guard next >= 0 else { throw .writing(shown) }
        return next
    }

    private func fill(
        _ name: [UInt8],
        in folder: Int32,
        _ bytes: [UInt8],
        _ shown: String
    ) throws(CompareError) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let file = Self.withText(name) { openat(folder, $0, flags, 0o644) }
        guard file >= 0 else { throw .writing(shown) }
        defer { close(file) }
        var done = 0
        while done < bytes.count {
            let wrote = bytes.withUnsafeBytes { buffer in
                Foundation.write(file, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if wrote < 0, errno == EINTR { continue }
            guard wrote > 0 else { throw .writing(shown) }
            done += wrote
        }
    }

    private static func withText(
        _ name: [UInt8],
        _ body: (UnsafePointer<CChar>) -> Int32
    ) -> Int32 {
        (name + [0]).withUnsafeBufferPointer { name in
            name.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(body) ?? -1 }
        }
    }

    private static func reason(_ error: any Error) -> String {
        let inner = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        let code = inner?.domain == NSPOSIXErrorDomain ? inner?.code : nil
        return code.map { String(cString: strerror(Int32($0))) } ?? error.inWords
    }
}
