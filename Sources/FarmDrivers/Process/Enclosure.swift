// The view of one isolated child, beside the tools of its machine, as arguments of bubblewrap.
//
// Invariants
//   - Nothing is writable but folders that one lease, browser or server has for itself, and the work
//     tree if no other lease uses it.
//   - Its processes are a namespace: when bubblewrap's first process in it ends, the kernel ends all
//     others, and no more can be made.
import FarmCore
import FarmFiles
import Foundation

/// The use that a child makes of a work tree.
enum TreeUse: Hashable, Sendable {
    case readable
    case writable
    /// The tree's files are read only. What the child adds beside the topmost ones goes to a folder
    /// of its own, because other leases use the tree at the same time.
    case shared
}

/// The work tree that an isolated browser or server sees.
struct IsolatedTree: Hashable, Sendable {
    let isolation: Isolation
    let path: String
    /// The inode of the folder: a bundle that is unpacked again is another tree.
    private let inode: UInt64

    init(_ isolation: Isolation, _ path: String) {
        self.isolation = isolation
        self.path = path
        var status = stat()
        inode = stat(path, &status) == 0 ? UInt64(status.st_ino) : 0
    }
}

/// The view of one isolated child.
struct Enclosure: Hashable, Sendable {
    let isolation: Isolation
    /// The arguments that show the child's own folders.
    fileprivate let view: [String]
    fileprivate let home: String
    fileprivate let temporary: String
    /// The folders whose files this process may read or write afterwards.
    fileprivate let results: [String]
    /// The work tree, with all links followed, or `nil` if the child sees none.
    fileprivate let tree: String?
    /// The folder of what the child adds beside a shared tree, or `nil` if the tree is not shared.
    fileprivate let added: String?

    /// The variables that name folders of the user, or a display of the machine.
    private static let hidden: Set<String> = [
        "DISPLAY", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
    ]

    /// The environment of bubblewrap itself.
    ///
    /// It runs outside of the view: with a job's variables, such as LD_PRELOAD, it would run a
    /// team's code there.
    static let environment = ["PATH": "/usr/bin:/bin"]

    /// Returns the environment of a child: that of a free one, with a home and a temporary folder of
    /// its own.
    private func environment(_ free: [String: String]) -> [String: String] {
        free.filter { !Self.hidden.contains($0.key) }
            .merging(["HOME": home, "TMPDIR": temporary]) { $1 }
    }

    /// Returns bubblewrap's arguments for a child and the path of its program.
    ///
    /// A work tree's path may come from a submitter: what lies at /proc and /dev comes after it, and
    /// covers it. `--die-with-parent` follows the thread that starts a child: swift-subprocess
    /// starts all children from one thread, which lives as long as this process.
    func arguments(_ child: ChildProcess, program: String) -> [String] {
        ["--unshare-all"] + (isolation.network == .host ? ["--share-net"] : [])
            + ["--die-with-parent", "--cap-drop", "ALL", "--perms", "1777", "--tmpfs", "/tmp"]
            + isolation.view + view + ["--proc", "/proc"] + Self.kernelSettings
            + ["--dev", "/dev", "--remount-ro", "/", "--chdir", child.folder]
            + environment(child.environment).sorted { $0.key < $1.key }
            .flatMap { ["--setenv", $0.key, $0.value] }
            + ["--"] + isolation.limit + [program] + child.arguments
    }

    /// The arguments that make the kernel's settings read only.
    ///
    /// To /proc/sys, root of a namespace is the machine's root, even without any capability.
    private static let kernelSettings =
        geteuid() == 0 ? ["--ro-bind", "/proc/sys", "/proc/sys"] : []

    /// Removes what the child added beside a shared tree, and closes the links that it left in its
    /// results and that lead out of them: this process sees more than the child did, and would
    /// follow them.
    ///
    /// A closed link leads to itself. It stays, because a picture that is a link is reported. To be
    /// called when no process of the child is left.
    func clear() {
        if let added { FolderTree.remove(added) }
        let inside = results.compactMap(realPath) + [tree].compactMap(\.self)
        var folders = results
        while let folder = folders.popLast() {
            if access(folder, R_OK | W_OK | X_OK) != 0 { _ = chmod(folder, 0o700) }
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                let path = "\(folder)/\(name)"
                switch fileKind(path) {
                case .folder: folders.append(path)
                case .link:
                    let target = realPath(path) ?? ""
                    if inside.contains(where: { target == $0 || target.hasPrefix($0 + "/") }) {
                        continue
                    }
                    unlink(path)
                    symlink(name, path)
                case .none, .other: continue
                }
            }
        }
    }

    /// Returns the reason why bubblewrap did not start its program, or `nil` if it may have done so.
    ///
    /// `head` is the beginning of all that the child printed.
    static func refusal(_ ending: ChildEnding, _ head: [UInt8]) -> String? {
        let text = String(decoding: head, as: UTF8.self)
        switch ending {
        case .exited(1) where text.hasPrefix("bwrap: "): break
        case .exited(126) where text.hasPrefix("prlimit: failed to execute "),
            .exited(127) where text.hasPrefix("prlimit: failed to execute "):
            break
        default: return nil
        }
        return text.split(separator: "\n").first.map(String.init)
    }

    /// Returns the ending of the child by that of bubblewrap, which ends as a shell does with 128 and
    /// the number of the signal.
    static func ending(_ ending: ChildEnding) -> ChildEnding {
        guard case .exited(let status) = ending, let signal = crashSignal(ofShellStatus: status)
        else { return ending }
        return .signalled(signal)
    }
}

extension Isolation {
    /// Returns the view of a shard's tests.
    func enclosure(_ shard: Shard, _ folders: LeaseFolders) throws -> Enclosure {
        let references = [folders.references, folders.references + "_64"]
        return try enclosure(
            in: folders.own,
            tree: folders.tree ?? shard.workTree,
            at: shard.workTree,
            as: folders.isTreeShared ? .shared : .writable,
            results: [folders.lease, folders.besideSources]
                + references.filter { $0.path(below: folders.lease) == nil }
        )
    }

    /// Returns the view of a child with a home and a temporary folder in `own`, which are made there.
    ///
    /// Beside these it sees `tree`, at its own path or at `place`, the existing ones of the folders
    /// `readable`, and those of `results`, which it may write.
    func enclosure(
        in own: String,
        tree: String? = nil,
        at place: String? = nil,
        as use: TreeUse = .readable,
        readable: [String] = [],
        results: [String] = []
    ) throws -> Enclosure {
        let home = try made(own + "/home")
        let temporary = try made(own + "/tmp")
        // No place is mounted below one that a child could write before: a link that it left there
        // would lead bubblewrap out of the view.
        var view: [String] = []
        for path in readable where !shows(path) { view += ["--ro-bind-try", path, path] }
        let added = use == .shared ? try madeAnew(own + "/tree-") : nil
        if let tree { view += self.view(of: tree, at: place ?? tree, as: use, beside: added) }
        for path in [home, temporary] + results { view += ["--bind-try", path, path] }
        return Enclosure(
            isolation: self,
            view: view,
            home: home,
            temporary: temporary,
            results: results,
            tree: tree.flatMap(realPath),
            added: added
        )
    }

    private func view(
        of tree: String,
        at place: String,
        as use: TreeUse,
        beside added: String?
    ) -> [String] {
        guard let added else {
            guard use == .writable else { return ["--ro-bind", tree, place] }
            // The journal of borrowed folders says what this process moves.
            let borrowed = SourceTreeOverlay.keptName
            return ["--bind", tree, place]
                + (fileKind("\(tree)/\(borrowed)") == .folder
                    ? ["--tmpfs", "\(place)/\(borrowed)"] : [])
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tree)) ?? []
        return ["--bind", added, place]
            + names.sorted().flatMap { name -> [String] in
                let path = "\(tree)/\(name)"
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                return target.map { ["--symlink", $0, "\(place)/\(name)"] }
                    ?? ["--ro-bind", path, "\(place)/\(name)"]
            }
    }

    /// Makes a folder if it is not there; returns its path.
    private func made(_ path: String) throws -> String {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return path }
        throw DriverError.fileUnwritable(path: path, reason: String(cString: strerror(errno)))
    }

    /// Makes a folder with a name of its own that begins with `prefix`; returns its path.
    private func madeAnew(_ prefix: String) throws -> String {
        var template = Array((prefix + "XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw DriverError.fileUnwritable(path: prefix, reason: String(cString: strerror(errno)))
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
