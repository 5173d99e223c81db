// The names in one folder, sorted into pictures, folders and others. Links to files are read as
// files. Links to folders are never followed, so no tree is endless.
import FarmCore
import Foundation

/// The device and inode of a folder: equal for two paths to the same folder.
struct FolderIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Reads the identity of the folder at `path`, or returns `nil` if there is no folder.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        self.init(status)
    }
}

/// The kind of an input path of a comparison.
enum InputKind {
    case file
    case folder

    init(of path: String) throws(CompareError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw .unreadable(path, reason: String(cString: strerror(errno)))
            }
            throw .missing(path)
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: self = .folder
        case S_IFREG: self = .file
        default: throw .noFile(path)
        }
    }
}

/// The error of a folder that cannot be listed.
struct FolderError: ExplainedError {
    let path: PathBytes
    let reason: String

    var code: String { "folder-unreadable" }
    var message: String { "the folder \(path.shown) cannot be read: \(reason)." }
    var remedy: String { "Check its permissions; nothing in it was compared." }
    var exit: ExitCode { .invalidInput }
}

/// The names in one folder, each list sorted by bytes.
struct FolderEntries {
    private(set) var pictures: [[UInt8]] = []
    private(set) var folders: [[UInt8]] = []
    /// The names of other files, and of links to folders.
    private(set) var others: [[UInt8]] = []

    /// Creates an empty list of names.
    init() {}

    /// Lists the names in a folder; a folder in `skipping` gets none.
    ///
    /// If `isRoot`, the folder may be a link, because the user named it.
    init(path: PathBytes, isRoot: Bool, skipping: Set<FolderIdentity>) throws(FolderError) {
        let flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC | (isRoot ? 0 : O_NOFOLLOW)
        let descriptor = (path.bytes + [0]).withUnsafeBufferPointer { path in
            path.withMemoryRebound(to: CChar.self) { path in
                path.baseAddress.map { open($0, flags) } ?? -1
            }
        }
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
        // The stream takes the descriptor over and closes it.
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            throw Self.failure(code, path)
        }
        defer { closedir(stream) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(errno, path) }
        guard !skipping.contains(FolderIdentity(status)) else { return }
        try read(stream, descriptor, path)
        pictures.sort { $0.lexicographicallyPrecedes($1) }
        folders.sort { $0.lexicographicallyPrecedes($1) }
        others.sort { $0.lexicographicallyPrecedes($1) }
    }

    private mutating func read(
        _ stream: OpaquePointer,
        _ descriptor: Int32,
        _ path: PathBytes
    ) throws(FolderError) {
        var count = 0
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Self.failure(errno, path) }
                return
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard name != [0x2E], name != [0x2E, 0x2E], name != Self.git else { continue }
            count += 1
            guard count <= FarmLimits.comparedNamesMax else {
                throw FolderError(
                    path: path,
                    reason: "it holds more than \(FarmLimits.comparedNamesMax.grouped) names"
                )
            }
            add(name, type: Int32(entry.pointee.d_type), descriptor)
        }
    }

    /// The name `.git` of folders that are skipped: a repository has many objects, and none is a
    /// picture.
    private static let git = Array(".git".utf8)

    private mutating func add(_ name: [UInt8], type: Int32, _ descriptor: Int32) {
        let isPicture = PathBytes.isPicture(name)
        switch type {
        case Int32(DT_REG): if isPicture { pictures.append(name) } else { others.append(name) }
        case Int32(DT_DIR): folders.append(name)
        default:
            var own = stat()
            var target = stat()
            let isLink =
                Self.status(name, descriptor, AT_SYMLINK_NOFOLLOW, &own)
                && own.st_mode & S_IFMT == S_IFLNK
            let isFolder =
                Self.status(name, descriptor, 0, &target) && target.st_mode & S_IFMT == S_IFDIR
            if isFolder, !isLink {
                folders.append(name)
            } else if isPicture, !isFolder {
                // This includes pipes and dangling links, which are reported as broken.
                pictures.append(name)
            } else {
                others.append(name)
            }
        }
    }

    private static func status(
        _ name: [UInt8],
        _ descriptor: Int32,
        _ flags: Int32,
        _ status: inout stat
    ) -> Bool {
        (name + [0]).withUnsafeBufferPointer { name in
            name.withMemoryRebound(to: CChar.self) { name in
                name.baseAddress.map { fstatat(descriptor, $0, &status, flags) == 0 } ?? false
            }
        }
    }

    private static func failure(_ code: Int32, _ path: PathBytes) -> FolderError {
        FolderError(path: path, reason: String(cString: strerror(code)))
    }
}
