// The changes that a checkout makes to Git's files in a clone of the main repository: ignored files
// and the post-checkout hook. Both are local to the clone; no tracked file is edited.
import FarmCore
import FarmFiles
import FarmGit
import Foundation

/// A clone of the main repository.
package struct WorkTreeGit: Sendable {
    /// The path of the work tree, absolute and without a trailing slash.
    package let workTree: String
    /// The `.git` folder; for a linked work tree, that of the main one.
    let commonFolder: String
    let hooksFolder: String

    /// The largest size of an exclude file or a hook, in bytes.
    private static let bytesMax = 1 << 20
    private static let begin = "# snapfarm: checked-out references (begin)"
    private static let end = "# snapfarm: checked-out references (end)"

    /// Opens the work tree that contains a folder.
    package init(containing path: String) throws {
        let repository: GitRepository
        do {
            repository = try GitRepository(containing: path)
        } catch {
            if case .unsupported = error { throw error }
            throw CheckoutError.notAWorkTree(path: path, reason: error.reason)
        }
        guard let workTree = repository.workTree else {
            throw CheckoutError.notAWorkTree(path: path, reason: "the repository is bare")
        }
        self.workTree = workTree
        commonFolder = repository.commonFolder
        if let hooks = try repository.setting("core.hooksPath") {
            let path = (hooks as NSString).expandingTildeInPath
            hooksFolder = path.hasPrefix("/") ? path : "\(workTree)/\(path)"
        } else {
            hooksFolder = commonFolder + "/hooks"
        }
    }

    /// Returns a function that returns whether Git's present index has a path.
    package func isTracked() throws -> (String) -> Bool {
        let index = try GitIndex(of: GitRepository(containing: workTree))
        return { index.entry(at: $0) != nil }
    }

    // MARK: ignored files

    /// Returns the lines that make Git ignore checked-out files.
    ///
    /// A team can also put them into `.gitignore`.
    package static func ignoreLines(for paths: some Sequence<String>) -> [String] {
        let lines = paths.map { path in
            let (folder, file) = GuardedFolder.split(path)
            let ending = file[(file.lastIndex(of: ".") ?? file.endIndex)...]
            return folder.isEmpty ? "/*\(ending)" : "/\(escaped(folder))/*\(ending)"
        }
        return Set(lines).sorted() + ["/\(CheckoutManifest.name)"]
    }

    /// Adds lines to `.git/info/exclude`; returns whether that changed the file.
    ///
    /// The lines do not go to `.gitignore`, because a checkout must leave no change to commit.
    /// Lines of the clone's other work trees stay.
    @discardableResult
    package func ignore(_ lines: [String]) throws -> Bool {
        let folder = GuardedFolder(commonFolder)
        let path = "info/exclude"
        let present =
            try folder.status(path) == nil
            ? Data() : try folder.read(path, bytesMax: Self.bytesMax)
        var before: [String] = []
        var ours: Set<String> = []
        var inBlock = false
        for line in String(decoding: present, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).map(String.init) {
            switch line {
            case Self.begin: inBlock = true
            case Self.end: inBlock = false
            default: if inBlock { ours.insert(line) } else { before.append(line) }
            }
        }
        guard !ours.isSuperset(of: lines) else { return false }
        while before.last?.isEmpty == true { before.removeLast() }
        let block = [Self.begin] + ours.union(lines).sorted() + [Self.end]
        try folder.write(path, Data(((before + block).joined(separator: "\n") + "\n").utf8))
        return true
    }

    private static func escaped(_ path: String) -> String {
        var text = ""
        for character in path {
            if "\\*?[ ".contains(character) { text.append("\\") }
            text.append(character)
        }
        return text
    }

    // MARK: hook

    /// The second line of the hook, by which snapfarm recognises it.
    private static let hookMark = "# snapfarm post-checkout hook"

    /// The text of the hook: after a switch of branches, it checks out the references of that
    /// branch's pin.
    ///
    /// It never fails a checkout, and does nothing if snapfarm is not installed.
    package static let hook = """
        #!/bin/sh
        \(hookMark)
        # The third argument is 1 when a branch was switched, 0 when files were restored.
        [ "$3" = 1 ] || exit 0
        command -v snapfarm >/dev/null 2>&1 || exit 0
        snapfarm refs checkout || exit 0

        """

    /// The path of the hook, whether it exists or not.
    package var hookPath: String { hooksFolder + "/post-checkout" }

    /// Returns the file that a person edits to change the hook at `path`.
    ///
    /// For husky's `.husky/_/post-checkout` this is `.husky/post-checkout`, which husky runs; husky
    /// itself overwrites `.husky/_`.
    static func lastingHook(_ path: String) -> String {
        guard path.hasSuffix(huskyHook) else { return path }
        return path.dropLast(huskyHook.count) + "/.husky/post-checkout"
    }

    private static let huskyHook = "/.husky/_/post-checkout"

    /// Installs the hook, or updates its text; returns whether that changed anything.
    ///
    /// - Throws: `CheckoutError.foreignHook` if another hook is there.
    @discardableResult
    package func installHook() throws -> Bool {
        // The next run of `husky` would overwrite the hook.
        guard Self.lastingHook(hookPath) == hookPath else {
            throw CheckoutError.foreignHook(path: hookPath)
        }
        let files = FileManager.default
        try files.createDirectory(atPath: hooksFolder, withIntermediateDirectories: true)
        let folder = GuardedFolder(hooksFolder)
        if let status = try folder.status("post-checkout") {
            let bytes =
                status.kind == .file
                ? try folder.read("post-checkout", bytesMax: Self.bytesMax) : Data()
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.split(separator: "\n").dropFirst().first == Substring(Self.hookMark) else {
                throw CheckoutError.foreignHook(path: hookPath)
            }
            guard text != Self.hook else { return false }
        }
        try folder.open("", making: false)?.write(
            "post-checkout",
            Data(Self.hook.utf8),
            mode: 0o755
        )
        return true
    }

    /// Removes snapfarm's post-checkout hook; returns whether there was one.
    ///
    /// Throws if the hook is not snapfarm's.
    @discardableResult
    package func removeHook() throws -> Bool {
        let folder = GuardedFolder(hooksFolder)
        guard try folder.status("post-checkout")?.kind == .file else { return false }
        let bytes = try folder.read("post-checkout", bytesMax: Self.bytesMax)
        guard String(decoding: bytes, as: UTF8.self).contains(Self.hookMark) else {
            throw CheckoutError.foreignHook(path: hookPath)
        }
        try folder.open("", making: false)?.remove("post-checkout")
        return true
    }
}
