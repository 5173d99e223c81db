// The links among the files of a bundle. Frameworks have some (`Versions/Current -> A`); with
// copies of the targets in their place, a signature would break.
import FarmCore
import Foundation

struct BundleLinks {
    private let workTree: String
    private let root: String
    /// The relative paths of all files in the bundle.
    private let paths: Set<String>
    /// The relative paths of the folders that have these files; "" for the root.
    private let folders: Set<String>

    /// Makes the rule for a bundle with the files at `paths`, relative to the absolute path
    /// `workTree`.
    init(workTree: String, paths: Set<String>) {
        self.workTree = workTree
        self.paths = paths
        root = Self.real(workTree)
        var folders: Set<String> = [""]
        for path in paths {
            var folder = path
            while !folder.isEmpty {
                folder = Self.folder(of: folder)
                guard folders.insert(folder).inserted else { break }
            }
        }
        self.folders = folders
    }

    /// Returns a link's target, as the link spells it, or `nil` if a copy of the link would lead
    /// elsewhere or to nothing.
    func target(of link: String) -> String? {
        let full = workTree + "/" + link
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: full),
            BundleRules.isInside(target, from: link), FileManager.default.fileExists(atPath: full),
            let end = BundleRules.relative(Self.real(full), to: root), holds(end),
            holdsWay(to: target, from: link)
        else { return nil }
        return target
    }

    func isFileOfWorkTree(_ path: String) -> Bool {
        let real = Self.real(workTree + "/" + path)
        return real.path(below: root) != nil && FileKind.of(real) == .file
    }

    private func holds(_ path: String) -> Bool { paths.contains(path) || folders.contains(path) }

    /// Returns whether every step of the way from a link to its target is in the bundle, up to the
    /// first other link.
    private func holdsWay(to target: String, from link: String) -> Bool {
        var place = Self.folder(of: link)
        for part in target.pathParts {
            place =
                part == ".." ? Self.folder(of: place) : place.isEmpty ? part : place + "/" + part
            guard holds(place) else { return false }
            if FileKind.of(workTree + "/" + place) == .link { return true }
        }
        return true
    }

    private static func folder(of path: String) -> String {
        path.pathParts.dropLast().joined(separator: "/")
    }

    private static func real(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
}
