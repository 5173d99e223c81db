// The other form of a pin, for teams that use stock submodules: a submodule entry (mode 160000) in
// the project's index that names a set, and its section of `.gitmodules`. The entry says
// `shallow = true`: a set has no history, and stock Git then fetches only its pictures.
//
// Invariants
//   - Only the index, `.gitmodules` and the empty folder of the submodule are touched; committing
//     is the person's.
//   - What another tool wrote into `.gitmodules` stays.
import CGit2
import FarmCore
import Foundation

/// A pin that is a submodule.
package struct GitlinkPin: Hashable, Sendable, Codable {
    /// Of the submodule, from the root of the project, with `/`.
    package var path: String
    /// As Git takes it; relative ones (`../references.git`) are relative to the project's remote.
    package var url: String
    /// The set's commit.
    package var set: ObjectID

    /// - Throws: `GitlinkPinError` for a path that leaves the project or a URL that is a command.
    package init(path: String, url: String, set: ObjectID) throws {
        try Self.check(path: path)
        try Self.check(url: url)
        self.path = path
        self.url = url
        self.set = set
    }

    /// For `refs pin`: what is there, in words.
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

    /// Git runs what `ext::` names, and takes a leading `-` for an option.
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
    /// Something else than a submodule lies at the path.
    case pathTaken(String)
    case noWorkTree(String)
    /// The index names a submodule that `.gitmodules` does not describe.
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
    /// The pin that the index has at a path; nil where there is no submodule.
    ///
    /// - Throws: `GitlinkPinError.undescribed` where `.gitmodules` lacks it.
    package func gitlink(at path: String) throws -> GitlinkPin? {
        let index = try openIndex()
        defer { git_index_free(index) }
        guard let entry = git_index_get_bypath(index, path, 0),
            entry.pointee.mode == GIT_FILEMODE_COMMIT.rawValue
        else { return nil }
        let set = ObjectID(entry.pointee.id)
        guard let section = try section(of: path), let url = section.url else {
            throw GitlinkPinError.undescribed(path: path)
        }
        return try GitlinkPin(path: path, url: url, set: set)
    }

    /// Puts a pin into the index and `.gitmodules`, and makes its folder; both are staged.
    ///
    /// An entry that is there already is moved to the new set and URL.
    package func write(_ pin: GitlinkPin) throws {
        let root = try root()
        let index = try openIndex()
        defer { git_index_free(index) }
        if let entry = git_index_get_bypath(index, pin.path, 0),
            entry.pointee.mode != GIT_FILEMODE_COMMIT.rawValue
        {
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
            throw MergeError.file(path: folder, reason: "cannot be made (\(error))")
        }
        var entry = git_index_entry()
        entry.mode = GIT_FILEMODE_COMMIT.rawValue
        entry.id = pin.set.oid
        let code = pin.path.withCString { path in
            entry.path = path
            return git_index_add(index, &entry)
        }
        try check(code)
        try check(git_index_add_bypath(index, ".gitmodules"))
        try check(git_index_write(index))
    }

    /// Takes a submodule pin out of the index and `.gitmodules`.
    ///
    /// Its folder stays unless it is empty: it may hold a clone.
    package func removeGitlink(at path: String) throws {
        let root = try root()
        let index = try openIndex()
        defer { git_index_free(index) }
        guard let entry = git_index_get_bypath(index, path, 0),
            entry.pointee.mode == GIT_FILEMODE_COMMIT.rawValue
        else { return }
        try check(git_index_remove(index, path, 0))
        if let name = try section(of: path)?.name {
            let config = try openModules(root)
            defer { git_config_free(config) }
            for key in ["path", "url", "shallow"] {
                let code = git_config_delete_entry(config, "submodule.\(name).\(key)")
                if code != GIT_ENOTFOUND.rawValue { try check(code) }
            }
            try dropEmptySections("\(root)/.gitmodules")
        }
        let modules = "\(root)/.gitmodules"
        if FileManager.default.contents(atPath: modules)?.isEmpty ?? true {
            try? FileManager.default.removeItem(atPath: modules)
            let code = git_index_remove(index, ".gitmodules", 0)
            if code != GIT_ENOTFOUND.rawValue { try check(code) }
        } else {
            try check(git_index_add_bypath(index, ".gitmodules"))
        }
        try check(git_index_write(index))
        // Fails, as it should, where the folder holds a clone.
        rmdir("\(root)/\(path)")
    }

    /// Writes a text pin and stages it.
    package func write(_ pin: ReferencePin, at path: String) throws {
        let root = try root()
        try MergeFiles.write(Data(pin.text.utf8), to: "\(root)/\(path)")
        let index = try openIndex()
        defer { git_index_free(index) }
        try check(git_index_add_bypath(index, path))
        try check(git_index_write(index))
    }

    /// Removes a text pin from the work tree and the index.
    package func removeTextPin(at path: String) throws {
        let root = try root()
        let index = try openIndex()
        defer { git_index_free(index) }
        guard git_index_get_bypath(index, path, 0) != nil else { return }
        try check(git_index_remove(index, path, 0))
        try check(git_index_write(index))
        _ = try? FileManager.default.removeItem(atPath: "\(root)/\(path)")
    }

    // MARK: .gitmodules

    private static let modulesBytesMax = 4 << 20

    private func root() throws -> String {
        guard let root = workTree else { throw GitlinkPinError.noWorkTree(path) }
        return root
    }

    private func openIndex() throws -> OpaquePointer? {
        var index: OpaquePointer?
        try check(git_repository_index(&index, handle))
        try check(git_index_read(index, 0))
        return index
    }

    private func openModules(_ root: String) throws -> OpaquePointer? {
        var config: OpaquePointer?
        try check(git_config_open_ondisk(&config, "\(root)/.gitmodules"))
        return config
    }

    /// The section that describes a path; its name need not be the path.
    private func section(of path: String) throws -> (name: String, url: String?)? {
        let config = try openModules(try root())
        defer { git_config_free(config) }
        var iterator: OpaquePointer?
        try check(git_config_iterator_glob_new(&iterator, config, "^submodule\\..*\\.path$"))
        defer { git_config_iterator_free(iterator) }
        var entry: UnsafeMutablePointer<git_config_entry>?
        while git_config_next(&entry, iterator) == 0, let found = entry {
            guard String(cString: found.pointee.value) == path else { continue }
            let key = String(cString: found.pointee.name)
            let name = String(key.dropFirst("submodule.".count).dropLast(".path".count))
            var value = git_buf()
            defer { git_buf_dispose(&value) }
            let code = git_config_get_string_buf(&value, config, "submodule.\(name).url")
            let url = code == 0 ? value.ptr.map { String(cString: $0) } : nil
            return (name, url)
        }
        return nil
    }

    private func describe(_ pin: GitlinkPin, root: String) throws {
        let name = try section(of: pin.path)?.name ?? pin.path
        let config = try openModules(root)
        defer { git_config_free(config) }
        for (key, value) in [("path", pin.path), ("url", pin.url), ("shallow", "true")] {
            try check(git_config_set_string(config, "submodule.\(name).\(key)", value))
        }
    }

    /// libgit2 leaves the head of a section whose last value was deleted.
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
