// The browsers that a driver keeps between scenes, one for each scale. One that does not answer as it
// should is ended, and a new one takes its place: no scene pays for what an earlier one did to it.
import FarmCore

/// The browsers of one driver.
actor WarmBrowsers {
    private let environment: [String: String]
    /// The longest unused first.
    private var warm: [Browser] = []

    /// A browser needs some 450 MB.
    private static let warmMax = 2
    /// The most attempts at a scene whose browser fails.
    private static let attemptsMax = 2
    /// Leaving a page takes some 20 ms; one whose script hangs is never left.
    private static let leaveSecondsMax = 3.0

    init(environment: [String: String]) {
        self.environment = environment
    }

    /// Lends a browser to `body`, which opens `page`.
    ///
    /// It is kept when `body` ends well or with a fault of the page, and ended otherwise; when it
    /// failed, `body` gets one more chance with a new one.
    ///
    /// - Throws: ``SceneError`` and what else `body` throws; ``WebDriverError``.
    func lend<Value: Sendable>(
        scale: Double,
        for page: String,
        log: LogFile,
        _ body: @Sendable (Browser) async throws -> Value
    ) async throws -> Value {
        for attempt in 1...Self.attemptsMax {
            let browser = try await take(scale: scale)
            do {
                let value = try await body(browser)
                await keep(browser, log: log)
                return value
            } catch let error as SceneError {
                // It still waits for the server.
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

    /// Ends all of them.
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

    /// A warm browser of this scale, or a new one in the place of the one unused longest.
    private func take(scale: Double) async throws -> Browser {
        for browser in warm where browser.hasEnded { await browser.stop() }
        warm.removeAll { $0.hasEnded }
        if let index = warm.firstIndex(where: { $0.scale == scale }) {
            return warm.remove(at: index)
        }
        let installation = try ChromiumInstallation.find(environment)
        while warm.count >= Self.warmMax { await warm.removeFirst().stop() }
        return try await Browser.start(installation, scale: scale, environment: environment)
    }
}
