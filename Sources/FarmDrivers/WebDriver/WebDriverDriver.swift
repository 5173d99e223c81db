// Runs the scenes of a web suite in Chromium. Browsers stay warm between the shards of a worker,
// one for each scale; what a page or a browser does wrong ends the scene, never the shard.
import FarmCore
import FarmPipeline
import Foundation

/// The driver `webdriver`.
package actor WebDriverDriver: TestDriver {
    private let environment: [String: String]
    /// The longest unused first.
    private var warm: [Browser] = []
    private var fingerprint: [String: String]?

    /// A browser needs some 450 MB.
    private static let warmMax = 2
    /// How often a scene is tried when the browser dies under it.
    private static let attemptsMax = 2

    /// - Parameter environment: of this process; the browser gets what it needs of it, and
    ///   `SNAPFARM_CHROMIUM` and `SNAPFARM_CHROMEDRIVER` name the programs.
    package init(environment: [String: String]) {
        self.environment = environment
    }

    package func discover(
        job: Job,
        workTree: String,
        scratch: String
    ) async throws -> Discovery {
        _ = try ChromiumInstallation.find(environment)
        guard job.cells.allSatisfy({ $0.device != nil }) else {
            throw WebDriverError.deviceMissing(job: job.name.text)
        }
        let settings = try WebDriverKind().settings(of: job.driver)
        let tests = try Self.readScenes(of: settings, workTree: workTree).map(\.test)
        let missing = try Set(Self.pages(of: settings, workTree: workTree)).sorted().filter {
            !SceneCapture.isPage($0, in: workTree)
        }
        guard missing.isEmpty else { throw WebDriverError.pagesMissing(missing) }
        return Discovery(tests: tests)
    }

    package func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        do {
            try await capture(shard, folders: folders, report: report)
        } catch {
            if Task.isCancelled { await shutDown() }
            throw error
        }
    }

    package func renderer() async -> [String: String] {
        if let fingerprint { return fingerprint }
        guard let installation = try? ChromiumInstallation.find(environment) else { return [:] }
        let values = await RendererFingerprint(
            installation: installation,
            environment: environment
        ).values()
        fingerprint = values
        return values
    }

    package func shutDown() async {
        while let browser = warm.popLast() { await browser.stop() }
    }

    // MARK: scenes

    /// The files that a job's scenes show, relative to the work tree.
    static func pages(of settings: WebDriverSettings, workTree: String) throws -> [String] {
        try readScenes(of: settings, workTree: workTree).compactMap { scene in
            if case .file(let path, _) = scene.page { path } else { nil }
        }
    }

    private static func readScenes(
        of settings: WebDriverSettings,
        workTree: String
    ) throws -> [Scene] {
        let path = workTree + "/" + settings.scenes
        guard let file = FileHandle(forReadingAtPath: path),
            // Nothing is read of an empty file; of a folder reading fails.
            let data = try? file.read(upToCount: FarmLimits.pipelineBytesMax + 1) ?? Data()
        else { throw WebDriverError.scenesUnreadable(path: path) }
        return try ScenesFile.decode(
            String(decoding: data, as: UTF8.self),
            file: settings.scenes
        ).scenes
    }

    private func capture(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        let settings = try WebDriverKind().settings(of: shard.job.driver)
        let scenes = Dictionary(
            try Self.readScenes(of: settings, workTree: shard.workTree).map { ($0.test, $0) }
        ) { first, _ in first }
        guard let emulation = Emulation(cell: shard.cell, timeZone: settings.timeZone),
            let screen = shard.cell.pixels
        else { throw WebDriverError.deviceMissing(job: shard.job.name.text) }
        let log = try LogFile(path: folders.log)
        var isFirst = true
        let deadline = ContinuousClock.now + .seconds(shard.job.timeouts.shardSeconds)
        for test in shard.tests {
            try Task.checkCancellation()
            guard ContinuousClock.now < deadline else {
                return try await report(.timeOver(running: []))
            }
            try await report(.started(test))
            let start = ContinuousClock.now
            var result = TestResult(test: test, ending: .passed, seconds: 0)
            do {
                guard let scene = scenes[test] else { throw SceneError.sceneMissing(test) }
                let picture = try await withBrowser(log: log, emulation.scale) {
                    try await SceneCapture(
                        browser: $0,
                        emulation: emulation,
                        screen: screen,
                        workTree: shard.workTree,
                        testSeconds: shard.job.timeouts.testSeconds,
                        isFirst: isFirst
                    ).picture(of: scene)
                }
                isFirst = false
                result.captures = [try save(picture, of: scene, in: folders.captures)]
            } catch let error as SceneError {
                result.ending = .errored(Problem(error))
            } catch is TimeLimitExceeded {
                result.ending = .errored(
                    Problem(SceneError.timedOut(seconds: shard.job.timeouts.testSeconds))
                )
            }
            result.seconds = (ContinuousClock.now - start) / .seconds(1)
            log.note(line(result))
            try await report(.finished(result))
        }
    }

    private func save(_ picture: Data, of scene: Scene, in folder: String) throws -> CapturedFile {
        let suite = folder + "/" + scene.suite
        let path = suite + "/" + scene.name + ".png"
        do {
            try FileManager.default.createDirectory(
                atPath: suite,
                withIntermediateDirectories: true
            )
            try picture.write(to: URL(fileURLWithPath: path))
        } catch {
            throw WebDriverError.folderUnwritable(path: path, reason: "\(error)")
        }
        return CapturedFile(suite: scene.suite, name: scene.name, path: path)
    }

    private nonisolated func line(_ result: TestResult) -> String {
        let time = "\(Int(result.seconds * 1000)) ms"
        guard case .errored(let problem) = result.ending else { return "\(result.test): \(time)" }
        return "\(result.test): \(time), \(problem.code): \(problem.message)"
    }

    // MARK: browsers

    /// Lends a browser to `body`.
    ///
    /// It is kept when `body` ends well or with a fault of the page,
    /// and ended otherwise; when it died, `body` gets one more chance with a new one.
    private func withBrowser(
        log: LogFile,
        _ scale: Double,
        _ body: (Browser) async throws -> Data
    ) async throws -> Data {
        for attempt in 1...Self.attemptsMax {
            let browser = try await take(scale: scale)
            do {
                let picture = try await body(browser)
                warm.append(browser)
                return picture
            } catch let error as SceneError {
                warm.append(browser)
                throw error
            } catch let failure as WebDriverFailure {
                await browser.stop()
                log.note("the browser died (\(failure.kind)): \(failure.message)")
                log.append(Array(browser.output.utf8))
                guard attempt < Self.attemptsMax else {
                    throw SceneError.browserDied(reason: failure.message)
                }
            } catch {
                await browser.stop()
                throw error
            }
        }
        throw SceneError.browserDied(reason: "no attempt was left")
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
