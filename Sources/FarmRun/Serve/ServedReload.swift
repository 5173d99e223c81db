// Reads a coordinator's settings again on SIGHUP, all of them or none. The outcome goes to the log,
// and to a file in the data folder, where `snapfarm reload` reads it. Warns of a certificate that
// is invalid or expires soon: at the start, at each reload and once a day.
import FarmCore
import FarmFiles
import FarmServer
import Foundation
import Logging
import UnixSignals

struct ServedReload: Sendable {
    let settings: ServedSettings
    let read: @Sendable () async throws -> ServedSettings.Value
    let tokens: TokenFile
    /// The path of the data folder.
    let data: String
    let logger: Logger
    /// Returns the time, in milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// Waits for the given number of seconds.
    let pause: @Sendable (Double) async throws -> Void

    /// Writes outcome 0, which shows that this process can reload, and warns if the certificate is
    /// invalid or expires soon.
    func begin() {
        keep(ReloadOutcome(number: 0))
        warn()
    }

    /// Reloads the settings at each signal, until the task is cancelled.
    func run(_ hangups: UnixSignalsSequence) async throws {
        let warnings = { @Sendable in
            while true {
                try await pause(FarmLimits.certificateWarningSeconds)
                warn()
            }
        }
        try await withBackgroundTask(warnings) {
            var number = 0
            for await _ in hangups {
                number += 1
                await reload(number)
            }
        }
    }

    private func reload(_ number: Int) async {
        var outcome = ReloadOutcome(number: number)
        do {
            outcome.lines = try await changed() + warning
            logger.notice(
                "reloaded",
                metadata: ["changes": "\(outcome.lines.joined(separator: "; "))"]
            )
        } catch {
            let refusal = (error as? any ExplainedError) ?? ReloadError.unexpected(error.inWords)
            outcome.refusal = ReloadOutcome.Refusal(refusal)
            logger.error(
                "nothing was reloaded: \(refusal.message)",
                metadata: ["remedy": "\(refusal.remedy)"]
            )
        }
        keep(outcome)
    }

    private func keep(_ outcome: ReloadOutcome) {
        do {
            try outcome.write(to: data)
        } catch {
            logger.error("\(error.message)", metadata: ["remedy": "\(error.remedy)"])
        }
    }

    /// Adopts the new settings, and returns a line for each change.
    private func changed() async throws -> [String] {
        let (old, new) = (settings.now, try await read())
        let fixed = old.needsRestart(for: new)
        guard fixed.isEmpty else { throw ReloadError.needsRestart(fixed) }
        // Every call reads the tokens: with an unreadable file the coordinator would refuse all
        // calls.
        _ = try tokens.records()
        settings.replace(with: new)
        let lines = old.difference(to: new)
        return lines.isEmpty ? ["nothing has changed"] : lines
    }

    // MARK: the certificate

    private var warning: [String] {
        guard let certificate = settings.now.certificate,
            let words = certificate.life.warning(at: now())
        else { return [] }
        return ["the certificate \(certificate.path) \(words)"]
    }

    private func warn() {
        for words in warning {
            logger.warning(
                "\(words)",
                metadata: [
                    "remedy": "put another one in its place, and let it be read: snapfarm reload"
                ]
            )
        }
    }
}

/// The outcome of the last reload, kept as a file of the data folder.
struct ReloadOutcome: Codable, Sendable {
    struct Refusal: Codable, Sendable {
        let code: String
        let message: String
        let remedy: String
        let exit: Int32

        init(_ error: any ExplainedError) {
            code = error.code
            message = error.message
            remedy = error.remedy
            exit = error.exit.rawValue
        }
    }
    /// The id of the coordinator's process.
    var process = getpid()
    /// The number of the reload in the coordinator's process; 0 before the first.
    var number: Int
    var lines: [String] = []
    /// The reason of a refused reload, or `nil` if the settings were adopted.
    var refusal: Refusal?

    static func path(in data: String) -> String { data + "/reload.json" }

    func write(to data: String) throws(ReloadError) {
        do {
            let bytes = try JSONEncoder().encode(self)
            try DurableFile.write(bytes, to: Self.path(in: data), readers: .owner)
        } catch let error as FileFailure {
            throw .unwritable(Self.path(in: data), error.reason)
        } catch {
            throw .unexpected(error.inWords)
        }
    }

    /// Reads the outcome of the last reload from a data folder, or returns `nil` if there is none.
    static func read(from data: String) -> ReloadOutcome? {
        FileManager.default.contents(atPath: path(in: data))
            .flatMap { try? JSONDecoder().decode(ReloadOutcome.self, from: $0) }
    }
}
