// What `snapfarm init` sees of a repository: the names of its files, and the text of those it asks
// for. The rules of this module read nothing else.
import FarmCore

/// A repository's files.
package struct RepositoryFiles: Sendable {
    /// Relative to the root, `/` between folders, sorted.
    package let paths: [String]
    /// The text of a file of at most ``FarmLimits/setupFileBytesMax``; nil where there is none.
    private let read: @Sendable (String) -> String?

    package init(paths: [String], read: @escaping @Sendable (String) -> String?) {
        self.paths = paths.sorted()
        self.read = read
    }

    package func text(_ path: String) -> String? { read(path) }

    /// Those with this name, nearest to the root first.
    func named(_ name: String) -> [String] {
        paths.filter { $0 == name || $0.hasSuffix("/" + name) }.sorted(by: Self.nearer)
    }

    func ending(in suffix: String) -> [String] {
        paths.filter { $0.hasSuffix(suffix) }.sorted(by: Self.nearer)
    }

    func has(_ path: String) -> Bool { paths.contains(path) }

    /// Folders with this name, nearest to the root first.
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

    /// Below a folder; all for the root.
    func below(_ folder: String) -> [String] {
        folder.isEmpty ? paths : paths.filter { $0.hasPrefix(folder + "/") }
    }

    /// The folder that a file lies in; empty for the root.
    static func folder(of path: String) -> String {
        path.pathParts.dropLast().joined(separator: "/")
    }

    private static func nearer(_ one: String, _ other: String) -> Bool {
        (one.pathParts.count, one) < (other.pathParts.count, other)
    }
}
