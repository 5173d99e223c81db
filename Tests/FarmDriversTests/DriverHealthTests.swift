// Tests of the drivers' checks of a machine before a run.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("What drivers need of a machine")
struct DriverHealthTests {
    private func pipeline(_ jobs: String, devices: String = "") throws -> Pipeline {
        try PipelineDecoder.decode(
            "version: 1\n\(devices)jobs:\n\(jobs)\n",
            file: "p.yaml",
            drivers: DriverCatalog.kinds
        )
    }

    private func lines(
        _ pipeline: Pipeline,
        in workTree: String,
        _ environment: [String: String] = ["PATH": "/usr/bin:/bin"]
    ) async -> [HealthLine] {
        let place = HealthPlace(workTree: workTree, environment: environment)
        var lines: [HealthLine] = []
        for check in DriverCatalog.health(of: pipeline.jobs, in: place) {
            lines += await check.look()
        }
        return lines
    }

    private static func program(_ version: String) -> WebDriverHealth.Found {
        .program(path: "/usr/bin/x", version: version)
    }

    @Test(
        "a chromedriver drives a browser of its own major version",
        arguments: [
            ("134.0.6998.88", "134.0.1.2", HealthLine.Level.ok), ("134.0.1", "133.0.1", .failure),
            ("1.2", "12.2", .failure), ("of an unknown version", "134.0", .failure),
        ]
    )
    func versions(browser: String, driver: String, level: HealthLine.Level) {
        let lines = WebDriverHealth.lines(
            browser: Self.program(browser),
            driver: Self.program(driver)
        )
        #expect(lines.map(\.subject) == ["browser", "chromedriver"])
        #expect(lines[0].level == .ok && lines[1].level == level)
        #expect(lines[1].fact.contains(driver))
    }

    @Test("the program of each command is named, and what is missing is a failure")
    func commands() async throws {
        let folder = try TemporaryFolder("health")
        try folder.write("run.sh", "exit 0\n")
        let found = try await lines(
            pipeline(
                """
                  a: {kind: unit, driver: command, discover: cat list, run: "./run.sh {tests}"}
                  b: {kind: unit, driver: command, discover: cd x; ls, run: no-such-program}
                """
            ),
            in: folder.path
        )
        #expect(found.map(\.level) == [.ok, .failure, .ok, .failure], "\(found)")
        #expect(found[0].fact == "cat is /usr/bin/cat" || found[0].fact == "cat is /bin/cat")
        // The file is not executable.
        #expect(found[1].fact.contains("run.sh") && found[1].subject == "job a")
        #expect(found[2].fact.contains("not looked at"))
        #expect(found[3].fact.contains("no-such-program"))
    }

    @Test("a browser that is missing, pages that are missing and a wrong axis are said at once")
    func scenes() async throws {
        let folder = try TemporaryFolder("health")
        try folder.write("scenes.yaml", "scenes:\n  - {suite: S, name: a, file: gone.html}\n")
        let found = try await webLines("", in: folder)
        #expect(found.map(\.subject) == ["browser", "chromedriver", "job web"], "\(found)")
        #expect(found.allSatisfy { $0.level == .failure && !$0.remedy.isEmpty })
        #expect(found[0].fact.contains("/nowhere/shell") && found[0].exit == .configuration)
        #expect(found[2].fact.contains("gone.html"), "\(found[2])")
        try folder.write("gone.html", "")
        let axe = try await webLines(", axe: axe.js", in: folder)
        #expect(axe.last?.fact.contains("axe.js, cannot be read") == true, "\(axe)")
    }

    /// Returns the lines about a job of one device on a machine without a browser.
    private func webLines(
        _ settings: String,
        in folder: TemporaryFolder
    ) async throws -> [HealthLine] {
        try await lines(
            pipeline(
                "  web: {kind: unit, driver: webdriver, scenes: scenes.yaml\(settings)}",
                devices: "devices: [{name: A, width: 8, height: 8, scale: 1}]\n"
            ),
            in: folder.path,
            ["SNAPFARM_CHROMIUM": "/nowhere/shell", "SNAPFARM_CHROMEDRIVER": "/nowhere/driver"]
        )
    }

    @Test("a package without manifest is named")
    func package() async throws {
        let folder = try TemporaryFolder("health")
        let found = try await lines(
            pipeline("  core: {kind: unit, driver: swiftpm, package: Core}"),
            in: folder.path
        )
        #expect(found.map(\.fact) == ["Core has no Package.swift."])
    }

    private static let app =
        "  app: {kind: unit, driver: xcodebuild, project: A.xcodeproj, scheme: A, "

    @Test("without Xcode its jobs are sent to a Mac")
    func noXcode() async throws {
        let folder = try TemporaryFolder("health")
        let found = try await lines(
            pipeline(Self.app + "targets: [ATests]}", devices: "devices: [iPhone 16 (18.5)]\n"),
            in: folder.path,
            ["PATH": folder.path, "SNAPFARM_XCODES": folder.path]
        )
        #expect(found.count == 1 && found[0].remedy.contains("Mac"), "\(found)")
    }

    @Test("simulators of the matrix are looked for, those that cannot be made are named")
    func simulators() async throws {
        let mac = try StandInMac()
        let environment = mac.environment.merging(
            ["SNAPFARM_XCODES": mac.folder.file("Applications")]
        ) { $1 }
        func found(_ device: String, _ needs: String = "") async throws -> [HealthLine] {
            try await lines(
                pipeline(
                    Self.app + "targets: [ATests]\(needs)}",
                    devices: "devices: [\(device)]\n"
                ),
                in: mac.folder.path,
                environment
            )
        }
        let there = try await found("iPhone 16 (18.5)")
        #expect(there.map(\.level) == [.ok], "\(there)")
        #expect(there[0].fact.contains("simulators of iPhone 16 (18.5)"))
        let gone = try await found("iPhone 16 (9.0)")
        #expect(gone.map(\.level) == [.failure], "\(gone)")
        #expect(gone[0].remedy.contains("downloadPlatform"))
        let newer = try await found("iPhone 16 (18.5)", ", needs: {xcode: \">=99\"}")
        #expect(newer.map(\.level) == [.failure] && newer[0].remedy.contains("Applications"))
    }

    @Test("a chromedriver whose port another program took is started again, five times at most")
    func portTaken() async throws {
        let environment = ProcessInfo.processInfo.environment
        let real = try ChromiumInstallation.find(environment)
        for (taken, starts) in [(2, true), (5, false)] {
            let folder = try TemporaryFolder("driver")
            let tries = folder.file("tries")
            let driver = try folder.write(
                "chromedriver",
                """
                #!/bin/sh
                echo x >> '\(tries)'
                [ "$(wc -l < '\(tries)')" -le \(taken) ] || exec '\(real.chromedriver)' "$@"
                echo 'IPv4 port not available. Exiting...'
                exit 1
                """
            )
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: driver)
            let installation = ChromiumInstallation(browser: real.browser, chromedriver: driver)
            do {
                let browser = try await Browser.start(
                    installation,
                    scale: 1,
                    environment: environment
                )
                await browser.stop()
                #expect(starts)
            } catch let error as WebDriverError {
                #expect(!starts && error.message.contains("took the ports"), "\(error)")
            }
        }
    }
}
