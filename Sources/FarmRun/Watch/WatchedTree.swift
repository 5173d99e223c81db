// Notices saved files by looking at their times and sizes again and again: that works on every
// system, in containers and on network disks, and sees a file that an editor replaces. See ADR 53.
import FarmCore
import Foundation

/// The files that `watch` looks at: those of the work tree, and single ones that tests read.
struct WatchedTree: Sendable {
    /// The time and size of a file, which show a change without reading it; zero if there is no file.
    private struct Stamp: Hashable {
        var seconds = 0
        var nanoseconds = 0
        var size = 0
        var inode: UInt64 = 0

        /// The stamp of a path at which nothing is.
        static let none = Stamp()

        private init() {}

        /// Reads the stamp of what a path leads to.
        static func of(_ path: String) -> Stamp {
            var status = stat()
            return stat(path, &status) == 0 ? Stamp(status) : none
        }

        init(_ status: stat) {
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            seconds = Int(time.tv_sec)
            nanoseconds = Int(time.tv_nsec)
            size = Int(status.st_size)
            inode = UInt64(status.st_ino)
        }
    }

    /// The absolute path of the work tree.
    let root: String
    private let skips: @Sendable (String) -> Bool
    private let filesMax: Int
    private var stamps: [String: Stamp] = [:]
    /// Paths that are looked at wherever they are, relative to the work tree or absolute.
    private var named: Set<String> = []
    /// The time that the last look took.
    private var took: Duration = .zero

    /// Looks at the files below `root`, but for `.git` and the folders and files that `skips` names
    /// by their paths below it.
    ///
    /// - Throws: ``WatchError/tooManyFiles(_:max:)``.
    init(
        _ root: String,
        filesMax: Int = FarmLimits.watchedFilesMax,
        skipping skips: @escaping @Sendable (String) -> Bool
    ) throws {
        self.root = root
        self.filesMax = filesMax
        self.skips = skips
        stamps = try look()
    }

    /// The number of files that were there at the last look.
    var count: Int { stamps.values.count { $0.inode != 0 } }

    /// The pause until the next look, so that looking takes a small part of the time.
    var pause: Duration {
        max(.seconds(FarmLimits.watchLookSeconds), took / FarmLimits.watchLookShareMax)
    }

    /// Looks at these files from now on, also if they are in folders that are skipped.
    ///
    /// A file that changed at `since` or later counts as changed at the next look.
    mutating func add(_ paths: Set<String>, since: Date) {
        named.formUnion(paths)
        let second = Int(since.timeIntervalSince1970)
        for path in paths where stamps[path] == nil {
            let stamp = Stamp.of(full(path))
            stamps[path] = stamp.seconds >= second ? .none : stamp
        }
    }

    /// Returns the paths of files that changed, came or went since the last look.
    mutating func changes() throws -> Set<String> {
        let began = ContinuousClock.now
        let now = try look()
        took = began.duration(to: .now)
        defer { stamps = now }
        var changed = Set(now.keys.filter { now[$0] != stamps[$0, default: .none] })
        changed.formUnion(stamps.keys.filter { now[$0] == nil })
        // Asked here and not at each look, because a pattern for each of all files takes long.
        return changed.filter { named.contains($0) || !skips($0) }
    }

    /// Returns the time at which the newest of some files was saved, in seconds since 1970, or `nil`
    /// if none is there.
    func newest(of paths: Set<String>) -> Double? {
        paths.compactMap { stamps[$0] }.filter { $0.inode != 0 }
            .map { Double($0.seconds) + Double($0.nanoseconds) / 1e9 }.max()
    }

    private func full(_ path: String) -> String { path.isAbsolutePath ? path : "\(root)/\(path)" }

    private func look() throws -> [String: Stamp] {
        var found: [String: Stamp] = [:]
        found.reserveCapacity(stamps.count)
        try visit("", &found)
        for path in named where found[path] == nil { found[path] = Stamp.of(full(path)) }
        guard found.count <= filesMax else { throw WatchError.tooManyFiles(root, max: filesMax) }
        return found
    }

    private func visit(_ folder: String, _ found: inout [String: Stamp]) throws {
        guard let stream = opendir(folder.isEmpty ? root : "\(root)/\(folder)") else { return }
        defer { closedir(stream) }
        var inner: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 1_024) {
                    String(validatingCString: $0)
                }
            }
            guard let name, name != ".", name != "..", name != ".git" else { continue }
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var status = stat()
            // A link to a folder is not followed: it may lead round in a circle.
            guard fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: if !skips(path) { inner.append(path) }
            case S_IFREG: found[path] = Stamp(status)
            case S_IFLNK: found[path] = Stamp.of(full(path))
            default: continue
            }
            guard found.count <= filesMax else {
                throw WatchError.tooManyFiles(root, max: filesMax)
            }
        }
        for path in inner { try visit(path, &found) }
    }
}

extension WatchedTree {
    /// Waits until files change, and returns their paths when no further one has changed for a
    /// moment; a burst that does not end is cut.
    mutating func nextChanges() async throws -> Set<String> {
        var changed = try changes()
        while changed.isEmpty {
            try await Task.sleep(for: pause)
            changed = try changes()
        }
        let limit = ContinuousClock.now + .seconds(FarmLimits.watchBurstSecondsMax)
        while ContinuousClock.now < limit {
            try await Task.sleep(for: .seconds(FarmLimits.watchQuietSeconds))
            let more = try changes()
            if more.isEmpty { break }
            changed.formUnion(more)
        }
        return changed
    }
}
