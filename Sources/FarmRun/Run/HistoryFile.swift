// The file of `--history`, read before a run and written after it. It comes from a CI's cache, so
// its content is untrusted: an unusable file gives a warning, and the run goes on without it.
import FarmArtifacts
import FarmCore
import FarmFiles
import Foundation

/// The file with the history of earlier runs, which need not exist.
package struct HistoryFile: Sendable {
    /// The absolute path of the history's file.
    let path: String

    package init(_ path: String) { self.path = PipelineSource.absolute(path) }

    /// Returns the history, or `nil` if there is none that can be used.
    ///
    /// Passes a message to `say` if the file is missing or invalid.
    func read(_ say: (String) -> Void) -> RunHistory? {
        guard FileManager.default.fileExists(atPath: path) else {
            say("no history at \(path) yet; nothing is known of how long tests take.")
            return nil
        }
        do {
            return try content()
        } catch let error as HistoryError {
            say("warning: \(path): \(error.message) \(error.remedy)")
        } catch {
            say("warning: \(path): \(error.inWords)")
        }
        return nil
    }

    /// Returns the tests that were flaky in the newest `limit` runs of the history.
    ///
    /// - Throws: an error that names the file if there is no history that can be used.
    package func flaky(runs limit: Int) throws -> FlakyTests {
        try known()?.flaky(runs: limit) ?? FlakyTests(runs: 0, histories: [])
    }

    /// Returns the record of inherited tests of the history.
    ///
    /// - Throws: an error that names the file if there is no record.
    package func reuse() throws -> ReuseRecord {
        guard let record = try known()?.reuse else {
            throw NoHistory(path: path, fact: "no run with `reuse` is in the history.")
        }
        return record
    }

    /// Returns the history, or `nil` if the file is empty.
    ///
    /// - Throws: an error that names the file if there is no history that can be used.
    private func known() throws -> RunHistory? {
        guard FileManager.default.fileExists(atPath: path) else {
            throw NoHistory(path: path, fact: "there is no such file.")
        }
        do {
            return try content()
        } catch let error as HistoryError {
            throw NoHistory(path: path, fact: error.message)
        }
    }

    private func content() throws -> RunHistory? {
        let limit = FarmLimits.historyBytesMax
        guard let bytes = try BoundedFile.read(path, bytesMax: limit) else {
            throw HistoryError.foreign("it is no regular file of at most \(limit >> 20) MB")
        }
        // A CI step may create an empty file, so that there is one to upload.
        return bytes.isEmpty ? nil : try RunHistory(parsing: bytes)
    }

    /// Adds a run to `old` and writes the file atomically; a failure gives only a warning.
    ///
    /// `host` is the machine that ran the tests, or `nil` if there were several; `change` changes the
    /// history before the run is added.
    func add(
        _ summary: RunSummary,
        host: String?,
        to old: RunHistory?,
        _ say: (String) -> Void,
        after change: (inout RunHistory) -> Void = { _ in }
    ) {
        var history = old ?? RunHistory()
        change(&history)
        history.add(summary, host: host)
        guard !history.isEmpty else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path.parentFolder,
                withIntermediateDirectories: true
            )
            try DurableFile.write(Data(history.text.utf8), to: path)
        } catch {
            say("warning: the history cannot be written: \(error.inWords)")
        }
    }
}

/// The error of a command that only reads the history, and finds none.
private struct NoHistory: ExplainedError {
    let path: String
    let fact: String

    var code: String { "history-unusable" }
    var message: String { "\(path): \(fact)" }
    var remedy: String { "Name the file that `snapfarm run --history FILE` writes." }
    var exit: ExitCode { .invalidInput }
}
