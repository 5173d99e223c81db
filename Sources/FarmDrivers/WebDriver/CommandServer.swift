// A program that serves pages, started by the driver. It runs beside the browsers of one worker and
// is ended with its whole tree.
import AsyncHTTPClient
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A running server of pages, started by a command of the job.
final class CommandServer: PageServer {
    let address: String
    private let settings: WebServerSettings
    private let port: String
    private let tail = OutputTail()
    /// The output that no lease's log has yet.
    private let unread = Mutex<[UInt8]>([])
    private let reason = Mutex<String?>(nil)
    private let life = Mutex<Task<Void, Never>?>(nil)
    /// The home of an isolated server, or `nil` if it is not isolated.
    private let own: OwnedFolder?

    private static let pauseMilliseconds: Int64 = 100
    private static let answerSecondsMax: Int64 = 10

    /// Starts the server on a free port, and waits at most `seconds` until its address answers.
    ///
    /// - Throws: ``WebDriverError``, `CancellationError`; nothing is left running.
    static func start(
        _ settings: WebServerSettings,
        in folder: String,
        isolation: Isolation?,
        environment: [String: String],
        seconds: Double
    ) async throws -> CommandServer {
        let port = String(try await freePort())
        let own = try isolation.map { _ in try OwnedFolder("server") }
        let server = CommandServer(settings, port: port, own: own)
        let enclosure = try own.flatMap { own in
            try isolation?.enclosure(in: own.path, tree: folder, as: .shared)
        }
        server.begin(
            in: folder,
            enclosure,
            environment.merging(["PORT": port]) { _, port in port }
        )
        do {
            try await withTimeLimit(seconds: seconds) { try await server.waitForAnswer() }
            return server
        } catch {
            await server.stop()
            try Task.checkCancellation()
            guard error is TimeLimitExceeded else { throw error }
            throw WebDriverError.serverSilent(
                address: server.address,
                seconds: seconds,
                namesPort: settings.command?.contains("{port}") == true,
                server.lastWords
            )
        }
    }

    private init(_ settings: WebServerSettings, port: String, own: OwnedFolder?) {
        self.settings = settings
        self.port = port
        self.own = own
        address = (settings.url ?? WebServerSettings.usualURL).replacing("{port}", with: port)
    }

    /// Returns a port that no program listens on; the system returns another one each time.
    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }

    private func begin(
        in folder: String,
        _ enclosure: Enclosure?,
        _ environment: [String: String]
    ) {
        var child = ChildProcess(
            executable: "/bin/sh",
            arguments: ["-c", command],
            environment: environment,
            folder: folder
        )
        child.enclosure = enclosure
        child.joinsOutputs = true
        // The server lives as long as the worker; this code bounds what it keeps of the output.
        child.outputBytesMax = .max
        // The server outlives the call that starts it, so its task cannot be a child of that call's
        // task; `stop` cancels and awaits it.
        let task = Task { [child] in await self.live(child) }
        life.withLock { $0 = task }
    }

    private func live(_ child: ChildProcess) async {
        do {
            try await child.withRunning(
                onOutput: { _, bytes in
                    self.tail.append(bytes)
                    self.unread.withLock { unread in
                        let room = max(0, FarmLimits.resultOutputBytesMax - unread.count)
                        unread += bytes.prefix(room)
                    }
                },
                body: { running in
                    let ending = try await running.ending()
                    self.reason.withLock { $0 = ending.text(limitSeconds: 0) }
                }
            )
        } catch {
            reason.withLock { $0 = $0 ?? "could not be started: \(error.inWords)" }
        }
    }

    private func waitForAnswer() async throws {
        while true {
            if hasEnded { throw failure }
            let answer = try? await WebDriverConnection.get(
                address,
                accept: "text/html,*/*",
                seconds: Self.answerSecondsMax
            )
            if let answer, answer.status.code < 500 { return }
            try await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
        }
    }

    private var command: String {
        (settings.command ?? "").replacing("{port}", with: port)
    }

    private var lastWords: WebDriverError.LastWords {
        WebDriverError.LastWords(
            command: command,
            cause: tail.cause.replacing(port, with: "PORT"),
            end: tail.lastLines()
        )
    }

    var hasEnded: Bool { reason.withLock { $0 != nil } }

    var failure: WebDriverError {
        .serverFailed(
            reason: reason.withLock { $0 } ?? "is not there",
            lastWords
        )
    }

    func takeOutput() -> [UInt8] {
        unread.withLock { unread in
            defer { unread = [] }
            return unread
        }
    }

    func stop() async {
        let task = life.withLock { $0 }
        task?.cancel()
        await task?.value
        own?.remove()
    }
}
