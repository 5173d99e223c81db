// One browser with the chromedriver that drives it. The browser hangs on a pipe of its driver, so
// that it ends when the driver does. Both are one process tree; ending the tree is the only way to
// stop a hung page.
import FarmCore
import Foundation

/// A running browser with one page, driven by its own chromedriver.
actor Browser {
    nonisolated let scale: Double
    /// Whether the browser keeps its network events for ``takeNetworkEvents()``.
    nonisolated let keepsEvents: Bool
    /// The work tree that the browser sees, or `nil` if it is not isolated.
    nonisolated let tree: IsolatedTree?
    /// The browser's own user agent, without any emulation.
    nonisolated let userAgent: String
    private let connection: WebDriverConnection
    private let session: String
    private let process: BrowserProcess
    /// The emulation that the page has, or `nil` if it is unknown; commands are sent only when it
    /// changes.
    private var emulation: Emulation?
    /// The script that runs before the scripts of each page, with its id in the browser, or `nil`
    /// if there is none.
    private var preparation: (text: String, identifier: String)?
    private var ignoresInput = true
    /// The origin whose stores the page may have filled, or `nil` if the browser shows no page.
    private var origin: String?

    private init(
        scale: Double,
        keepsEvents: Bool,
        tree: IsolatedTree?,
        userAgent: String,
        connection: WebDriverConnection,
        session: String,
        process: BrowserProcess
    ) {
        self.scale = scale
        self.keepsEvents = keepsEvents
        self.tree = tree
        self.userAgent = userAgent
        self.connection = connection
        self.session = session
        self.process = process
    }

    /// The most seconds that a start may take: a cold one reads 300 MB from disk.
    private static let startSecondsMax = 60.0

    /// The most attempts to start a browser, each with another port.
    ///
    /// On a machine that opens and closes hundreds of ports a second, one in some hundred starts
    /// finds its port taken.
    private static let startsMax = 5

    /// Starts a browser for one scale.
    ///
    /// - Throws: ``WebDriverError``, `DriverError`, `CancellationError`; nothing is left running.
    static func start(
        _ installation: ChromiumInstallation,
        scale: Double,
        keepsEvents: Bool = false,
        seeing tree: IsolatedTree? = nil,
        environment: [String: String]
    ) async throws -> Browser {
        for _ in 0..<startsMax {
            do {
                return try await startOnce(
                    installation,
                    scale: scale,
                    keepsEvents: keepsEvents,
                    tree,
                    environment: environment
                )
            } catch is BrowserProcess.PortTaken { continue }
        }
        throw WebDriverError.browserNotStarted(
            reason: "other programs took the ports that chromedriver found free"
        )
    }

    private static func startOnce(
        _ installation: ChromiumInstallation,
        scale: Double,
        keepsEvents: Bool,
        _ tree: IsolatedTree?,
        environment: [String: String]
    ) async throws -> Browser {
        let process = try BrowserProcess(installation, seeing: tree, environment: environment)
        do {
            return try await withTimeLimit(seconds: startSecondsMax) {
                try await connect(
                    process,
                    installation,
                    scale: scale,
                    keepsEvents: keepsEvents,
                    tree
                )
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
        scale: Double,
        keepsEvents: Bool,
        _ tree: IsolatedTree?
    ) async throws -> Browser {
        let connection = WebDriverConnection(port: try await process.port())
        let flags = ChromiumFlags.all(scale: scale, isRoot: geteuid() == 0)
        var options: [String: JSONValue] = [
            "binary": .text(installation.browser), "args": .list(flags.map { .text($0) }),
        ]
        var wanted: [String: JSONValue] = [
            "browserName": "chrome", "unhandledPromptBehavior": "dismiss",
        ]
        if keepsEvents {
            options["perfLoggingPrefs"] = ["enableNetwork": true, "enablePage": false]
            wanted["goog:loggingPrefs"] = ["performance": "ALL"]
        }
        wanted["goog:chromeOptions"] = .object(options)
        let session = try await connection.post(
            "/session",
            ["capabilities": ["alwaysMatch": .object(wanted)]],
            as: NewSession.self
        )
        let version = try await connection.post(
            "/session/\(session.sessionId)/goog/cdp/execute",
            ["cmd": "Browser.getVersion", "params": [:]],
            as: BrowserVersion.self
        )
        let browser = Browser(
            scale: scale,
            keepsEvents: keepsEvents,
            tree: tree,
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
        // A pointer that is never moved rests at 0,0. The first page of every renderer process gets
        // an event for it, and draws and runs what it has for `:hover`. Moving the pointer away
        // comes too late for scripts, but a page that ignores input gets no such event.
        _ = try await browser.command(
            "Input.setIgnoreInputEvents",
            ["ignore": true],
            as: AnyAnswer.self
        )
        return browser
    }

    private struct NewSession: Decodable { var sessionId: String }
    private struct BrowserVersion: Decodable { var userAgent: String }

    /// Sends a command of the DevTools protocol to the page, and returns its result.
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

    private struct LoggedEvent: Decodable { var message: String }

    /// Returns the browser's network events since the last call, each as JSON; none unless the
    /// browser keeps them.
    func takeNetworkEvents() async throws -> [String] {
        guard keepsEvents else { return [] }
        return try await connection.post(
            "/session/\(session)/se/log",
            ["type": "performance"],
            as: [LoggedEvent].self
        ).map(\.message)
    }

    /// Sets the screen, the language and so on that the page sees.
    func emulate(_ wanted: Emulation) async throws {
        guard emulation != wanted else { return }
        emulation = nil
        for (name, parameters) in wanted.commands(userAgent: userAgent) {
            _ = try await command(name, parameters, as: AnyAnswer.self)
        }
        emulation = wanted
    }

    private struct AddedScript: Decodable { var identifier: String }

    /// Sets the script that runs before the scripts of every page opened from now on; an empty one
    /// removes it.
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

    /// Sets whether pages ignore the pointer and the keys.
    func setInput(isIgnored: Bool) async throws {
        guard ignoresInput != isIgnored else { return }
        if isIgnored {
            // Moves the pointer off the page, or the next one would begin under it.
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

    /// Opens a page; returns the browser's name of the failure (`net::ERR_FAILED`), or `nil` on
    /// success.
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

    /// The kinds of storage that are cleared after a page: those that pages can use.
    ///
    /// `all` takes ten times as long: it also empties the browser's caches of shaders.
    private static let stored =
        "cookies,local_storage,indexeddb,cache_storage,service_workers,file_systems"
    private static let empty = "about:blank"

    private struct Place: Decodable {
        struct Result: Decodable { var value: String }
        var result: Result
    }

    /// Leaves the page and removes what it stored, its window's name and the history, so that
    /// scenes do not depend on their order.
    ///
    /// Returns when the browser has left the page, which never happens if the page hangs. Nothing
    /// else shows whether the browser can still be used.
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

    /// Clears the cache and the cookies that earlier pages left: a warm browser must show what a
    /// fresh one shows.
    func forget() async throws {
        _ = try await command("Network.clearBrowserCache", as: AnyAnswer.self)
        _ = try await command("Network.clearBrowserCookies", as: AnyAnswer.self)
    }

    /// Whether chromedriver has ended by itself, or was killed.
    nonisolated var hasEnded: Bool { process.hasEnded }

    /// Ends the browser with all its processes; returns when they are gone.
    nonisolated func stop() async {
        await process.stop()
    }

    /// The end of chromedriver's output.
    nonisolated var output: String { process.output }
}
