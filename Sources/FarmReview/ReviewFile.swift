// Where `review.json` lies: in the data folder by run, and beside the run's own files where a
// folder was reviewed.
import FarmArtifacts
import FarmCore
import FarmFiles
import Foundation

/// The files of one run's decisions.
package struct ReviewFile: Sendable {
    package static let name = "review.json"

    /// Absolute paths; the first is that of the data folder.
    package let paths: [String]
    package let run: String

    /// `data` is the data folder, `folder` that of the reviewed files.
    package init(run: String, data: String, folder: String?) {
        self.run = run
        paths = ["\(data)/reviews/\(run)", folder].compactMap { $0.map { "\($0)/\(Self.name)" } }
    }

    /// What was decided so far; notes of another run count nothing.
    ///
    /// - Throws: for a file that is damaged, since it may hold what a person rejected.
    package func read() throws -> ReviewNotes {
        var all = ReviewNotes(run: run)
        for path in paths.reversed() where FileManager.default.fileExists(atPath: path) {
            guard
                let bytes = try BoundedFile.read(path, bytesMax: FarmLimits.reviewBytesMax),
                let notes = try? JSONDecoder().decode(ReviewNotes.self, from: bytes),
                notes.schemaVersion == ReviewNotes.currentVersion
            else {
                throw ReviewRefusal.notOurs(origin: path, fact: "is not the review of a run")
            }
            if notes.run == run { all.add(notes.decisions) }
        }
        return all
    }

    /// Adds decisions, each file whole or not at all.
    package func add(_ notes: [ReviewNote]) throws {
        var all = try read()
        all.add(notes)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let bytes = try encoder.encode(all) + Data("\n".utf8)
        for path in paths {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true
            )
            try DurableFile.write(bytes, to: path)
        }
    }
}
