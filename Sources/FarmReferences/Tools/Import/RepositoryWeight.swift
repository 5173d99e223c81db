// The size of references in a main repository's history, as Git counts it: the bytes on the disk,
// compressed and as deltas, of all objects that branches and tags reach. Other objects may be
// deltas of a picture, so removing pictures frees slightly less.
import FarmCore
import FarmFiles
import FarmGit
import Foundation

/// The size of a repository with and without its references.
package struct RepositoryWeight: Hashable, Sendable, Codable {
    /// The number of objects that Git references reach; `diskBytes` is their size on the disk
    /// (`%(objectsize:disk)`).
    package var objectCount = 0
    package var diskBytes = 0
    /// The number of these objects that are pictures and were ever at a path of the source.
    package var pictureCount = 0
    package var pictureDiskBytes = 0
    /// The size of the same pictures as files, in bytes.
    package var pictureBytes = 0

    /// The size of the repository without the pictures, in bytes.
    package var diskBytesWithout: Int { diskBytes - pictureDiskBytes }

    /// The largest length of one line of Git's output in bytes: an id, two numbers and a path.
    private static let lineBytesMax = 16 << 10

    /// Measures a repository with two `git` child processes (git 2.29 or newer); writes nothing.
    ///
    /// `environment` is that of the children; its `PATH` must contain `git`.
    ///
    /// - Throws: `ImportFault.git`.
    package static func measure(
        repository: String,
        settings: ImportSettings,
        environment: [String: String]
    ) throws -> RepositoryWeight {
        // Git must not fetch missing objects of a partial clone, nor ask for a password.
        let quiet = environment.merging(
            ["GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"]
        ) { _, new in new }
        let (between, result) = (Pipe(), Pipe())
        let list = try child(
            ["rev-list", "--objects", "--all", "HEAD"],
            of: repository,
            quiet,
            input: .nullDevice,
            output: between.fileHandleForWriting
        )
        let sizes = try child(
            [
                "cat-file", "--buffer",
                "--batch-check=%(objectname) %(objecttype) %(objectsize:disk) %(objectsize) %(rest)",
            ],
            of: repository,
            quiet,
            input: between.fileHandleForReading,
            output: result.fileHandleForWriting
        )
        try between.fileHandleForReading.close()
        try between.fileHandleForWriting.close()
        try result.fileHandleForWriting.close()
        var weight = RepositoryWeight()
        let complete = try weight.count(result.fileHandleForReading, settings)
        let endings = [list, sizes].map { $0.status(within: complete ? endSecondsMax : 0) }
        guard complete, endings == [0, 0] else {
            let said = endings.map { $0.map(String.init) ?? "no status" }
            throw ImportFault.git(
                doing: "count the objects of \(repository)",
                reason: "git rev-list ended with \(said[0]), git cat-file with \(said[1])"
            )
        }
        return weight
    }

    /// The largest number of seconds that a child may take to end after it closed its output.
    private static let endSecondsMax = 60.0

    private static func child(
        _ arguments: [String],
        of repository: String,
        _ environment: [String: String],
        input: FileHandle,
        output: FileHandle
    ) throws -> ChildProgram {
        do {
            return try ChildProgram(
                ["git", "-C", repository] + arguments,
                environment: environment,
                input: input,
                output: output,
                errors: .nullDevice
            )
        } catch {
            throw ImportFault.git(doing: "start git", reason: error.message)
        }
    }

    /// Adds the objects in Git's output to the sums; returns `false` if a line is too long.
    private mutating func count(_ file: FileHandle, _ settings: ImportSettings) throws -> Bool {
        var rest = Data()
        while let chunk = try file.read(upToCount: 1 << 16), !chunk.isEmpty {
            rest.append(chunk)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                add(rest[rest.startIndex..<end], settings)
                rest = rest[rest.index(after: end)...]
            }
            rest = Data(rest)
            guard rest.count <= Self.lineBytesMax else { return false }
        }
        return true
    }

    private mutating func add(_ line: Data, _ settings: ImportSettings) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 4)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count >= 4, let disk = Int(parts[2]), let bytes = Int(parts[3]) else { return }
        objectCount += 1
        diskBytes += disk
        // A picture counts even if its cell is unknown.
        guard parts.count == 5, parts[1] == "blob", settings.isPicture(parts[4]) else { return }
        pictureCount += 1
        pictureDiskBytes += disk
        pictureBytes += bytes
    }
}

extension ImportSettings {
    fileprivate func isPicture(_ path: String) -> Bool {
        guard folder.isEmpty || below(folder, path) != nil else { return false }
        guard case .picture = source.place(of: path) else { return false }
        return true
    }
}
