// The few files that merging reads and writes: bounded, and whole or not at all.
import FarmCore
import FarmFiles
import Foundation

enum MergeFiles {
    /// At most `bytesMax` and one more byte, so that a reader can tell a file that is too large.
    static func read(_ path: String, bytesMax: Int) throws(MergeError) -> Data {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw .file(path: path, reason: "cannot be read")
        }
        defer { try? file.close() }
        do {
            return try file.read(upToCount: bytesMax + 1) ?? Data()
        } catch {
            throw .file(path: path, reason: "cannot be read (\(error.inWords))")
        }
    }

    /// Replaces the file in one step; folders that lead to it are made.
    static func write(_ bytes: Data, to path: String) throws(MergeError) {
        // Git names files of its working folder without one.
        let folder = path.parentFolder
        do {
            if !folder.isEmpty {
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true
                )
            }
            try DurableFile.write(bytes, to: path)
        } catch let error as FileFailure {
            throw .file(path: path, reason: "cannot be written (\(error.reason))")
        } catch {
            throw .file(path: path, reason: "cannot be written (\(error.inWords))")
        }
    }
}
