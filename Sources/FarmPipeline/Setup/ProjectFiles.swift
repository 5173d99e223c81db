// The view of a repository for `snapfarm init`: the names of its files, and the text of those that
// the rules read. The rules read nothing else.
import FarmCore

/// The files of a repository.
package struct ProjectFiles: Sendable {
    /// The paths of the files relative to the root, with `/` between folders, sorted.
    package let paths: [String]
    /// The function that returns the text of a file of at most ``FarmLimits/setupFileBytesMax``, or
    /// `nil` if there is none.
    private let read: @Sendable (String) -> String?

    package init(paths: [String], read: @escaping @Sendable (String) -> String?) {
        self.paths = paths.sorted()
        self.read = read
    }

    package func text(_ path: String) -> String? { read(path) }

    /// Returns the files with this name, nearest to the root first.
    func named(_ name: String) -> [String] {
        paths.filter { $0 == name || $0.hasSuffix("/" + name) }.sorted(by: Self.nearer)
    }

    func ending(in suffix: String) -> [String] {
        paths.filter { $0.hasSuffix(suffix) }.sorted(by: Self.nearer)
    }

    func has(_ path: String) -> Bool { paths.contains(path) }

    /// Returns the folders with this name, nearest to the root first.
    func folders(named name: String) -> [String] {
        var found: Set<String> = []
        for path in paths {
            let parts = path.pathParts
            for (index, part) in parts.dropLast().enumerated() where part == name {
                found.insert(parts[...index].joined(separator: "/"))
            }
        }
        return found.sorted(by: Self.nearer)
    }

    /// Returns the files below a folder; an empty folder is the root.
    func below(_ folder: String) -> [String] {
        folder.isEmpty ? paths : paths.filter { $0.hasPrefix(folder + "/") }
    }

    /// Returns the folder of a file, or an empty text for the root.
    static func folder(of path: String) -> String {
        path.pathParts.dropLast().joined(separator: "/")
    }

    private static func nearer(_ one: String, _ other: String) -> Bool {
        (one.pathParts.count, one) < (other.pathParts.count, other)
    }
}
