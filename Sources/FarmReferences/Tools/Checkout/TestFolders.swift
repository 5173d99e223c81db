// Finds the test files of suites. swift-snapshot-testing keeps references beside the test file, but
// a set contains only the test file's name, so a checkout must search for the file.
import FarmCore
import FarmFiles

/// The folders of the suites' test files in a work tree.
package struct TestFolders: Hashable, Sendable, Codable {
    /// The folder of each suite's test file, for `ReferenceLayout.pointFree`.
    package var folders: [String: String] = [:]
    /// Suites without a test file of their name.
    package var missing: [String] = []
    /// Suites with several test files of their name, and the folders of these files.
    package var ambiguous: [String: [String]] = [:]

    /// The names of folders that are not searched: those of build products and of dependencies.
    private static let skipped: Set<String> = [
        ".build", "Build", "Carthage", "DerivedData", "Pods", "node_modules",
    ]
    private static let extensions = [".swift", ".m", ".mm"]

    /// Searches a work tree for the suites' test files, without following links.
    package init(of suites: some Sequence<String>, in workTree: String) throws {
        let wanted = Set(suites)
        var found: [String: Set<String>] = [:]
        let listing = try FolderListing(of: GuardedFolder(workTree)) { path in
            Self.skipped.contains(GuardedFolder.split(path).name)
        }
        for path in listing.files {
            let (folder, name) = GuardedFolder.split(path)
            for end in Self.extensions where name.hasSuffix(end) {
                let suite = String(name.dropLast(end.count))
                if wanted.contains(suite) { found[suite, default: []].insert(folder) }
            }
        }
        for suite in wanted.sorted() {
            let places = found[suite]?.sorted() ?? []
            switch places.count {
            case 0: missing.append(suite)
            case 1: folders[suite] = places[0]
            default: ambiguous[suite] = places
            }
        }
    }
}
