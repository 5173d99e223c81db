// `snapfarm reload`: sends SIGHUP to the coordinator that holds a data folder, and waits for its
// answer. The process id comes from the folder's lock, so no other process gets the signal.
import FarmCore
import Foundation

package struct ReloadRequest: Sendable {
    private let data: String

    package init(data: String) { self.data = data }

    /// Makes the coordinator reload its settings, and returns a line for each change.
    ///
    /// - Throws: ``ReloadError``, also for a refusal of the coordinator.
    package func reload() async throws -> [String] {
        let process = try owner()
        // SIGHUP would end a process that has not announced that it can reload.
        guard let before = ReloadOutcome.read(from: data), before.process == process else {
            throw ReloadError.cannot(data, process: process)
        }
        guard kill(process, SIGHUP) == 0 else {
            throw ReloadError.noSignal(process: process, String(cString: strerror(errno)))
        }
        let end = ContinuousClock.now + .seconds(FarmLimits.reloadSeconds)
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(50))
            guard let outcome = ReloadOutcome.read(from: data), outcome.process == process,
                outcome.number > before.number
            else { continue }
            if let refusal = outcome.refusal { throw ReloadError.refused(refusal) }
            return outcome.lines
        }
        throw ReloadError.noAnswer(process: process)
    }

    /// Returns the id of the process that holds the data folder.
    private func owner() throws -> pid_t {
        let path = data + "/lock"
        let lock = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard lock >= 0 else { throw ReloadError.notServing(data) }
        defer { _ = close(lock) }
        guard flock(lock, LOCK_SH | LOCK_NB) != 0 else { throw ReloadError.notServing(data) }
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        guard let process = text.split(whereSeparator: \.isWhitespace).last.flatMap({ pid_t($0) }),
            process > 1
        else { throw ReloadError.notServing(data) }
        return process
    }
}

/// The errors of a reload.
enum ReloadError: ExplainedError {
    /// The keys of changed settings that are read only at a start.
    case needsRestart([String])
    case refused(ReloadOutcome.Refusal)
    case notServing(String)
    case cannot(String, process: pid_t)
    case noSignal(process: pid_t, String)
    case noAnswer(process: pid_t)
    case unwritable(String, String)
    case unexpected(String)

    var code: String {
        switch self {
        case .needsRestart: "reload-needs-restart"
        case .refused(let refusal): refusal.code
        case .notServing: "reload-not-serving"
        case .cannot: "reload-impossible"
        case .noSignal: "reload-no-signal"
        case .noAnswer: "reload-no-answer"
        case .unwritable: "reload-unwritable"
        case .unexpected: "reload-failed"
        }
    }
    var message: String {
        switch self {
        case .needsRestart(let keys):
            keys.map { "`\($0):`" }.joined(separator: ", ")
                + (keys.count == 1 ? " is another" : " are others")
                + ", which only a coordinator that starts reads."
        case .refused(let refusal): "nothing was reloaded: \(refusal.message)"
        case .notServing(let data): "no coordinator uses the data folder \(data)."
        case .cannot(let data, let process):
            "process \(process), which uses the data folder \(data), cannot reload: it is no "
                + "coordinator, is still starting, or is of an older version."
        case .noSignal(let process, let reason):
            "the coordinator, process \(process), cannot be signalled: \(reason)."
        case .noAnswer(let process):
            "the coordinator, process \(process), did not say within "
                + "\(Int(FarmLimits.reloadSeconds)) s what became of it."
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)."
        case .unexpected(let reason): "the settings could not be read: \(reason)."
        }
    }
    var remedy: String {
        switch self {
        case .needsRestart: "Restart it; or write the old value back, and reload again."
        case .refused(let refusal): refusal.remedy
        case .notServing: "Start it, or name its folder with --data or its file with --config."
        case .cannot: "Restart it; a new one can."
        case .noSignal: "Call this as the user that the coordinator runs as, or as root."
        case .noAnswer: "See its log."
        case .unwritable:
            "Make room there, or correct its permissions; the coordinator's log says more."
        case .unexpected: "See the coordinator's log; it goes on with the settings that it had."
        }
    }
    var exit: ExitCode {
        switch self {
        case .needsRestart: .configuration
        case .refused(let refusal): ExitCode(rawValue: refusal.exit) ?? .internal
        case .notServing, .cannot, .noSignal, .noAnswer: .unavailable
        case .unwritable: .inputOutput
        case .unexpected: .internal
        }
    }
}
