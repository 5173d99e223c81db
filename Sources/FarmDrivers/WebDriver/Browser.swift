// One browser with the chromedriver that drives it. The browser hangs on a pipe of its driver, so
// that it ends when the driver does; both are one process tree, and ending it is the only way a
// hung page is stopped.
import FarmCore
import Foundation
import Synchronization

/// A browser that runs.
actor Browser {
    nonisolated let scale: Double
    /// Its own, without any emulation.
    nonisolated let userAgent: String
    private let connection: WebDriverConnection
    private let session: String
    private let process: BrowserProcess
    /// What the browser emulates now; commands are only sent when it changes.
    private var emulation: Emulation?
    /// What runs before the scripts of each page.
    private var preparation: (text: String, identifier: String)?
    private var ignoresInput = true

    private init(
        scale: Double,
        userAgent: String,
        connection: WebDriverConnection,
        session: String,
        process: BrowserProcess
    ) {
        self.scale = scale
        self.userAgent = userAgent
        self.connection = connection
        self.session = session
        self.process = process
    }

    /// A cold start reads 300 MB from disk.
    private static let startSecondsMax = 60.0

    /// Starts a browser for one scale.
    ///
    /// - Throws: ``WebDriverError``, `DriverError`, `CancellationError`; nothing is left running.
    static func start(
        _ installation: ChromiumInstallation,
        scale: Double,
        environment: [String: String]
    ) async throws -> Browser {
        let process = try BrowserProcess(installation, environment: environment)
        do {
            return try await withTimeLimit(seconds: startSecondsMax) {
                try await connect(process, installation, scale: scale)
            }
        } catch {
            await process.stop()
            try Task.checkCancellation()
            switch error {
            case is TimeLimitExceeded:
                throw WebDriverError.browserNotStarted(
                    reason: "nothing answered within \(Int(startSecondsMax)) s"
                )
            case let failure as WebDriverFailure:
                throw WebDriverError.browserNotStarted(reason: failure.message)
            default: throw error
            }
        }
    }

    private static func connect(
        _ process: BrowserProcess,
        _ installation: ChromiumInstallation,
        scale: Double
    ) async throws -> Browser {
        let connection = WebDriverConnection(port: try await process.port())
        let flags = ChromiumFlags.all(scale: scale, isRoot: geteuid() == 0)
        let options: JSONValue = [
            "binary": .text(installation.browser), "args": .list(flags.map { .text($0) }),
        ]
        let wanted: JSONValue = [
            "browserName": "chrome", "unhandledPromptBehavior": "dismiss",
            "goog:chromeOptions": options,
        ]
        let session = try await connection.post(
            "/session",
            ["capabilities": ["alwaysMatch": wanted]],
            as: NewSession.self
        )
        let version = try await connection.post(
            "/session/\(session.sessionId)/goog/cdp/execute",
            ["cmd": "Browser.getVersion", "params": [:]],
            as: BrowserVersion.self
        )
        let browser = Browser(
            scale: scale,
            userAgent: version.userAgent,
            connection: connection,
            session: session.sessionId,
            process: process
        )
        _ = try await browser.command(
            "Browser.setDownloadBehavior",
            ["behavior": "deny"],
            as: AnyAnswer.self
        )
        // A pointer that nobody moves rests at 0,0: the first page of every renderer process is told
        // of it, and draws and runs what it has for `:hover`. Moving it away comes too late for
        // scripts; a page that gets no input never hears of it.
        _ = try await browser.command(
            "Input.setIgnoreInputEvents",
            ["ignore": true],
            as: AnyAnswer.self
        )
        return browser
    }

    private struct NewSession: Decodable { var sessionId: String }
    private struct BrowserVersion: Decodable { var userAgent: String }

    /// Sends a command of the DevTools protocol to the page.
    func command<Value: Decodable & Sendable>(
        _ name: String,
        _ parameters: JSONValue = [:],
        as type: Value.Type
    ) async throws -> Value {
        try await connection.post(
            "/session/\(session)/goog/cdp/execute",
            ["cmd": .text(name), "params": parameters],
            as: type
        )
    }

    /// Makes the page see a cell's screen, language and so on.
    func emulate(_ wanted: Emulation) async throws {
        guard emulation != wanted else { return }
        emulation = nil
        for (name, parameters) in wanted.commands(userAgent: userAgent) {
            _ = try await command(name, parameters, as: AnyAnswer.self)
        }
        emulation = wanted
    }

    private struct AddedScript: Decodable { var identifier: String }

    /// Lets a script run before those of every page that is opened from now on, in the place of the
    /// one before; empty for none.
    func prepare(_ script: String) async throws {
        guard script != preparation?.text ?? "" else { return }
        if let old = preparation?.identifier {
            preparation = nil
            _ = try await command(
                "Page.removeScriptToEvaluateOnNewDocument",
                ["identifier": .text(old)],
                as: AnyAnswer.self
            )
        }
        guard !script.isEmpty else { return }
        let added = try await command(
            "Page.addScriptToEvaluateOnNewDocument",
            ["source": .text(script)],
            as: AddedScript.self
        )
        preparation = (script, added.identifier)
    }

    /// Whether pages hear of the pointer and the keys.
    func setInput(isIgnored: Bool) async throws {
        guard ignoresInput != isIgnored else { return }
        if isIgnored {
            // Off the page, or the next one would begin under it.
            _ = try await command(
                "Input.dispatchMouseEvent",
                ["type": "mouseMoved", "x": .number(-5), "y": .number(-5)],
                as: AnyAnswer.self
            )
        }
        _ = try await command(
            "Input.setIgnoreInputEvents",
            ["ignore": .flag(isIgnored)],
            as: AnyAnswer.self
        )
        ignoresInput = isIgnored
    }

    /// Forgets what earlier pages have left, also in caches: a warm browser must show what a
    /// fresh one shows.
    func forget() async throws {
        _ = try await command("Network.clearBrowserCache", as: AnyAnswer.self)
        _ = try await command("Network.clearBrowserCookies", as: AnyAnswer.self)
    }

    /// Whether its driver has ended by itself, or was killed.
    nonisolated var hasEnded: Bool { process.hasEnded }

    /// Ends the browser and everything of it; returns when it is gone.
    nonisolated func stop() async {
        await process.stop()
    }

    /// The end of what the driver has printed.
    nonisolated var output: String { process.output }
}

/// The chromedriver child and its folder.
final class BrowserProcess: Sendable {
    private struct State {
        var output = ""
        var hasPort = false
        var reason: String?
    }
    private let state = Mutex(State())
    private let life = Mutex<Task<Void, Never>?>(nil)
    private let folder: OwnedFolder
    private let ports: AsyncStream<Int>
    /// Text kept of what the driver prints.
    private static let outputCharactersMax = 4_000

    init(_ installation: ChromiumInstallation, environment: [String: String]) throws {
        folder = try OwnedFolder("browser")
        let (ports, found) = AsyncStream<Int>.makeStream()
        self.ports = ports
        let child = Self.child(installation, folder: folder.path, environment)
        // The browser outlives the call that starts it, so its task cannot be that call's child;
        // `stop` cancels and awaits it.
        let task = Task { await self.live(child, found) }
        life.withLock { $0 = task }
    }

    /// The driver makes the browser's profile in TMPDIR; giving the browser a profile folder
    /// itself keeps headless-shell from opening its first page.
    private static func child(
        _ installation: ChromiumInstallation,
        folder: String,
        _ environment: [String: String]
    ) -> ChildProcess {
        let passed = ["PATH", "HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH"]
        var clean = environment.filter { passed.contains($0.key) }
        clean["TMPDIR"] = folder
        clean["LANG"] = "C.UTF-8"
        clean["TZ"] = "UTC"
        return ChildProcess(
            executable: installation.chromedriver,
            arguments: ["--port=0"],
            environment: clean,
            folder: folder
        )
    }

    private func live(_ child: ChildProcess, _ found: AsyncStream<Int>.Continuation) async {
        do {
            try await child.withRunning(
                onOutput: { _, bytes in
                    if let port = self.read(bytes) { found.yield(port) }
                },
                body: { running in
                    let ending = try await running.ending()
                    self.state.withLock { $0.reason = "chromedriver ended (\(ending))" }
                }
            )
        } catch {
            state.withLock { $0.reason = $0.reason ?? "\(error)" }
        }
        found.finish()
        folder.remove()
    }

    /// Keeps the end of the output and finds the port in it, once.
    private func read(_ bytes: [UInt8]) -> Int? {
        state.withLock { state in
            state.output += String(decoding: bytes, as: UTF8.self)
            state.output = String(state.output.suffix(Self.outputCharactersMax))
            guard !state.hasPort,
                let match = state.output.firstMatch(of: /started successfully on port ([0-9]+)\./)
            else { return nil }
            state.hasPort = true
            return Int(match.1)
        }
    }

    /// Waits for the port the driver listens on.
    func port() async throws -> Int {
        for await port in ports { return port }
        try Task.checkCancellation()
        let reason = state.withLock { $0.reason } ?? "chromedriver said no port"
        throw WebDriverError.browserNotStarted(reason: reason)
    }

    var output: String { state.withLock { $0.output } }

    var hasEnded: Bool { state.withLock { $0.reason != nil } }

    func stop() async {
        let task = life.withLock { $0 }
        task?.cancel()
        await task?.value
    }
}
