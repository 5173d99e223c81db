// Listing Git references by name.
import CGit2
import FarmCore

extension GitRepository {
    /// References that are read at most; far above what a store keeps.
    private static let referencesMax = 1_000_000

    /// Names and targets of the references that match a glob, sorted by name.
    func references(matching glob: String) throws -> [(name: String, target: ObjectID)] {
        var iterator: OpaquePointer?
        try GitLibrary.check(
            git_reference_iterator_glob_new(&iterator, handle, glob),
            "list \(glob) of \(path)"
        )
        defer { git_reference_iterator_free(iterator) }
        var found: [(name: String, target: ObjectID)] = []
        while found.count < Self.referencesMax {
            var name: UnsafePointer<CChar>?
            let code = git_reference_next_name(&name, iterator)
            guard code != GIT_ITEROVER.rawValue else { break }
            try GitLibrary.check(code, "list \(glob) of \(path)")
            guard let name else { continue }
            let text = String(cString: name)
            // Nil where another process deleted it meanwhile.
            if let target = try target(of: text) { found.append((text, target)) }
        }
        return found.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Every visible set, by id.
    func sets() throws -> [ObjectID] {
        try references(matching: "refs/snapfarm/sets/*").map(\.target)
    }
}
