// The digest of all files below a folder: paths, contents, executable bits and the targets of
// links. Two folders with the same digest are the same to any program that reads them.
import FarmCore
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Computes the digest of a folder's files.
package struct TreeDigest: Sendable {
    private let root: String
    private let skips: @Sendable (String) -> Bool
    private let takes: @Sendable (String) -> Bool

    /// Makes the digest of the folder `root`; paths below it for which `skips` is true are left
    /// out, with all that a folder holds, and so is every `.git`, and every file that `takes` does
    /// not take.
    package init(
        of root: String,
        skipping skips: @escaping @Sendable (String) -> Bool,
        taking takes: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.root = root
        self.skips = skips
        self.takes = takes
    }

    /// Returns the digest, or `nil` if a file cannot be read or named, is neither a file nor a
    /// link, or all have more than `bytesMax` bytes together.
    package func compute(bytesMax: Int) async -> Digest? {
        await lines(bytesMax: bytesMax).map { Digest(of: Data($0.map(\.line).joined().utf8)) }
    }

    /// Returns the path of each file and link, sorted, with a line that has its kind and the digest
    /// of its content; `nil` like ``compute(bytesMax:)``.
    package func lines(bytesMax: Int) async -> [(path: String, line: String)]? {
        guard let listing = try? FolderListing(of: GuardedFolder(root), skipping: skips),
            listing.unreadable.isEmpty,
            listing.specials.allSatisfy({ skips($0) || !takes($0) })
        else { return nil }
        let paths = (listing.files + listing.links).filter { !skips($0) && takes($0) }.sorted()
        guard let statuses = statuses(of: paths, bytesMax: bytesMax) else { return nil }
        let lanes = max(1, min(paths.count, ProcessInfo.processInfo.activeProcessorCount))
        let lines = await withTaskGroup(of: [(Int, String?)].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    stride(from: lane, to: paths.count, by: lanes).map {
                        ($0, line(of: paths[$0], statuses[$0]))
                    }
                }
            }
            var lines = [String?](repeating: nil, count: paths.count)
            for await found in group { for (index, line) in found { lines[index] = line } }
            return lines
        }
        let known = lines.compactMap(\.self)
        guard known.count == paths.count else { return nil }
        return zip(paths, known).map { (path: $0, line: $1) }
    }

    private func statuses(of paths: [String], bytesMax: Int) -> [stat]? {
        var left = bytesMax
        var statuses: [stat] = []
        for path in paths {
            var status = stat()
            guard lstat("\(root)/\(path)", &status) == 0 else { return nil }
            left -= Int(status.st_size)
            guard left >= 0 else { return nil }
            statuses.append(status)
        }
        return statuses
    }

    /// Returns the line of one file or link, or `nil` if it cannot be read.
    private func line(of path: String, _ status: stat) -> String? {
        let full = "\(root)/\(path)"
        guard status.st_mode & S_IFMT == S_IFREG else {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: full)
            return target.map { "link \(Digest(of: Data($0.utf8)).hex) \(path)\0" }
        }
        let kind = status.st_mode & 0o111 == 0 ? "file" : "program"
        return DigestStream.digest(ofFileAt: full, flags: O_NOFOLLOW)
            .map { "\(kind) \($0.hex) \(path)\0" }
    }
}

extension DigestStream {
    /// Returns the digest of a file's content, or `nil` if it cannot be read.
    static func digest(ofFileAt path: String, flags: Int32 = 0) -> Digest? {
        let file = open(path, O_RDONLY | O_CLOEXEC | flags)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var stream = DigestStream()
        return withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer in
            while true {
                let count = read(file, buffer.baseAddress, buffer.count)
                guard count >= 0 else { return nil }
                guard count > 0 else { return stream.finish() }
                stream.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }
}
