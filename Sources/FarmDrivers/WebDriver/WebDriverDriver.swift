// Runs the scenes of a web suite in Chromium. Browsers stay warm between the shards of a worker,
// one for each scale. A fault of a page or a browser ends the scene, never the shard.
import FarmCore
import FarmPipeline
import Foundation

/// The driver `webdriver`: captures the scenes of web suites in Chromium.
package actor WebDriverDriver: TestDriver {
    private let environment: [String: String]
    private let isolation: Isolation?
    private let browsers: WarmBrowsers
    private var fingerprint: [String: String]?
    private let servers: PageServers
    private let pixelsMax: Int
    /// The fonts that were found to be installed.
    private var foundFonts: Set<String> = []

    /// Creates the driver.
    ///
    /// - Parameters:
    ///   - environment: the environment of this process. The browser gets what it needs of it, and
    ///     `SNAPFARM_CHROMIUM` and `SNAPFARM_CHROMEDRIVER` name the programs.
    ///   - isolation: the isolation of browsers and servers, or `nil` if there is none.
    ///   - serverSeconds: the most time that a server of a job may take until it answers; a
    ///     development server may build first.
    ///   - pixelsMax: the most pixels of the picture of a whole page.
    init(
        environment: [String: String],
        isolation: Isolation? = nil,
        serverSeconds: Double = 120,
        pixelsMax: Int = FarmLimits.picturePixelsMax
    ) {
        self.environment = environment
        self.isolation = isolation
        self.pixelsMax = pixelsMax
        browsers = WarmBrowsers(environment: environment)
        servers = PageServers(startSeconds: serverSeconds, isolation: isolation)
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
        let scenes = try await self.scenes(of: settings, job, workTree: workTree)
        try Self.check(scenes, of: settings, job, workTree: workTree)
        return Discovery(tests: scenes.map(\.test))
    }

    /// Rejects scenes that no browser can capture.
    ///
    /// - Throws: ``WebDriverError``.
    static func check(
        _ scenes: [Scene],
        of settings: WebDriverSettings,
        _ job: Job,
        workTree: String
    ) throws {
        try WebAxes.check(job, scenes: scenes, isGlobal: settings.storybook != nil)
        if settings.serve == nil, let page = scenes.lazy.compactMap(\.servedPath).first {
            throw WebDriverError.serverMissing(page: page)
        }
        let missing = try Self.missingPages(of: settings, workTree: workTree)
        guard missing.isEmpty else { throw WebDriverError.pagesMissing(missing) }
    }

    /// Returns the pages that do not exist, each with the first line that names it.
    private static func missingPages(
        of settings: WebDriverSettings,
        workTree: String
    ) throws -> [String] {
        let file = try scenesFile(of: settings, workTree: workTree)
        var seen: Set<String> = []
        return file.scenes.compactMap { scene in
            guard case .file(let path, _) = scene.page, seen.insert(path).inserted,
                !SceneCapture.isPage(path, in: workTree)
            else { return nil }
            return "\(path) (\(settings.scenes ?? ""):\(file.lines[scene.test] ?? 1))"
        }
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
            environment: environment,
            isolation: isolation
        ).values()
        fingerprint = values
        return values
    }

    package func leaveRun() async { await browsers.stop() }

    package func shutDown() async {
        await browsers.stop()
        await servers.stop()
    }

    // MARK: scenes

    /// Returns the files that a job's scenes show, relative to the work tree.
    static func pages(of settings: WebDriverSettings, workTree: String) throws -> [String] {
        try readScenes(of: settings, workTree: workTree).compactMap { scene in
            if case .file(let path, _) = scene.page { path } else { nil }
        }
    }

    static func readScenes(
        of settings: WebDriverSettings,
        workTree: String
    ) throws -> [Scene] {
        try scenesFile(of: settings, workTree: workTree).scenes
    }

    private static func scenesFile(
        of settings: WebDriverSettings,
        workTree: String
    ) throws -> ScenesFile {
        guard let scenes = settings.scenes else { return ScenesFile(scenes: [], lines: [:]) }
        let path = workTree + "/" + scenes
        guard let file = FileHandle(forReadingAtPath: path),
            // Reading an empty file returns `nil`; reading a folder fails.
            let data = try? file.read(upToCount: FarmLimits.pipelineBytesMax + 1) ?? Data()
        else { throw WebDriverError.scenesUnreadable(path: path) }
        return try ScenesFile.decode(String(decoding: data, as: UTF8.self), file: scenes)
    }

    private func capture(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        guard isolation?.network != .loopback else {
            throw WebDriverError.browserNotStarted(
                reason: "a worker steers it over the network, and this one isolates with "
                    + "--isolate-network none"
            )
        }
        let tree = isolation.map { IsolatedTree($0, shard.workTree) }
        let settings = try WebDriverKind().settings(of: shard.job.driver)
        let all = try await self.scenes(of: settings, shard.job, workTree: shard.workTree)
        let lines = try Self.scenesFile(of: settings, workTree: shard.workTree).lines
        let scenes = Dictionary(all.map { ($0.test, $0) }) { first, _ in first }
        let axe = try AxeReport.script(of: settings, workTree: shard.workTree)
        guard let emulation = Emulation(cell: shard.cell, timeZone: settings.timeZone),
            let screen = shard.cell.pixels
        else { throw WebDriverError.deviceMissing(job: shard.job.name.text) }
        let log = try LogFile(path: folders.log)
        try await checkFonts(settings.fonts ?? [], log: log, emulation.scale, tree)
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
            var thrown: String?
            let site = try await self.site(of: settings, shard)
            do {
                guard let scene = scenes[test] else { throw SceneError.sceneMissing(test) }
                let records = shard.job.reuse != nil && shard.mode == .verify
                let files =
                    records ? site.files(of: settings, shard.job, in: shard.workTree) : nil
                let picture = try await browsers.lend(
                    scale: emulation.scale,
                    keepsEvents: files != nil,
                    seeing: tree,
                    for: scene.page.words,
                    log: log
                ) { [isFirst] in
                    try await SceneCapture(
                        browser: $0,
                        emulation: emulation,
                        screen: screen,
                        workTree: shard.workTree,
                        sites: site.sites,
                        time: settings.time ?? WebDriverSettings.usualTime,
                        isFullPage: settings.fullPage ?? false,
                        testSeconds: shard.job.timeouts.testSeconds,
                        pixelsMax: pixelsMax,
                        looksTwice: shard.mode == .record,
                        keepsElements: settings.elements ?? true,
                        takesAccessibility: settings.accessibility ?? false,
                        axe: axe,
                        files: files,
                        isFirst: isFirst
                    ).picture(of: scene.filled(for: shard.cell))
                }
                isFirst = false
                thrown = picture.thrown
                result.inputs = picture.inputs
                result.captures = try save(picture, of: scene, in: folders.captures)
            } catch let error as SceneError {
                let place = lines[test].map { "\(settings.scenes ?? ""):\($0)" }
                result.ending = .errored(Problem(site.death ?? error.named(at: place)))
            } catch is TimeLimitExceeded {
                let late = SceneError.timedOut(seconds: shard.job.timeouts.testSeconds)
                result.ending = .errored(Problem(site.death ?? late))
            }
            for server in site.servers { log.append(server.takeOutput()) }
            result.seconds = (ContinuousClock.now - start) / .seconds(1)
            log.note(line(result))
            if let thrown { log.note("a script of the page threw: \(thrown)") }
            try await report(.finished(result))
        }
    }

    private func save(_ picture: ScenePicture, of scene: Scene, in folder: String) throws
        -> [CapturedFile]
    {
        let suite = folder + "/" + scene.suite
        let path = suite + "/" + scene.name + ".png"
        let elements = suite + "/" + scene.name + CapturedFile.elementsEnding
        do {
            try FileManager.default.createDirectory(
                atPath: suite,
                withIntermediateDirectories: true
            )
            try picture.png.write(to: URL(fileURLWithPath: path))
            try picture.elements.map { try Data($0.utf8).write(to: URL(fileURLWithPath: elements)) }
            for (ending, text) in picture.texts {
                try Data(text.utf8).write(to: URL(fileURLWithPath: path.dropLast(4) + ending))
            }
        } catch {
            throw WebDriverError.folderUnwritable(path: path, reason: error.inWords)
        }
        let own = CapturedFile(
            suite: scene.suite,
            name: SnapshotFile.name(of: scene.name + ".png") ?? scene.name,
            path: path,
            pixelsBelow: picture.pixelsBelow > 0 ? picture.pixelsBelow : nil,
            masks: picture.masks,
            note: picture.note,
            elements: picture.elements == nil ? nil : elements
        )
        return [own]
            + picture.texts.keys.sorted().map { ending in
                CapturedFile(
                    suite: scene.suite,
                    name: scene.name + ending,
                    path: suite + "/" + scene.name + ending,
                    boxes: ending == TextRule.findingsEnding ? picture.found : [:]
                )
            }
    }

    private nonisolated func line(_ result: TestResult) -> String {
        let time = "\(Int(result.seconds * 1000)) ms"
        guard case .errored(let problem) = result.ending else { return "\(result.test): \(time)" }
        return "\(result.test): \(time), \(problem.code): \(problem.message)"
    }

    // MARK: servers, stories and fonts

    private struct Site {
        var sites: PageSites
        var servers: [any PageServer]

        /// The error of a server that has ended, which explains whatever a scene lacked, or `nil`
        /// while all servers live.
        var death: SceneError? {
            servers.first(where: \.hasEnded).map { .serverDied(reason: $0.failure.message) }
        }

        /// Returns the files behind the addresses of a job's pages.
        func files(
            of settings: WebDriverSettings,
            _ job: Job,
            in workTree: String
        ) -> PageFiles {
            let folders: [(String?, String?, String?)] = [
                (sites.served, settings.serve?.folder, settings.serve?.fallback),
                (sites.stories, settings.storybookFolder, nil),
            ]
            let served = folders.compactMap { address, path, fallback -> PageFiles.Served? in
                guard let address, let path,
                    let folder = ServedFolder(workTree + "/" + path, fallback: fallback)
                else { return nil }
                return PageFiles.Served(address: address, folder: folder, path: path)
            }
            let isDeclared = settings.serve?.command != nil && job.inputs?.isEmpty == false
            return PageFiles(
                workTree: workTree,
                served: served,
                declared: isDeclared ? sites.served.flatMap { WebAddress($0) } : nil
            )
        }
    }

    /// Returns the servers that a shard's pages need, with their addresses; those that have died
    /// are started again.
    private func site(of settings: WebDriverSettings, _ shard: Shard) async throws -> Site {
        var site = Site(sites: PageSites(cell: shard.cell), servers: [])
        if let wanted = settings.serve {
            let server = try await self.server(wanted, shard.job, shard.workTree)
            site.sites.served = server.address
            site.servers.append(server)
        }
        guard let storybook = settings.storybook else { return site }
        if let folder = settings.storybookFolder {
            let wanted = WebServerSettings(folder: folder)
            let server = try await self.server(wanted, shard.job, shard.workTree)
            site.sites.stories = server.address
            site.servers.append(server)
        } else {
            site.sites.stories = Self.base(storybook, served: site.sites.served)
        }
        return site
    }

    private func server(
        _ settings: WebServerSettings,
        _ job: Job,
        _ workTree: String
    ) async throws -> any PageServer {
        try await servers.server(
            settings,
            in: workTree,
            environment: CleanEnvironment(parent: environment).forServing(job)
        )
    }

    /// Returns the address of a Storybook's files, which ends with `/`.
    private static func base(_ storybook: String, served: String?) -> String {
        let address =
            WebDriverSettings.isAddress(storybook)
            ? storybook : PageSites.joined(served ?? "", storybook)
        return address.hasSuffix("/") ? address : address + "/"
    }

    /// Returns the scenes of the scenes file, and those of stories that have other names.
    private func scenes(
        of settings: WebDriverSettings,
        _ job: Job,
        workTree: String
    ) async throws -> [Scene] {
        let written = try Self.readScenes(of: settings, workTree: workTree)
        let names = Set(written.map { $0.test.text.lowercased() })
        var stories = try await self.stories(of: settings, job, workTree: workTree)
        for place in stories.indices { stories[place].element = settings.element }
        return written + stories.filter { !names.contains($0.test.text.lowercased()) }
    }

    private func stories(
        of settings: WebDriverSettings,
        _ job: Job,
        workTree: String
    ) async throws -> [Scene] {
        guard let storybook = settings.storybook else { return [] }
        if let folder = settings.storybookFolder {
            return try Storybook.read(folder: workTree + "/" + folder).scenes
        }
        var served: String?
        if let wanted = settings.serve {
            served = try await server(wanted, job, workTree).address
        }
        return try await Storybook.read(at: Self.base(storybook, served: served)).scenes
    }

    private func checkFonts(
        _ fonts: [String],
        log: LogFile,
        _ scale: Double,
        _ tree: IsolatedTree?
    ) async throws {
        guard !foundFonts.isSuperset(of: fonts) else { return }
        let missing = try await browsers.lend(
            scale: scale,
            seeing: tree,
            for: "the page of fonts",
            log: log
        ) { try await FontCheck.missing(fonts, in: $0) }
        guard missing.isEmpty else { throw WebDriverError.fontsMissing(missing) }
        foundFonts.formUnion(fonts)
    }
}
