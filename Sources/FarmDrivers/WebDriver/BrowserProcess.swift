// The chromedriver that drives one browser, as a child process. The browser is part of its tree.
import FarmCore
import Foundation
import Synchronization

/// The child process of chromedriver, and its temporary folder.
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
    /// The most characters that are kept of chromedriver's output.
    private static let outputCharactersMax = 4_000

    init(
        _ installation: ChromiumInstallation,
        seeing tree: IsolatedTree?,
        environment: [String: String]
    ) throws {
        folder = try OwnedFolder("browser")
        let (ports, found) = AsyncStream<Int>.makeStream()
        self.ports = ports
        let child = try Self.child(installation, folder: folder.path, tree, environment)
        // The browser outlives the call that starts it, so its task cannot be a child of that
        // call's task; `stop` cancels and awaits it.
        let task = Task { await self.live(child, found) }
        life.withLock { $0 = task }
    }

    /// Returns the child process of chromedriver, which makes the browser's profile in TMPDIR.
    ///
    /// If the browser is given a profile folder itself, headless-shell does not open its first
    /// page.
    private static func child(
        _ installation: ChromiumInstallation,
        folder: String,
        _ tree: IsolatedTree?,
        _ environment: [String: String]
    ) throws -> ChildProcess {
        let passed = ["PATH", "HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH"]
        var clean = environment.filter { passed.contains($0.key) }
        clean["TMPDIR"] = folder
        clean["LANG"] = "C.UTF-8"
        clean["TZ"] = "UTC"
        var child = ChildProcess(
            executable: installation.chromedriver,
            arguments: ["--port=0"],
            environment: clean,
            folder: folder
        )
        child.enclosure = try tree?.isolation.enclosure(
            in: folder,
            tree: tree?.path,
            readable: installation.folders
        )
        return child
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
            state.withLock { $0.reason = $0.reason ?? error.inWords }
        }
        found.finish()
        folder.remove()
    }

    /// Adds output to the end that is kept; returns the port that chromedriver names in it, once,
    /// else `nil`.
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

    /// The error of a port that is taken: chromedriver takes any free IPv6 port, and ends if
    /// another program has the same IPv4 port.
    struct PortTaken: Error {}

    /// Returns the port that chromedriver listens on, when it has named one.
    ///
    /// - Throws: `PortTaken`, ``WebDriverError``, `CancellationError`.
    func port() async throws -> Int {
        for await port in ports { return port }
        try Task.checkCancellation()
        guard !output.contains("port not available") else { throw PortTaken() }
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
