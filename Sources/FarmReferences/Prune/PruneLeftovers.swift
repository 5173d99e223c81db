// Removes the files that dead processes left in a store. This happens under the exclusive lock,
// while no process of snapfarm writes. Files that another Git process may still be writing must be
// a day old.
import FarmCore
import FarmGit
import Foundation

enum PruneLeftovers {
    private static let secondsPerDay = 86_400.0
    private static let lockPollSeconds = 0.02
    /// The seconds after which a lock that still exists is inspected more closely.
    ///
    /// A living process holds a lock for milliseconds.
    private static let livingLockSeconds = 0.1
    private static let depthMax = 32

    // MARK: locks

    /// Removes Git's `*.lock` files that stay unchanged for `lockSeconds`; returns their paths.
    ///
    /// A living Git process holds such a lock for milliseconds. The locks are `packed-refs.lock`,
    /// `HEAD.lock`, `config.lock`, `shallow.lock` and every `*.lock` under `refs`.
    static func clearLocks(of store: String, _ conditions: PruneConditions) throws -> [String] {
        let found = try locks(of: store)
        guard !found.isEmpty else { return [] }
        var watched = found.compactMap { path in RepositoryFiles.status(path).map { (path, $0) } }
        var waited = 0.0
        while waited < conditions.lockSeconds, !watched.isEmpty {
            // Polls: a file that stays unchanged sends no event.
            usleep(UInt32(lockPollSeconds * 1e6))
            waited += lockPollSeconds
            watched.removeAll { RepositoryFiles.status($0.0) == nil }
        }
        var cleared: [String] = []
        for (path, before) in watched {
            guard let now = RepositoryFiles.status(path) else { continue }
            guard now == before else { throw GitError.locked(file: path) }
            try conditions.before(.clearLock)
            try RepositoryFiles.remove(path)
            cleared.append(path)
        }
        return cleared
    }

    /// Removes the locks of processes that died, without a prune.
    ///
    /// Does nothing if other processes use the store for all of `lockSeconds`. If a lock of Git's
    /// remains, the caller that needs it reports the error.
    static func clearAbandonedLocks(in store: String) {
        let conditions = PruneConditions()
        var waited = 0.0
        while let found = try? locks(of: store), !found.isEmpty {
            if waited >= livingLockSeconds, let alone = try? StoreLock(exclusive: store, seconds: 0)
            {
                // A Git process of another program that still changes its lock keeps it.
                _ = try? clearLocks(of: store, conditions)
                return withExtendedLifetime(alone) {}
            }
            guard waited < conditions.lockSeconds else { return }
            // Polls: a process that releases its lock within milliseconds sends no event.
            usleep(UInt32(lockPollSeconds * 1e6))
            waited += lockPollSeconds
        }
    }

    private static func locks(of store: String) throws -> [String] {
        var found = ["packed-refs", "HEAD", "config", "shallow"].map { "\(store)/\($0).lock" }
            .filter { RepositoryFiles.status($0) != nil }
        var waiting = [(path: store + "/refs", depth: 0)]
        while let folder = waiting.popLast() {
            for name in try RepositoryFiles.names(in: folder.path) {
                let path = folder.path + "/" + name
                if name.hasSuffix(".lock") {
                    found.append(path)
                } else if folder.depth < depthMax, ObjectID(name) == nil, isFolder(path) {
                    waiting.append((path, folder.depth + 1))
                }
            }
        }
        return found.sorted()
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    // MARK: files

    /// Removes unfinished packs and objects, and packs without an index; returns the bytes freed.
    static func clearFiles(
        of store: String,
        now: Date,
        _ conditions: PruneConditions
    ) throws -> Int {
        let objects = store + "/objects"
        let packs = objects + "/pack"
        var bytes = 0
        let packNames = try RepositoryFiles.names(in: packs)
        let present = Set(packNames)
        for name in packNames where isLeftover(name, among: present, in: packs, now: now) {
            bytes += try remove("\(packs)/\(name)", conditions)
        }
        for name in try RepositoryFiles.names(in: objects) {
            let path = objects + "/" + name
            if isUnfinished(name, path, now: now) {
                bytes += try remove(path, conditions)
            } else if name.utf8.count == 2 {
                for inner in try RepositoryFiles.names(in: path)
                where isUnfinished(inner, path + "/" + inner, now: now) {
                    bytes += try remove(path + "/" + inner, conditions)
                }
            }
        }
        return bytes
    }

    private static func isLeftover(
        _ name: String,
        among present: Set<String>,
        in folder: String,
        now: Date
    ) -> Bool {
        if isUnfinished(name, folder + "/" + name, now: now) { return true }
        guard name.hasPrefix("pack-") else { return false }
        let base = name.prefix { $0 != "." }
        // An arriving pack gets its `.keep` first. A pack without one and without an index is
        // snapfarm's.
        if present.contains("\(base).keep") { return false }
        if present.contains("\(base).idx") { return !present.contains("\(base).pack") }
        return true
    }

    /// Whether the name is that of an unfinished file: libgit2's `…_git2_…`, snapfarm's own, or
    /// Git's `tmp_…` if the file is older than a day.
    private static func isUnfinished(_ name: String, _ path: String, now: Date) -> Bool {
        if name.hasPrefix(RepositoryFiles.packPrefix)
            || name.hasPrefix(RepositoryFiles.indexPrefix)
        {
            return true
        }
        if name.hasPrefix("pack_git2_") || name.hasPrefix("tmp_object_git2_") { return true }
        guard name.hasPrefix("tmp_"), !isFolder(path), let status = RepositoryFiles.status(path)
        else {
            return false
        }
        return now.timeIntervalSince1970 - status.changed > secondsPerDay
    }

    private static func remove(_ path: String, _ conditions: PruneConditions) throws -> Int {
        guard let status = RepositoryFiles.status(path), !isFolder(path) else { return 0 }
        try conditions.before(.clearLeftover)
        try RepositoryFiles.remove(path)
        return status.bytes
    }
}
