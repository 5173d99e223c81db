// What references weigh in a main repository's history, by Git's own count: the bytes its objects
// take on disk, as deltas and compressed, over everything that any branch or tag reaches. Other
// objects may be deltas of a picture, so that removing pictures frees slightly less.
import FarmCore
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
        let list = process(
            ["-C", repository, "rev-list", "--objects", "--all", "HEAD"],
            quiet
        )
        let sizes = process(
            [
                "-C", repository, "cat-file", "--buffer",
                "--batch-check=%(objectname) %(objecttype) %(objectsize:disk) %(objectsize) %(rest)",
            ],
            quiet
        )
        let between = Pipe()
        let result = Pipe()
        list.standardOutput = between
        sizes.standardInput = between
        sizes.standardOutput = result
        do {
            try list.run()
            try sizes.run()
        } catch {
            if list.isRunning { list.terminate() }
            throw ImportFault.git(doing: "start git", reason: "\(error)")
        }
        try? between.fileHandleForReading.close()
        try? between.fileHandleForWriting.close()
        var weight = RepositoryWeight()
        let complete = try weight.count(result.fileHandleForReading, settings)
        if !complete {
            list.terminate()
            sizes.terminate()
        }
        list.waitUntilExit()
        sizes.waitUntilExit()
        guard complete, list.terminationStatus == 0, sizes.terminationStatus == 0 else {
            throw ImportFault.git(
                doing: "count the objects of \(repository)",
                reason: "git rev-list ended with \(list.terminationStatus), "
                    + "git cat-file with \(sizes.terminationStatus)"
            )
        }
        return weight
    }

    private static func process(_ arguments: [String], _ environment: [String: String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git"] + arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
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
