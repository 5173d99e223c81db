// One browser with the chromedriver that drives it. The browser hangs on a pipe of its driver, so
// that it ends when the driver does; both are one process tree, and ending it is the only way a
// hung page is stopped.
import FarmCore
import Foundation

/// A browser that runs.
actor Browser {
    nonisolated let scale: Double
    /// Its own, without any emulation.
    nonisolated let userAgent: String
    private let connection: WebDriverConnection
    private let session: String
    private let process: BrowserProcess
    /// The emulation that is set; commands are only sent when it changes.
    private var emulation: Emulation?
    /// What runs before the scripts of each page.
    private var preparation: (text: String, identifier: String)?
    private var ignoresInput = true
    /// Whose stores the page in it may have filled; nil for a browser that shows no page.
    private var origin: String?

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

    /// Of which each finds another port; on a machine that opens and closes hundreds of ports a
    /// second, one in some hundred starts finds its port taken.
    private static let startsMax = 5

    /// Starts a browser for one scale.
    ///
    /// - Throws: ``WebDriverError``, `DriverError`, `CancellationError`; nothing is left running.
    static func start(
        _ installation: ChromiumInstallation,
        scale: Double,
        environment: [String: String]
    ) async throws -> Browser {
        for _ in 0..<startsMax {
            do {
                return try await startOnce(installation, scale: scale, environment: environment)
            } catch is BrowserProcess.PortTaken { continue }
        }
        throw WebDriverError.browserNotStarted(
            reason: "other programs took the ports that chromedriver found free"
        )
    }

    private static func startOnce(
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

    private struct Navigation: Decodable { var errorText: String? }

    /// Opens a page; returns what the browser calls its failure (`net::ERR_FAILED`), nil for none.
    func open(_ address: String) async throws -> String? {
        origin = URL(string: address).flatMap { url in
            url.scheme.map { scheme in
                "\(scheme)://" + (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
            }
        }
        let answer = try await command(
            "Page.navigate",
            ["url": .text(address)],
            as: Navigation.self
        )
        return answer.errorText.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// All that a page can store.
    ///
    /// `all` takes ten times as long: it also empties the browser's caches of shaders.
    private static let stored =
        "cookies,local_storage,indexeddb,cache_storage,service_workers,file_systems"
    private static let empty = "about:blank"

    private struct Place: Decodable {
        struct Result: Decodable { var value: String }
        var result: Result
    }

    /// Leaves the page and removes what it stored, its window's name and the history, so that scenes
    /// do not depend on their order.
    ///
    /// Returns when the browser has left it; of a page that hangs it never does. Nothing else tells
    /// whether the browser can still be used.
    func leave() async throws {
        guard let origin else { return }
        _ = try await command("Page.navigate", ["url": .text(Self.empty)], as: AnyAnswer.self)
        while try await command(
            "Runtime.evaluate",
            ["expression": "window.name = \"\"; location.href", "returnByValue": true],
            as: Place.self
        ).result.value != Self.empty {
            try await Task.sleep(for: .milliseconds(15))
        }
        _ = try await command("Page.resetNavigationHistory", as: AnyAnswer.self)
        _ = try await command(
            "Storage.clearDataForOrigin",
            ["origin": .text(origin), "storageTypes": .text(Self.stored)],
            as: AnyAnswer.self
        )
        self.origin = nil
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
