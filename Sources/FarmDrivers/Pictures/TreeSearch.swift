// Finds the folders of a work tree in which tests may look for their references: beside every
// source file. No link is followed, and no hidden folder entered: builds and foreign checkouts lie
// there.
import FarmCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct TreeSearch {
    private static let depthMax = 64

    private let root: String
    private let name: String
    private let ending: String
    /// The paths, relative to the tree, that are or may become folders of references; sorted.
    private(set) var borrowed: [String] = []
    /// The folders of source files, by the files' names without ending.
    private(set) var foldersOfSources: [String: [String]] = [:]

    init(_ root: String, name: String, ending: String) throws {
        self.root = root
        self.name = name
        self.ending = ending
        try visit("", depth: 0)
        borrowed.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private mutating func visit(_ folder: String, depth: Int) throws {
        guard depth < Self.depthMax else { return }
        guard let stream = opendir(folder.isEmpty ? root : "\(root)/\(folder)") else { return }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 1_024) {
                        String(cString: $0)
                    }
                }
            )
        }
        closedir(stream)
        var isBeside = names.contains(name)
        for file in names where !file.hasPrefix(".") && file != name {
            let path = folder.isEmpty ? file : "\(folder)/\(file)"
            if file.hasSuffix(ending), file != ending {
                isBeside = true
                foldersOfSources[String(file.dropLast(ending.count)), default: []].append(folder)
            } else if !FrameworkReferences.foreignFolders.contains(file),
                fileKind("\(root)/\(path)") == .folder
            {
                try visit(path, depth: depth + 1)
            }
        }
        guard isBeside else { return }
        borrowed.append(folder.isEmpty ? name : "\(folder)/\(name)")
        guard borrowed.count <= FarmLimits.borrowedFoldersMax else {
            throw BorrowError.tooManyFolders(root: root)
        }
    }
}
