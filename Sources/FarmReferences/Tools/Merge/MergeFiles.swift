// Reads and writes the files of a merge: bounded, and whole or not at all.
import FarmCore
import FarmFiles
import Foundation

enum MergeFiles {
    /// Reads at most `bytesMax` + 1 bytes: one byte more shows that the file is too large.
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

    /// Replaces a file in one step; creates its parent folders.
    static func write(_ bytes: Data, to path: String) throws(MergeError) {
        // Git gives files of its working folder without a folder.
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
