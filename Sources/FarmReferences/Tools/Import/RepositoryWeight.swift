// What references weigh in a main repository's history, by Git's own count: the bytes its objects
// take on disk, as deltas and compressed, over everything that any branch or tag reaches. Other
// objects may be deltas of a picture, so that removing pictures frees slightly less.
import FarmCore
import FarmFiles
import FarmGit
import Foundation

/// Bytes of a repository with and without its references.
package struct RepositoryWeight: Hashable, Sendable, Codable {
    /// Objects that references reach, and their bytes on disk (`%(objectsize:disk)`).
    package var objectCount = 0
    package var diskBytes = 0
    /// Of these: pictures that were ever at a path of the source.
    package var pictureCount = 0
    package var pictureDiskBytes = 0
    /// The same pictures as files.
    package var pictureBytes = 0

    /// What the repository would weigh without them.
    package var diskBytesWithout: Int { diskBytes - pictureDiskBytes }

    /// Bytes of one line that are read: an id, two numbers and a path.
    private static let lineBytesMax = 16 << 10

    /// Counts with two `git` child processes (git 2.29 or newer); writes nothing.
    ///
    /// `environment` is the children's; its `PATH` must lead to `git`.
    ///
    /// - Throws: `ImportFault.git`.
    package static func measure(
        repository: String,
        settings: ImportSettings,
        environment: [String: String]
    ) throws -> RepositoryWeight {
        // Never fetch what a partial clone lacks, never ask anything.
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

    /// Seconds that a program which has said all may take to end.
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

    /// Reads lines until the end; false for a line that is too long.
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
        // A path counts even where its cell is not known: it weighs all the same.
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
