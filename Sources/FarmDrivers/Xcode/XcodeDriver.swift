// Runs an app's tests on simulators. The app is built once, when a run discovers its tests. A lease
// is usually one launch of xcodebuild, on a simulator that this process has made and alone uses.
//
// Never tried with Apple's own tools: the tests run against stand-ins of xcodebuild, simctl and
// xcresulttool that behave as these are documented.
import FarmCore
import FarmPipeline
import Foundation

/// The driver `xcodebuild`: runs an app's tests on simulators.
package struct XcodeDriver: TestDriver {
    private enum Key {
        /// The key for the tests that the test plan switches off, one per line.
        static let disabled = "disabled"
    }

    private struct ListKey: Hashable {
        let products: XcodeProducts
        let model: SimulatorModel
    }

    private let environment: CleanEnvironment
    private let timing: XcodeTiming
    private let installations: XcodeInstallations
    private let simulators: Simulators
    private let builds = Once<XcodeBuild, String>()
    private let lists = Once<ListKey, Data>()
    private let titles = TestTitles()

    /// The value of SNAPFARM_SIMULATORS, or `nil` if it is not set.
    private let simulatorsSetting: String?

    /// The environment of Apple's tools when they run for no job.
    private let toolEnvironment: [String: String]

    /// Creates the driver from this process's `environment`; tests see little of it.
    init(environment: [String: String], timing: XcodeTiming = XcodeTiming()) {
        self.init(environment: environment, timing: timing, owner: ProcessMark.own)
    }

    /// Creates the driver; `owner` is the mark of the process with which the simulators end.
    init(environment: [String: String], timing: XcodeTiming, owner: String) {
        self.environment = CleanEnvironment(parent: environment)
        self.timing = timing
        simulatorsSetting = environment["SNAPFARM_SIMULATORS"]
        toolEnvironment = environment.filter {
            CleanEnvironment.isKept($0.key) || $0.key == "SNAPFARM_XCODES"
        }
        installations = XcodeInstallations(environment: toolEnvironment)
        simulators = Simulators(owner: owner)
    }

    /// Deletes the simulators that killed processes of the farm have left on this machine.
    ///
    /// Does nothing if Xcode's tools are missing.
    package func removeLeftovers() async {
        await simulators.sweep(XcodeTools(environment: toolEnvironment, timing: timing))
    }

    // MARK: discovery

    package func discover(job: Job, workTree: String, scratch: String) async throws -> Discovery {
        let settings = try XcodeKind().settings(of: job.driver)
        var tools = try await tools(job.needs, environment.forBuilding(job))
        tools.log = scratch + "/build.log"
        // Before the build: unused simulators take its memory, and it may fail.
        await simulators.sweep(tools)
        let products = try await products(of: settings, workTree, tools)
        guard let device = job.cells.lazy.compactMap(\.device).first else {
            throw XcodeError.noDevice(job.name)
        }
        tools.log = scratch + "/list.log"
        let json = try await list(products, on: device, tools, scratch)
        let list = try TestEnumeration(
            json,
            plan: settings.testPlan,
            targets: settings.targets,
            skip: settings.skip
        )
        var prepared = products.prepared
        if !list.disabled.isEmpty {
            let names = list.tests.filter { list.disabled.contains($0) }.map(\.text)
            prepared[Key.disabled] = names.joined(separator: "\n")
        }
        return Discovery(tests: list.tests, prepared: prepared)
    }

    private func products(
        of settings: XcodeSettings,
        _ workTree: String,
        _ tools: XcodeTools
    ) async throws -> XcodeProducts {
        func absolute(_ path: String) -> String {
            let full = path.hasPrefix("/") ? path : workTree + "/" + path
            return URL(fileURLWithPath: full).standardizedFileURL.path
        }
        if let path = settings.xctestrun { return XcodeProducts(absolute(path)) }
        if let path = settings.testProducts {
            let folders = TestRunFile.folders(ofProducts: absolute(path))
            return XcodeProducts(try TestRunFile.chosen(in: folders, plan: settings.testPlan))
        }
        let build = XcodeBuild(
            settings,
            workTree: workTree,
            developerFolder: tools.environment["DEVELOPER_DIR"]
        )
        let path = try await builds.value(of: build) { try await build.testRunFile(tools) }
        return XcodeProducts(path)
    }

    /// Returns Xcode's own list of tests.
    ///
    /// Listing needs a simulator, as running does: without one it ends with status 70.
    private func list(
        _ products: XcodeProducts,
        on device: Device,
        _ tools: XcodeTools,
        _ scratch: String
    ) async throws -> Data {
        let (there, model) = try await tools.simulators(of: device)
        let key = ListKey(products: products, model: model)
        return try await lists.value(of: key) {
            let lender = simulators.another()
            do {
                let json = try await lender.withSimulator(
                    SimulatorKey(model: model, tools),
                    CellSetup(),
                    tools,
                    there
                ) { try await ListOfTests(products, tools, scratch).json(on: $0) }
                await lender.shutDown()
                return json
            } catch {
                await lender.shutDown()
                throw error
            }
        }
    }

    /// Returns the tools of the Xcode that a job needs.
    private func tools(_ needs: Needs?, _ environment: [String: String]) async throws -> XcodeTools
    {
        let all = await installations.all()
        let choice = try XcodeInstallation.choice(needs ?? Needs([]), among: all)
        var environment = environment
        if let folder = choice?.developerFolder { environment["DEVELOPER_DIR"] = folder }
        var tools = XcodeTools(
            environment: environment,
            version: choice.flatMap { VersionNumber($0.version) },
            timing: timing
        )
        if try KeptMark.isAsked(simulatorsSetting) { tools.keptBy = choice?.version }
        return tools
    }

    // MARK: shards

    package func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        _ = try XcodeKind().settings(of: shard.job.driver)
        let products = try XcodeProducts(prepared: shard.prepared)
        let off = try reasonsToSkip(shard, products)
        for test in shard.tests {
            guard let reason = off[test] else { continue }
            let ending = TestEnding.skipped(reason)
            try await report(.finished(TestResult(test: test, ending: ending, seconds: 0)))
        }
        let tests = shard.tests.filter { off[$0] == nil }
        guard !tests.isEmpty else { return }
        guard let device = shard.cell.device else { throw XcodeError.noDevice(shard.job.name) }
        let needs = Needs((shard.job.needs?.all ?? []) + (device.needs?.all ?? []))
        var tools = try await tools(needs, environment.forTests(shard, folders))
        tools.log = folders.log
        let setup = CellSetup(shard.cell, among: shard.job.cells)
        let (there, model) = try await tools.simulators(of: device)
        let key = SimulatorKey(model: model, tools, setup)
        TestRunFile.removeLeftovers(beside: products.path)
        try await simulators.withSimulator(key, setup, tools, there) {
            [tools, environment, titles] simulator in
            let run = XcodeRun(
                shard: shard,
                folders: folders,
                products: products,
                setup: setup,
                tools: tools,
                environment: environment,
                titles: titles,
                // A boot has a limit of its own, and does not count as a test's time.
                deadline: .now.advanced(by: .seconds(shard.job.timeouts.shardSeconds)),
                report: report
            )
            try await run.run(tests, on: simulator)
        }
    }

    /// Returns the tests of a shard that do not run, with the reason of each.
    private func reasonsToSkip(
        _ shard: Shard,
        _ products: XcodeProducts
    ) throws -> [TestID: String] {
        var reasons: [TestID: String] = [:]
        for name in (shard.prepared[Key.disabled] ?? "").split(separator: "\n") {
            reasons[TestID(String(name))] = "disabled"
        }
        for test in try TestRunFile(reading: products.path).skipped(among: shard.tests) {
            reasons[test] = "the test plan skips it"
        }
        return reasons
    }

    package func shutDown() async { await simulators.shutDown() }
}

extension SimulatorKey {
    init(model: SimulatorModel, _ tools: XcodeTools, _ setup: CellSetup = CellSetup()) {
        self.init(
            model: model,
            language: setup.language,
            region: setup.region,
            developerFolder: tools.environment["DEVELOPER_DIR"]
        )
    }
}

/// Asks Xcode for the tests of a build.
struct ListOfTests: Sendable {
    private static let triesMax = 3
    let products: XcodeProducts
    let tools: XcodeTools
    let scratch: String

    init(_ products: XcodeProducts, _ tools: XcodeTools, _ scratch: String) {
        self.products = products
        self.tools = tools
        self.scratch = scratch
    }

    func json(on simulator: LentSimulator) async throws -> Data {
        var budget = RecoveryBudget()
        while true {
            let path = "\(scratch)/tests-\(UUID().uuidString.prefix(8)).json"
            let arguments = try await arguments(on: simulator, path)
            let result = try await tools.run(
                "xcodebuild",
                arguments,
                seconds: FarmLimits.discoverySecondsMax
            )
            let json = FileManager.default.contents(atPath: path)
            if result.isGood, let json { return json }
            let signature = result.tail.split(separator: "\n").lazy
                .compactMap { FailureSignature.met(by: String($0)) }.first
            guard let signature, budget.allows(signature) else {
                let errors = TestEnumeration.errors(in: json)
                guard errors.isEmpty else { throw XcodeError.enumerationFailed(errors) }
                throw DriverError.discoveryFailed(
                    command: "xcodebuild " + arguments.joined(separator: " "),
                    ending: result.ending.text(limitSeconds: FarmLimits.discoverySecondsMax),
                    output: result.tail
                )
            }
            try await simulator.recover(signature.action)
        }
    }

    private func arguments(on simulator: LentSimulator, _ path: String) async throws -> [String] {
        ["test-without-building"] + products.arguments + [
            "-destination", "platform=iOS Simulator,id=\(await simulator.udid)",
            "-enumerate-tests", "-test-enumeration-style", "flat",
            "-test-enumeration-format", "json", "-test-enumeration-output-path", path,
        ]
    }
}
