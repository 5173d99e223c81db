// The servers that a worker keeps beside its browsers: started for the first scene that needs one,
// started again if they died, and ended with the driver.
import FarmCore
import FarmPipeline
import Foundation

/// A running server of pages.
protocol PageServer: Sendable {
    /// The address of the server, which ends with `/` or is the job's `url`.
    var address: String { get }
    var hasEnded: Bool { get }
    /// The error that explains why the server has ended.
    var failure: WebDriverError { get }
    /// Returns what the server has printed since the last call.
    func takeOutput() -> [UInt8]
    func stop() async
}

/// The servers that one driver keeps running.
actor PageServers {
    fileprivate typealias Wanted = UnresponsiveServers.Wanted
    /// The running servers, the longest unused first.
    private var running: [(wanted: Wanted, place: UInt64?, server: any PageServer)] = []
    /// The most servers that run at once: those of two jobs.
    private static let runningMax = 4
    private let silent: UnresponsiveServers
    private let startSeconds: Double
    private let isolation: Isolation?

    /// Creates an empty set of servers; `startSeconds` is the most time that a command may take
    /// until its server answers.
    init(
        startSeconds: Double,
        isolation: Isolation?,
        silent: UnresponsiveServers = .ofProgram
    ) {
        self.startSeconds = startSeconds
        self.isolation = isolation
        self.silent = silent
    }

    /// Returns a server that answers, started if none runs yet.
    ///
    /// `folder` is the work tree; `environment` is that of a command.
    ///
    /// - Throws: ``WebDriverError``, `CancellationError`.
    func server(
        _ settings: WebServerSettings,
        in folder: String,
        environment: [String: String]
    ) async throws -> any PageServer {
        let wanted = Wanted(settings: settings, folder: folder, environment: environment)
        let place = Self.place(of: folder)
        if let index = running.firstIndex(where: { $0.wanted == wanted }) {
            let found = running.remove(at: index)
            // If the bundle was unpacked again, the old server would serve the deleted folder.
            if !found.server.hasEnded, found.place == place {
                running.append(found)
                return found.server
            }
            await found.server.stop()
        }
        if let error = await silent.error(of: wanted) { throw error }
        while running.count >= Self.runningMax { await running.removeFirst().server.stop() }
        let server: any PageServer =
            if let served = settings.folder {
                try await FolderServer.start(folder + "/" + served, fallback: settings.fallback)
            } else {
                try await command(wanted)
            }
        running.append((wanted, place, server))
        return server
    }

    /// Returns the inode of the folder at a path, or `nil` if there is none.
    private static func place(of folder: String) -> UInt64? {
        let facts = try? FileManager.default.attributesOfItem(atPath: folder)
        return (facts?[.systemFileNumber] as? NSNumber)?.uint64Value
    }

    private func command(_ wanted: Wanted) async throws -> CommandServer {
        do {
            return try await CommandServer.start(
                wanted.settings,
                in: wanted.folder,
                isolation: isolation,
                environment: wanted.environment,
                seconds: startSeconds
            )
        } catch let error as WebDriverError {
            guard case .serverSilent = error else { throw error }
            throw await silent.note(error, of: wanted)
        }
    }

    func stop() async {
        while let last = running.popLast() { await last.server.stop() }
    }
}

/// Remembers servers that did not answer in time, for all workers of this program: otherwise each
/// worker, and every lease, would wait as long again.
actor UnresponsiveServers {
    fileprivate struct Wanted: Hashable {
        var settings: WebServerSettings
        var folder: String
        var environment: [String: String]
    }
    private struct Silence {
        var error: WebDriverError
        var began: ContinuousClock.Instant
    }

    static let ofProgram = UnresponsiveServers()
    /// The seconds in which a server that did not answer is not started again.
    private static let seconds = 600.0
    private var silent: [Wanted: Silence] = [:]

    /// Returns the error of a server's last start, or `nil` if it may be started again.
    fileprivate func error(of wanted: Wanted) -> WebDriverError? {
        silent = silent.filter { $0.value.began.duration(to: .now) < .seconds(Self.seconds) }
        return silent[wanted]?.error
    }

    /// Notes that a server did not answer.
    ///
    /// Returns the first such error, so that workers that waited side by side, each with its own
    /// port, report one cause.
    fileprivate func note(_ error: WebDriverError, of wanted: Wanted) -> WebDriverError {
        if let first = self.error(of: wanted) { return first }
        silent[wanted] = Silence(error: error, began: .now)
        return error
    }
}
