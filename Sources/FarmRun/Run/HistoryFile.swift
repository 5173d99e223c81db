// `--history PATH`: read before a run, written after it. It comes from a CI's cache, so anything may
// lie there: what cannot be read is said, and the run goes on without it.
import FarmArtifacts
import FarmCore
import FarmFiles
import Foundation

/// The file of a history; nothing need be there.
package struct HistoryFile: Sendable {
    /// Absolute.
    let path: String

    package init(_ path: String) { self.path = PipelineSource.absolute(path) }

    /// The history; nil where there is none that can be used, which `say` is told.
    func read(_ say: (String) -> Void) -> RunHistory? {
        guard FileManager.default.fileExists(atPath: path) else {
            say("no history at \(path) yet; nothing is known of how long tests take.")
            return nil
        }
        do {
            let limit = FarmLimits.historyBytesMax
            guard let bytes = try BoundedFile.read(path, bytesMax: limit) else {
                throw HistoryError.foreign("it is no regular file of at most \(limit >> 20) MB")
            }
            // What a CI step makes so that there is a file to hand on.
            if bytes.isEmpty { return nil }
            return try RunHistory(parsing: bytes)
        } catch let error as HistoryError {
            say("warning: \(path): \(error.message) \(error.remedy)")
        } catch {
            say("warning: \(path): \(error.localizedDescription)")
        }
        return nil
    }

    /// Adds a run to what lies there, whole or not at all; a failure is said, and costs no verdict.
    func add(_ summary: RunSummary, to old: RunHistory?, _ say: (String) -> Void) {
        var history = old ?? RunHistory()
        history.add(summary)
        guard !history.isEmpty else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path.parentFolder,
                withIntermediateDirectories: true
            )
            try DurableFile.write(Data(history.text.utf8), to: path)
        } catch {
            say("warning: the history cannot be written: \(error.localizedDescription)")
        }
    }
}
