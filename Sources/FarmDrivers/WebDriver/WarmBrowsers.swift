// The browsers that a driver keeps between scenes, one for each scale. A browser that does not
// answer as it should is ended and replaced, so that no scene suffers from an earlier one.
import FarmCore

/// The browsers that one driver keeps warm.
actor WarmBrowsers {
    private let environment: [String: String]
    /// The idle browsers, the longest unused first.
    private var warm: [Browser] = []

    /// The most idle browsers; one needs some 450 MB.
    private static let warmMax = 2
    /// The most attempts at a scene, if its browser fails.
    private static let attemptsMax = 2
    /// The most seconds for leaving a page: it takes some 20 ms, but a page whose script hangs is
    /// never left.
    private static let leaveSecondsMax = 3.0

    init(environment: [String: String]) {
        self.environment = environment
    }

    /// Lends a browser to `body`, which opens `page`.
    ///
    /// `keepsEvents` tells whether it keeps its network events; `tree` is the work tree that an
    /// isolated browser sees.
    ///
    /// The browser is kept if `body` ends well or with a fault of the page, and ended otherwise. If
    /// the browser failed, `body` gets one more attempt with a new one.
    ///
    /// - Throws: ``SceneError`` and the other errors of `body`; ``WebDriverError``.
    func lend<Value: Sendable>(
        scale: Double,
        keepsEvents: Bool = false,
        seeing tree: IsolatedTree?,
        for page: String,
        log: LogFile,
        _ body: @Sendable (Browser) async throws -> Value
    ) async throws -> Value {
        for attempt in 1...Self.attemptsMax {
            let browser = try await take(scale: scale, keepsEvents: keepsEvents, tree)
            do {
                let value = try await body(browser)
                await keep(browser, log: log)
                return value
            } catch let error as SceneError {
                // The browser still waits for the server.
                if case .unanswered = error {
                    await browser.stop()
                } else {
                    await keep(browser, log: log)
                }
                throw error
            } catch let failure as WebDriverFailure {
                await browser.stop()
                log.note("the browser failed (\(failure.kind)): \(failure.message)")
                log.append(Array(browser.output.utf8))
                guard attempt == Self.attemptsMax else { continue }
                throw failure.meansDeadBrowser
                    ? SceneError.browserDied(reason: failure.message)
                    : SceneError.pageError(page: page, reason: failure.message)
            } catch {
                await browser.stop()
                throw error
            }
        }
        throw SceneError.browserDied(reason: "no attempt was left")
    }

    /// Ends all idle browsers.
    func stop() async {
        while let browser = warm.popLast() { await browser.stop() }
    }

    /// Keeps a browser for the next scene, if it leaves its page.
    private func keep(_ browser: Browser, log: LogFile) async {
        do {
            try await withTimeLimit(seconds: Self.leaveSecondsMax) { try await browser.leave() }
            warm.append(browser)
        } catch {
            await browser.stop()
            log.note("the browser did not leave the page, and is replaced: \(error.inWords)")
        }
    }

    /// Returns an idle browser of this kind, or a new one in the place of the one unused longest.
    private func take(
        scale: Double,
        keepsEvents: Bool,
        _ tree: IsolatedTree?
    ) async throws -> Browser {
        for browser in warm where browser.hasEnded { await browser.stop() }
        warm.removeAll { $0.hasEnded }
        if let index = warm.firstIndex(where: {
            $0.scale == scale && $0.keepsEvents == keepsEvents && $0.tree == tree
        }) {
            return warm.remove(at: index)
        }
        let installation = try ChromiumInstallation.find(environment)
        while warm.count >= Self.warmMax { await warm.removeFirst().stop() }
        return try await Browser.start(
            installation,
            scale: scale,
            keepsEvents: keepsEvents,
            seeing: tree,
            environment: environment
        )
    }
}
