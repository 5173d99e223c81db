// Checks what scenes need of a machine: a browser and its driver that fit each other, fonts, and
// the files that the jobs name.
import FarmCore
import FarmPipeline

/// The health checks of jobs of the driver `webdriver`.
struct WebDriverHealth: Sendable {
    let jobs: [Job]
    let place: HealthPlace

    var checks: [HealthCheck] {
        [
            HealthCheck("browser") { await versions() },
            HealthCheck("browser start", seconds: FarmLimits.healthFarSeconds) { await start() },
        ] + jobs.map { job in HealthCheck("job \(job.name)") { scenes(of: job) } }
            + (servers.isEmpty ? [] : [HealthCommand.check(servers, in: place.workTree)])
    }

    // MARK: programs

    private func versions() async -> [HealthLine] {
        let browser = await Self.version(of: "browser") {
            try ChromiumInstallation.browser(place.environment)
        }
        let driver = await Self.version(of: "chromedriver") {
            try ChromiumInstallation.chromedriver(place.environment)
        }
        return Self.lines(browser: browser, driver: driver)
    }

    /// A program that was found, or the line with the reason why there is none.
    enum Found {
        case program(path: String, version: String)
        case line(HealthLine)
    }

    private static func version(of subject: String, _ find: () throws -> String) async -> Found {
        do {
            let path = try find()
            let program = VersionProgram(path, environment: ["PATH": "/usr/bin:/bin"])
            return .program(path: path, version: try await program.version())
        } catch {
            return .line(.failure(subject, error))
        }
    }

    /// Returns the lines about both programs; reports a chromedriver of another major version than
    /// the browser, which it cannot drive.
    static func lines(browser: Found, driver: Found) -> [HealthLine] {
        let lines = [("browser", browser), ("chromedriver", driver)].map { subject, found in
            switch found {
            case .program(let path, let version): HealthLine.ok(subject, "\(version), \(path)")
            case .line(let line): line
            }
        }
        guard case .program(_, let own) = browser, case .program(_, let other) = driver,
            own.prefix(while: { $0 != "." }) != other.prefix(while: { $0 != "." })
        else { return lines }
        return [
            lines[0],
            .failure(
                "chromedriver",
                "version \(other) does not fit the browser's \(own).",
                remedy: "Install both from one place, or set SNAPFARM_CHROMIUM and "
                    + "SNAPFARM_CHROMEDRIVER to two that fit."
            ),
        ]
    }

    /// Starts the browser as a run does, checks the fonts, and returns the lines about both.
    private func start() async -> [HealthLine] {
        // Another check reports that the browser is missing.
        guard let installation = try? ChromiumInstallation.find(place.environment) else {
            return []
        }
        let scale = jobs.lazy.flatMap(\.cells).compactMap(\.device?.scale).first ?? 1
        let fonts = settings.flatMap { $0.fonts ?? [] }
        do {
            let browser = try await Browser.start(
                installation,
                scale: scale,
                environment: place.environment
            )
            let missing = await missing(fonts, in: browser)
            await browser.stop()
            return [.ok("browser start", "it starts and answers")] + (try missing.get())
        } catch is CancellationError {
            return []
        } catch {
            return [.failure("browser start", error)]
        }
    }

    private func missing(
        _ fonts: [String],
        in browser: Browser
    ) async -> Result<[HealthLine], any Error> {
        guard !fonts.isEmpty else { return .success([]) }
        do {
            let missing = try await FontCheck.missing(fonts, in: browser)
            return .success(
                missing.isEmpty
                    ? [.ok("fonts", fonts.joined(separator: ", "))]
                    : [.failure("fonts", WebDriverError.fontsMissing(missing))]
            )
        } catch {
            return .failure(error)
        }
    }

    // MARK: jobs

    private var settings: [WebDriverSettings] {
        jobs.compactMap { try? WebDriverKind().settings(of: $0.driver) }
    }

    private var servers: [HealthCommand] {
        let environment = CleanEnvironment(parent: place.environment)
        return jobs.compactMap { job in
            let settings = try? WebDriverKind().settings(of: job.driver)
            guard let command = settings?.serve?.command else { return nil }
            return HealthCommand(
                job: job,
                key: "serve",
                command: command,
                environment: environment.forServing(job)
            )
        }
    }

    /// Returns a line with the number of a job's scenes, with the stories of a folder; those of a
    /// server are known only when it runs.
    private func scenes(of job: Job) -> [HealthLine] {
        do {
            let settings = try WebDriverKind().settings(of: job.driver)
            _ = try AxeReport.script(of: settings, workTree: place.workTree)
            let written = try WebDriverDriver.readScenes(of: settings, workTree: place.workTree)
            let stories = try settings.storybookFolder.map {
                try Storybook.read(folder: place.workTree + "/" + $0).scenes
            }
            let scenes = written + (stories ?? [])
            try WebDriverDriver.check(scenes, of: settings, job, workTree: place.workTree)
            let isAll = settings.storybook == nil || stories != nil
            return [
                .ok(
                    "job \(job.name)",
                    "\(scenes.count) scenes" + (isAll ? "" : ", and the stories of a server")
                )
            ]
        } catch {
            return [.failure("job \(job.name)", error)]
        }
    }
}
