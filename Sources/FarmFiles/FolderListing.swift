// Lists the files below a folder of a work tree. Links are listed but never followed, and only
// regular files count, so that nothing outside is read and no pipe blocks the reader.
import FarmCore
import Foundation

/// The entries below a folder; all paths are relative to it and sorted by bytes.
package struct FolderListing {
    /// The largest number of files: those of one run's plan, with a text beside each picture.
    private static let filesMax = 2 * FarmLimits.plannedTestsMax

    /// The paths of regular files.
    package private(set) var files: [String] = []
    package private(set) var links: [String] = []
    /// The paths of pipes, sockets and devices.
    package private(set) var specials: [String] = []
    /// The paths with names that are not UTF-8, with replacement characters.
    package private(set) var unreadable: [String] = []

    private let root: GuardedFolder
    private let skips: (String) -> Bool

    /// Lists a folder; a folder that does not exist has no files.
    ///
    /// Folders for which `skips` is true are not entered, and neither is any `.git`.
    package init(
        of root: GuardedFolder,
        below: String = "",
        skipping skips: @escaping (String) -> Bool = { _ in false }
    ) throws {
        self.root = root
        self.skips = skips
        try visit(below)
        files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        links.sort()
        specials.sort()
        unreadable.sort()
    }

    private mutating func visit(_ relative: String) throws {
        guard let folder = try root.open(relative, making: false) else { return }
        // readdir owns the descriptor and closes it.
        let copy = fcntl(folder.descriptor, F_DUPFD_CLOEXEC, 0)
        guard let stream = fdopendir(copy) else {
            throw GuardedFolderError.system("list \(folder.path)")
        }
        defer { closedir(stream) }
        var inner: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 1_024) {
                    (shown: String(cString: $0), exact: String(validatingCString: $0))
                }
            }
            guard name.shown != ".", name.shown != "..", name.shown != ".git" else { continue }
            let path = relative.isEmpty ? name.shown : "\(relative)/\(name.shown)"
            guard let exact = name.exact else {
                unreadable.append(path)
                continue
            }
            switch try folder.status(exact)?.kind {
            case .file: files.append(path)
            case .link: links.append(path)
            case .special: specials.append(path)
            case .folder: if !skips(path) { inner.append(path) }
            case nil: break
            }
            guard files.count <= Self.filesMax else {
                throw GuardedFolderError.tooManyFiles(root.path, filesMax: Self.filesMax)
            }
        }
        for path in inner { try visit(path) }
    }
}
