// A bundle at the path of the work tree in which it was built. Some frameworks look for their
// references at a path that the build has put into the tests. On another machine a link at this
// path leads to the unpacked bundle during a lease.
//
// Invariants
//   - Only one lease at a time uses a path: it locks `<digest of the path>.place` in the cache.
//   - Only links into the cache are made, replaced or removed, never another user's files.
import FarmCore
import FarmFiles
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A bundle that is reachable at the path of its build while this value lives.
package final class BundlePlace: Sendable {
    private let path: String
    /// The target of the link at the path, or `nil` if no link was made.
    private let target: String?
    private let lock: Int32
    private let bundle: BundleUse

    fileprivate init(path: String, target: String?, lock: Int32, bundle: BundleUse) {
        self.path = path
        self.target = target
        self.lock = lock
        self.bundle = bundle
    }

    deinit {
        if let target, linkTarget(path) == target { _ = unlink(path) }
        _ = close(lock)
    }
}

extension BundleCache {
    /// Makes an unpacked bundle reachable at `path`, or returns `nil` while another lease has the
    /// path.
    ///
    /// A folder that is there already is used if it is the work tree itself: if the files among
    /// `proofs`, relative paths of build products, are the same in both. Workers of other users
    /// have other caches: this waits for their links, too.
    ///
    /// - Throws: ``BundleError/place(_:fact:)`` if another file is there, or the link cannot be
    ///   made.
    package func place(
        _ bundle: BundleUse,
        at path: String,
        proofs: [String]
    ) throws -> BundlePlace? {
        guard path.isAbsolutePath, ZipPaths.isSafe(String(path.dropFirst())),
            BundleRules.relative(path, to: folder) == nil
        else { throw BundleError.place(path, fact: "that is no path for a bundle") }
        guard let lock = try lockedPlace(path) else { return nil }
        guard !isOfOtherCache(path) else {
            _ = close(lock)
            return nil
        }
        do {
            let target = try makeLink(to: bundle.folder, at: path, proofs)
            return BundlePlace(path: path, target: target, lock: lock, bundle: bundle)
        } catch {
            _ = close(lock)
            throw error
        }
    }

    /// Returns whether a link leads to a bundle of another cache, by the name of its folder.
    private func isOfOtherCache(_ path: String) -> Bool {
        guard let target = linkTarget(path), target.path(below: folder) == nil else { return false }
        // The folder of a single lease has a suffix after the digest.
        return target.pathParts.last.flatMap { Digest($0.prefix { $0 != "." }) } != nil
    }

    /// Locks a path and returns the lock, or returns `nil` while another lease has it.
    private func lockedPlace(_ path: String) throws -> Int32? {
        let name = "\(folder)/\(Digest(of: Data(path.utf8)).hex).place"
        let file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Posix.failure("open", name) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            _ = close(file)
            return nil
        }
        return file
    }

    /// Makes a link at a path and returns its target, or returns `nil` if the path is a suitable
    /// folder already.
    private func makeLink(
        to target: String,
        at path: String,
        _ proofs: [String]
    ) throws -> String? {
        switch FileKind.of(path) {
        case .folder:
            let files = proofs.filter { FileKind.of("\(target)/\($0)") == .file }
            let isSame = files.allSatisfy {
                FileManager.default.contentsEqual(
                    atPath: "\(path)/\($0)",
                    andPath: "\(target)/\($0)"
                )
            }
            guard isSame, !files.isEmpty else {
                throw BundleError.place(path, fact: "another folder is there")
            }
            return nil
        case .link:
            // The link is left from a killed lease.
            guard linkTarget(path)?.path(below: folder) != nil else {
                throw BundleError.place(path, fact: "a link of another program is there")
            }
            _ = unlink(path)
        case .file, .other: throw BundleError.place(path, fact: "something else is there")
        case nil: break
        }
        let parent = path.parentFolder
        try? Posix.makeFolders(parent)
        guard symlink(target, path) == 0 else {
            let reason = String(cString: strerror(errno))
            throw BundleError.place(path, fact: "it cannot be made (\(reason))")
        }
        return target
    }
}

private func linkTarget(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
}
