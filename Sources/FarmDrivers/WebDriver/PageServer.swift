// The servers that a worker keeps beside its browsers: started for the first scene that needs one,
// started again where one has died, and ended with the driver.
import FarmCore
import FarmPipeline

/// What pages are served by.
protocol PageServer: Sendable {
    /// Ends with `/`, or is what the job's `url` says.
    var address: String { get }
    var hasEnded: Bool { get }
    /// Why it has ended.
    var failure: WebDriverError { get }
    /// What it has printed since the last call.
    func takeOutput() -> [UInt8]
    func stop() async
}

/// The servers of one driver.
actor PageServers {
    private struct Wanted: Hashable {
        var settings: WebServerSettings
        var folder: String
        var environment: [String: String]
    }
    /// The longest unused first.
    private var running: [(wanted: Wanted, server: any PageServer)] = []
    /// Those of two jobs.
    private static let runningMax = 4
    private struct Silence {
        var error: WebDriverError
        var began: ContinuousClock.Instant
    }
    /// Those that did not answer in their time.
    private var silent: [Wanted: Silence] = [:]
    /// So long they are not waited for again: every lease of a run would take as long.
    private static let silentSeconds = 600.0
    private let startSeconds: Double

    /// - Parameter startSeconds: how long a command may take until it answers.
    init(startSeconds: Double) {
        self.startSeconds = startSeconds
    }

    /// A server that answers.
    ///
    /// `folder` is the work tree; `environment` is what a command sees.
    ///
    /// - Throws: ``WebDriverError``, `CancellationError`.
    func server(
        _ settings: WebServerSettings,
        in folder: String,
        environment: [String: String]
    ) async throws -> any PageServer {
        let wanted = Wanted(settings: settings, folder: folder, environment: environment)
        if let index = running.firstIndex(where: { $0.wanted == wanted }) {
            let found = running.remove(at: index)
            if !found.server.hasEnded {
                running.append(found)
                return found.server
            }
            await found.server.stop()
        }
        silent = silent.filter { $0.value.began.duration(to: .now) < .seconds(Self.silentSeconds) }
        if let silence = silent[wanted] { throw silence.error }
        while running.count >= Self.runningMax { await running.removeFirst().server.stop() }
        let server: any PageServer =
            if let served = settings.folder {
                try await FolderServer.start(folder + "/" + served, fallback: settings.fallback)
            } else {
                try await command(wanted)
            }
        running.append((wanted, server))
        return server
    }

    private func command(_ wanted: Wanted) async throws -> CommandServer {
        do {
            return try await CommandServer.start(
                wanted.settings,
                in: wanted.folder,
                environment: wanted.environment,
                seconds: startSeconds
            )
        } catch let error as WebDriverError {
            if case .serverSilent = error { silent[wanted] = Silence(error: error, began: .now) }
            throw error
        }
    }

    func stop() async {
        while let last = running.popLast() { await last.server.stop() }
    }
}
