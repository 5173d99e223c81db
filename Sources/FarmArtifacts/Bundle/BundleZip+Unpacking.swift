// Unpacks the zip of a bundle into an empty folder.
import FarmCore
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension BundleZip {
    /// Checks that the bundle has no programs for another platform.
    ///
    /// - Throws: ``BundleError/platform(needs:has:)``.
    func check(platform: String) throws(BundleError) {
        guard let needed = index.platform, needed != platform else { return }
        throw .platform(needs: needed, has: platform)
    }

    /// Unpacks all files and links of the bundle, after ``isWhole()`` has returned true.
    ///
    /// - Throws: ``BundleError``, `ZipReadError` and `ArtifactError`; some files are left then.
    func unpack(into folder: String) throws {
        guard reader.entries.count <= FarmLimits.bundleEntriesMax + 1 else {
            throw tooLarge("files", reader.entries.count, FarmLimits.bundleEntriesMax)
        }
        var bytes = 0
        for entry in reader.entries {
            // Sizes are the zip's own claims; each is checked when its file is unpacked.
            guard entry.size <= FarmLimits.bundleUnpackedBytesMax - bytes else {
                throw tooLarge("bytes", .max, FarmLimits.bundleUnpackedBytesMax)
            }
            bytes += entry.size
        }
        try Posix.makeFolder(folder)
        let executables = Set(index.executables)
        var folders: Set<String> = [folder]
        for entry in reader.entries {
            let target = folder + "/" + entry.path
            try makeFolder(of: target, &folders)
            try reader.extract(entry, toFileAt: target, bytesMax: entry.size)
            guard chmod(target, mode(of: entry.path, executables)) == 0 else {
                throw Posix.failure("chmod", target)
            }
        }
        try makeLinks(in: folder, &folders)
        guard !index.isWritable else { return }
        for path in folders.subtracting([folder]) { _ = chmod(path, 0o555) }
    }

    private func makeFolder(of target: String, _ folders: inout Set<String>) throws {
        let parent = target.parentFolder
        if folders.insert(parent).inserted { try Posix.makeFolders(parent) }
    }

    /// Makes the links after all other files, so that no file is written through a link.
    private func makeLinks(in folder: String, _ folders: inout Set<String>) throws {
        let files = Set(reader.entries.map(\.path))
        guard files.count + index.links.count <= FarmLimits.bundleEntriesMax + 1 else {
            throw tooLarge(
                "files",
                files.count + index.links.count,
                FarmLimits.bundleEntriesMax
            )
        }
        let links = index.links.sorted { $0.key < $1.key }
        for (path, target) in links {
            guard ZipPaths.isSafe(path), !files.contains(path),
                BundleRules.isInside(target, from: path)
            else { throw BundleError.foreign(digest, fact: "has a link that leads out of it") }
            try makeFolder(of: folder + "/" + path, &folders)
        }
        for (path, target) in links {
            // If the path leads through another link, there is a folder in that link's place.
            guard symlink(target, folder + "/" + path) == 0 else {
                guard errno == EEXIST else { throw Posix.failure("link", folder + "/" + path) }
                throw BundleError.foreign(digest, fact: "has a link where a file or folder is")
            }
        }
    }

    private func tooLarge(_ what: String, _ count: Int, _ countMax: Int) -> BundleError {
        .tooLarge(what: what, count: count, countMax: countMax)
    }
}
