// The submodule form of a pin, for teams that use Git's own submodules: a submodule entry (mode
// 160000) in the project's index that names a set, with its section of `.gitmodules`. The section
// says `shallow = true`: a set has no history, and Git then fetches only its pictures.
//
// Invariants
//   - Only the index, `.gitmodules` and the empty folder of the submodule are changed. The user
//     commits them.
//   - Settings of other tools in `.gitmodules` stay.
import FarmCore
import FarmFiles
import FarmGit
import Foundation

/// A pin that is a submodule.
package struct GitlinkPin: Hashable, Sendable, Codable {
    /// The path of the submodule from the root of the project, with `/`.
    package var path: String
    /// The URL in Git's syntax.
    ///
    /// A relative one (`../references.git`) is relative to the project's remote.
    package var url: String
    /// The commit of the set.
    package var set: ObjectID

    /// Makes a pin, and checks that its path and URL are safe.
    ///
    /// - Throws: `GitlinkPinError` for a path that leaves the project or a URL that is a command.
    package init(path: String, url: String, set: ObjectID) throws {
        try Self.check(path: path)
        try Self.check(url: url)
        self.path = path
        self.url = url
        self.set = set
    }

    /// The pin as lines for a terminal, as `refs pin` prints them.
    package var lines: [String] { ["submodule \(path)", "url \(url)", "set \(set)"] }

    private static func check(path: String) throws {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        for part in parts {
            guard let safe = try? PathComponent(part), safe.text.utf8.elementsEqual(part.utf8),
                part.lowercased() != ".git", !part.utf8.contains(UInt8(ascii: "\\")),
                !part.hasLeadingDash
            else { throw GitlinkPinError.badPath(path) }
        }
    }

    /// Refuses URLs that Git would run as a command (`ext::`) or take as an option (a leading `-`).
    private static func check(url: String) throws {
        let isLine = url.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        guard !url.isEmpty, url.utf8.count <= 4_096, isLine, !url.hidesSigns,
            !url.hasLeadingDash, !url.contains("::")
        else { throw GitlinkPinError.badURL(url) }
    }
}

/// An error of a pin that is a submodule.
package enum GitlinkPinError: ExplainedError, Equatable {
    case badPath(String)
    case badURL(String)
    /// The path exists and is not a submodule.
    case pathTaken(String)
    case noWorkTree(String)
    /// The index has a submodule that `.gitmodules` does not describe.
    case undescribed(path: String)

    package var code: String {
        switch self {
        case .badPath: "gitlink-path-invalid"
        case .badURL: "gitlink-url-invalid"
        case .pathTaken: "gitlink-path-taken"
        case .noWorkTree: "gitlink-no-work-tree"
        case .undescribed: "gitlink-undescribed"
        }
    }
    package var exit: ExitCode { .configuration }
    package var message: String {
        switch self {
        case .badPath(let path): "\(path.debugDescription) cannot be the folder of a submodule."
        case .badURL(let url): "\(url.prefix(200).debugDescription) is no URL for a submodule."
        case .pathTaken(let path): "\"\(path)\" is in the project already, and no submodule."
        case .noWorkTree(let path): "\(path): the repository has no work tree."
        case .undescribed(let path): ".gitmodules says nothing about the submodule \"\(path)\"."
        }
    }
    package var remedy: String {
        switch self {
        case .badPath: "Name a folder inside the project, for example `references`."
        case .badURL: "Name the store as Git clones it: https://…, ssh://…, a path."
        case .pathTaken: "Choose another folder, or move what is there away (git mv)."
        case .noWorkTree: "Run the command in a clone with checked-out files."
        case .undescribed: "Set it again: snapfarm refs pin --gitlink."
        }
    }
}

extension MainRepository {
    /// Returns the pin that the index has at a path, or `nil` if there is no submodule.
    ///
    /// - Throws: `GitlinkPinError.undescribed` if `.gitmodules` lacks the submodule.
    package func gitlink(at path: String) throws -> GitlinkPin? {
        let entry = try using { repository throws(GitError) in
            try GitIndex(of: repository).entry(at: path)
        }
        guard let entry, entry.kind == .submodule else { return nil }
        guard let section = try section(of: path), let url = section.url else {
            throw GitlinkPinError.undescribed(path: path)
        }
        return try GitlinkPin(path: path, url: url, set: entry.object)
    }

    /// Writes a pin to the index and `.gitmodules`, which is staged, and creates its folder.
    ///
    /// An existing submodule entry gets the new set and URL.
    package func write(_ pin: GitlinkPin) throws {
        let root = try root()
        let index = try using { repository throws(GitError) in try GitIndex(of: repository) }
        if let entry = index.entry(at: pin.path), entry.kind != .submodule {
            throw GitlinkPinError.pathTaken(pin.path)
        }
        let folder = "\(root)/\(pin.path)"
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
            !isFolder.boolValue
        {
            throw GitlinkPinError.pathTaken(pin.path)
        }
        try describe(pin, root: root)
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
        } catch {
            throw MergeError.file(path: folder, reason: "cannot be made (\(error.inWords))")
        }
        try using { _ throws(GitError) in
            try index.add(submodule: pin.path, at: pin.set)
            try index.add(file: ".gitmodules")
            try index.write()
        }
    }

    /// Removes a submodule pin from the index and `.gitmodules`.
    ///
    /// The submodule's folder stays unless it is empty: it may contain a clone.
    package func removeGitlink(at path: String) throws {
        let root = try root()
        let index = try using { repository throws(GitError) in try GitIndex(of: repository) }
        guard index.entry(at: path)?.kind == .submodule else { return }
        try using { _ throws(GitError) in try index.remove(path) }
        if let name = try section(of: path)?.name {
            try using { _ throws(GitError) in
                let modules = try GitConfigFile(at: "\(root)/.gitmodules")
                for key in ["path", "url", "shallow"] {
                    try modules.remove("submodule.\(name).\(key)")
                }
            }
            try dropEmptySections("\(root)/.gitmodules")
        }
        let modules = "\(root)/.gitmodules"
        let isGone = FileManager.default.contents(atPath: modules)?.isEmpty ?? true
        if isGone { try? FileManager.default.removeItem(atPath: modules) }
        try using { _ throws(GitError) in
            if isGone {
                try index.remove(".gitmodules")
            } else {
                try index.add(file: ".gitmodules")
            }
            try index.write()
        }
        // Fails, as it should, if the folder contains a clone.
        rmdir("\(root)/\(path)")
    }

    /// Writes a text pin and stages it.
    package func write(_ pin: ReferencePin, at pinPath: String) throws {
        try MergeFiles.write(Data(pin.text.utf8), to: "\(try root())/\(pinPath)")
        try using { repository throws(GitError) in
            let index = try GitIndex(of: repository)
            try index.add(file: pinPath)
            try index.write()
        }
    }

    /// Removes a text pin from the work tree and the index.
    package func removeTextPin(at pinPath: String) throws {
        let root = try root()
        let isThere = try using { repository throws(GitError) in
            let index = try GitIndex(of: repository)
            guard index.entry(at: pinPath) != nil else { return false }
            try index.remove(pinPath)
            try index.write()
            return true
        }
        if isThere { _ = try? FileManager.default.removeItem(atPath: "\(root)/\(pinPath)") }
    }

    // MARK: .gitmodules

    private static let modulesBytesMax = 4 << 20

    private func root() throws -> String {
        guard let root = workTree else { throw GitlinkPinError.noWorkTree(path) }
        return root
    }

    /// Returns the section of `.gitmodules` for a path, or `nil`; its name may differ from the
    /// path.
    private func section(of path: String) throws -> (name: String, url: String?)? {
        let root = try root()
        return try using { _ throws(GitError) in
            let modules = try GitConfigFile(at: "\(root)/.gitmodules")
            let paths = try modules.settings(matching: "^submodule\\..*\\.path$")
            guard let found = paths.first(where: { $0.value == path }) else { return nil }
            let name = String(found.name.dropFirst("submodule.".count).dropLast(".path".count))
            return (name, modules.value(of: "submodule.\(name).url"))
        }
    }

    private func describe(_ pin: GitlinkPin, root: String) throws {
        let name = try section(of: pin.path)?.name ?? pin.path
        try using { _ throws(GitError) in
            let modules = try GitConfigFile(at: "\(root)/.gitmodules")
            for (key, value) in [("path", pin.path), ("url", pin.url), ("shallow", "true")] {
                try modules.set("submodule.\(name).\(key)", to: value)
            }
        }
    }

    /// Removes the section heads that libgit2 leaves after deleting a section's last value.
    private func dropEmptySections(_ path: String) throws {
        let bytes = try MergeFiles.read(path, bytesMax: Self.modulesBytesMax)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        var kept: [Substring] = []
        for (index, line) in lines.enumerated() {
            let next = index + 1 < lines.count ? lines[index + 1] : nil
            if line.hasPrefix("[submodule "), next?.hasPrefix("[") ?? true { continue }
            kept.append(line)
        }
        let text = kept.map { $0 + "\n" }.joined()
        try MergeFiles.write(Data(text.utf8), to: path)
    }
}
