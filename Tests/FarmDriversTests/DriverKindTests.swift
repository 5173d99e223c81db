// Tests of the drivers' static facts: valid plans, files that travel, and refusals.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Drivers from outside")
struct DriverKindTests {
    private func job(_ driver: DriverSettings, bundle: [String] = []) -> Job {
        Job(name: JobName("j"), kind: .snapshot, driver: driver, bundle: bundle)
    }

    // MARK: guesses and advice

    @Test("only xcodebuild guesses a launch and a boot, and only measuring tells those of command")
    func guesses() {
        #expect(DriverCatalog.kinds.map { $0.startGuess?.warmSeconds } == [nil, 0, 0, 15])
        #expect(DriverCatalog.kinds.map { $0.startGuess?.coldSeconds } == [nil, 0, 0, 45])
    }

    @Test("the advice about no pictures names what takes them")
    func advice() throws {
        let plain = CommandSettings(discover: "d", run: "r")
        let captures = CommandSettings(discover: "d", run: "r", captures: CapturePattern("*.png"))
        let scenes = WebDriverSettings(scenes: "s.yaml")
        #expect(CommandKind().pictureRemedy(plain)?.hasSuffix("or set `captures:`.") == true)
        #expect(CommandKind().pictureRemedy(captures)?.contains("`captures:` looks") == true)
        #expect(WebDriverKind().pictureRemedy(scenes)?.contains("of each scene") == true)
        #expect(SwiftPMKind().pictureRemedy(SwiftPMSettings(package: "P")) == nil)
    }

    // MARK: plans

    @Test(
        "results and captures that leave the lease's folder are a mistake of a plan",
        arguments: ["../../x.xml", "../\u{301}x", "a/..\u{600}/../\u{301}x", "/\u{301}etc"]
    )
    func leaving(path: String) {
        for settings in [
            CommandSettings(discover: "d", run: "r", results: path),
            CommandSettings(discover: "d", run: "r", captures: CapturePattern(path)),
        ] {
            #expect(
                DriverCatalog.kinds.mistakes(in: .command(settings)) == [
                    "results or captures leave the lease's folder"
                ]
            )
        }
    }

    @Test("settings as they are made are no mistake")
    func sound() {
        let all: [DriverSettings] = [
            .command(
                CommandSettings(
                    discover: "d",
                    run: "r",
                    results: "a/b.xml",
                    captures: CapturePattern("*.png", test: "{name}")
                )
            ),
            .swiftpm(SwiftPMSettings(package: "P")),
            .webdriver(WebDriverSettings(scenes: "s.yaml")),
            .xcodebuild(XcodeSettings(workspace: "A.xcworkspace", scheme: "A")),
        ]
        for driver in all { #expect(DriverCatalog.kinds.mistakes(in: driver) == []) }
        #expect(all.map(\.name) == DriverCatalog.kinds.names)
    }

    @Test(
        "a driver that nobody knows and settings that it cannot read are said with their names",
        arguments: [
            (
                DriverSettings("swfitpm", ["package": "P"]),
                "unknown driver \"swfitpm\", known are command, swiftpm, webdriver, xcodebuild"
            ),
            (
                DriverSettings("command", ["discover": "d"]),
                "the settings of the driver command have no \"run\""
            ),
            (
                DriverSettings("command", ["discover": "d", "run": 1]),
                "the settings of the driver command have another value in \"run\" than can be read"
            ),
            (
                DriverSettings(
                    "command",
                    ["discover": "d", "run": "r", "captures": ["pattern": ["*"]]]
                ),
                "the settings of the driver command have another value in \"captures.pattern\" than "
                    + "can be read"
            ),
            (
                DriverSettings("webdriver", ["package": "P"]),
                "the settings of the driver webdriver have no \"timeZone\""
            ),
        ]
    )
    func unreadable(driver: DriverSettings, words: String) {
        #expect(DriverCatalog.kinds.mistakes(in: driver) == [words])
    }

    // MARK: running

    @Test("a driver with another's settings fails, and runs nothing")
    func mismatch() async throws {
        let catalog = DriverCatalog(environment: testEnvironment)
        let folder = try TemporaryFolder("mismatch")
        let folders = try leaseFolders(in: folder)
        for driver in DriverCatalog.kinds.names {
            for settings in [DriverSettings("other"), DriverSettings(driver)] {
                var shard = shard(settings, tests: ["a"])
                shard.job.cells = []
                let own = catalog.driver(for: DriverSettings(driver))
                let error = await #expect(throws: DriverSettingsError.self) {
                    try await own.run(shard, folders: folders) { _ in }
                }
                #expect(error?.message.hasPrefix("the settings of the driver \(driver)") == true)
            }
        }
    }

    @Test("a driver that this program does not have fails, and names those it has")
    func missing() async throws {
        let catalog = DriverCatalog(environment: testEnvironment)
        let folder = try TemporaryFolder("missing")
        let folders = try leaseFolders(in: folder)
        let shard = shard(DriverSettings("swift"), tests: ["a"])
        let driver = catalog.driver(for: shard.job.driver)
        let error = await #expect(throws: UnknownDriver.self) {
            try await driver.run(shard, folders: folders) { _ in }
        }
        #expect(error?.remedy == "Known drivers: command, swiftpm, webdriver, xcodebuild.")
        await #expect(throws: UnknownDriver.self) {
            try await driver.discover(job: shard.job, workTree: "/", scratch: folder.path)
        }
    }

    // MARK: bundles

    private func bundle(
        _ driver: DriverSettings,
        bundle: [String] = [],
        prepared: [String: String] = [:],
        workTree: String = "/w"
    ) throws -> BundleSelection {
        let planned = PlannedJob(job: job(driver, bundle: bundle), tests: [], prepared: prepared)
        return try DriverCatalog.kinds.bundle(of: planned, workTree: workTree)
    }

    private func pages(
        _ scenes: String,
        bundle: [String] = [],
        _ pages: [String]
    ) throws -> BundleSelection {
        let settings = WebDriverSettings(scenes: scenes)
        let job = job(.webdriver(settings), bundle: bundle)
        return try WebDriverKind().selection(of: job, settings, pages: pages)
    }

    @Test("a command travels only with a bundle; scenes travel with their folder")
    func selections() throws {
        let command = DriverSettings.command(CommandSettings(discover: "d", run: "r"))
        #expect(throws: BundleRefusal.nothing(JobName("j"))) { try bundle(command) }
        #expect(try bundle(command, bundle: ["a/**"]) == BundleSelection(globs: ["a/**"]))
        let whole = try pages("app/scenes.yaml", [])
        #expect(whole.folders == ["app"] && whole.files == ["app/scenes.yaml"])
        let apart = try pages("./screens.yaml", ["web/b/c.html", "web/a.html", "web/a.html"])
        #expect(apart.folders == ["web", "web/b"])
        #expect(apart.files == ["screens.yaml", "web/a.html", "web/b/c.html"])
        #expect(throws: BundleRefusal.outside(JobName("j"), "../scenes.yaml")) {
            try pages("../scenes.yaml", [])
        }
    }

    @Test("a page beside the pipeline file travels only where `bundle:` says what it loads")
    func besides() throws {
        let refusal = #expect(throws: BundleRefusal.beside(JobName("j"), "a.html")) {
            try pages("screens.yaml", ["web/b.html", "a.html"])
        }
        #expect(refusal?.remedy.contains("`bundle: [\"a.html\", \"assets/**\"]`") == true)
        let named = try pages("screens.yaml", bundle: ["css/**"], ["a.html"])
        #expect(named.globs == ["css/**"] && named.folders.isEmpty)
        #expect(named.files == ["screens.yaml", "a.html"])
    }

    @Test("the pages that travel are those of the scenes file")
    func scenes() throws {
        let folder = try TemporaryFolder("scenes")
        try folder.write(
            "app/scenes.yaml",
            "scenes:\n  - {suite: S, name: a, file: pages/a.html}\n"
        )
        let found = try bundle(
            .webdriver(WebDriverSettings(scenes: "app/scenes.yaml")),
            workTree: folder.path
        )
        #expect(found.files == ["app/scenes.yaml", "app/pages/a.html"])
        #expect(found.folders == ["app", "app/pages"])
    }

    @Test("folders that are served travel whole; what a server's command needs only `bundle:` says")
    func served() throws {
        var settings = WebDriverSettings(
            scenes: "scenes.yaml",
            serve: WebServerSettings(folder: "./dist"),
            storybook: "out/storybook/"
        )
        let folder = try TemporaryFolder("served")
        try folder.write("scenes.yaml", "scenes:\n  - {suite: S, name: a, url: /a.html}\n")
        let found = try bundle(.webdriver(settings), workTree: folder.path)
        #expect(found.files == ["scenes.yaml"] && found.folders == ["dist", "out/storybook"])
        for serve in [WebServerSettings(folder: "."), WebServerSettings(command: "npm start")] {
            settings.serve = serve
            #expect(throws: BundleRefusal.nothing(JobName("j"))) {
                try bundle(.webdriver(settings), workTree: folder.path)
            }
            let named = try bundle(.webdriver(settings), bundle: ["src/**"], workTree: folder.path)
            #expect(named.globs == ["src/**"] && named.folders == ["out/storybook"])
        }
        settings.storybook = "http://127.0.0.1:6006/"
        settings.serve = nil
        #expect(try bundle(.webdriver(settings), workTree: folder.path).folders.isEmpty)
    }

    @Test("a package travels as its built program and the manifest of its folder")
    func programs() throws {
        let package = DriverSettings.swiftpm(SwiftPMSettings(package: "P"))
        let found = try bundle(
            package,
            prepared: ["xctest": "/w/P/.build/P.xctest", "package": "/w/P"]
        )
        #expect(found.isBuilt)
        #expect(found.files == ["P/Package.swift", "P/.build/P.xctest"])
        #expect(throws: BundleRefusal.outside(JobName("j"), "/x/P")) {
            try bundle(package, prepared: ["package": "/x/P"])
        }
    }
}
