// One launch of xcodebuild: some tests, on one booted simulator, from an edited copy of the
// `.xctestrun` to the results in its bundle.
import FarmCore
import Foundation

/// The outcome of a launch.
struct XcodeLaunchOutcome: Sendable {
    var end: LaunchEnd
    /// The results of the launch's tests that have one.
    var results: [TestID: TestResult]
    /// The pictures that the tests attached, by test.
    var attachments: [TestID: [Attachment]] = [:]
    /// The folder with the files of the attachments.
    var attachmentFolder = ""
    /// Tests that started and did not end.
    var running: [TestID] = []
    var signature: FailureSignature?
    var signatureLine = ""
    /// Whether the console has printed the start or the end of a test.
    var hasStarted = false
    /// Failures outside of any test.
    var outsideTests: [String] = []
    var lastWords = ""
    /// The Xcode that ran, such as "Xcode 16.4"; `selection` has the names of the launch's tests in
    /// every form.
    var xcode = "Xcode"
    var selection = ""
}

struct XcodeLaunch: Sendable {
    let products: XcodeProducts
    let tests: [TestID]
    let shard: Shard
    let folders: LeaseFolders
    let setup: CellSetup
    let tools: XcodeTools
    /// The variables that the tests see: the contract's, and the job's own.
    let testEnvironment: [String: String]
    let titles: TestTitles
    let deadline: ContinuousClock.Instant

    private static let tickSeconds = 0.05

    func run(
        on udid: String,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws -> XcodeLaunchOutcome {
        let id = UUID().uuidString.prefix(8)
        let scratch = splitPath(folders.log).folder
        let bundle = "\(scratch)/launch-\(id).xcresult"
        let list = "\(scratch)/launch-\(id).txt"
        let (copy, modules) = try editedCopy()
        defer {
            for path in [bundle, list, copy.path] {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
        let names = XcodeNames(
            tests,
            modules: modules,
            titles: await titles.known(of: products)
        )
        let session = XcodeSession(names, report: report)
        let selection = TestSelection.launch(
            tests,
            responseFile: hasResponseFiles ? list : nil,
            isDoubled: isDoubled
        )
        if let text = selection.file { try write(text, to: list) }
        var child = tools.child(
            "xcodebuild",
            arguments(copy, on: udid, bundle: bundle) + selection.arguments,
            folder: shard.workTree
        )
        child.log = folders.log
        child.joinsOutputs = true
        let end = try await child.withRunning(
            onOutput: { _, bytes in try await session.printed(bytes) },
            body: { try await watch($0, session) }
        )
        try await session.finish()
        if let words = await session.strangeLines { try? LogFile(path: folders.log).note(words) }
        return try await outcome(end, session, names, bundle)
    }

    var hasResponseFiles: Bool { tools.isAtLeast(TestSelection.responseFileVersion) }

    private var isDoubled: Bool {
        tools.isAtLeast(TestSelection.doubledFrom) && !tools.isAtLeast(TestSelection.doubledBefore)
    }

    private func arguments(_ copy: XcodeProducts, on udid: String, bundle: String) -> [String] {
        ["test-without-building"] + copy.arguments
            + ["-destination", "platform=iOS Simulator,id=\(udid)", "-resultBundlePath", bundle]
            + ["-parallel-testing-enabled", "NO"] + setup.testArguments
            // Collecting diagnostics costs minutes for every failure; older Xcodes do not know the
            // option.
            + (tools.isAtLeast("15") ? ["-collect-test-diagnostics", "never"] : [])
    }

    private func editedCopy() throws -> (XcodeProducts, modules: [String: String]) {
        var file = try TestRunFile(reading: products.path)
        var only: [String: [String]] = [:]
        for test in tests {
            let name = XcodeTestName(test)
            only[name.target, default: []].append(name.inTarget)
        }
        let modules = file.modules
        file.apply(
            TestRunEdit(
                environment: testEnvironment,
                only: only,
                language: setup.language,
                region: setup.region
            )
        )
        let path = try file.writeCopy(beside: products.path)
        return (XcodeProducts(path), modules)
    }

    private func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw DriverError.fileUnwritable(path: path, reason: error.inWords)
        }
    }

    private func watch(_ child: RunningChild, _ session: XcodeSession) async throws -> LaunchEnd {
        let start = ContinuousClock.now.advanced(by: .seconds(tools.timing.startSeconds))
        return try await withThrowingTaskGroup(of: LaunchEnd.self) { group in
            group.addTask { .child(try await child.ending()) }
            group.addTask {
                while true {
                    try await Task.sleep(for: .seconds(Self.tickSeconds))
                    let limit = shard.job.timeouts.testSeconds
                    let overdue = await session.overdue(limitSeconds: limit)
                    if !overdue.isEmpty { return .overdue(overdue) }
                    if .now >= deadline { return .shardOver }
                    if .now >= start, await !session.hasBegun { return .noStart }
                }
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    // MARK: results

    private func outcome(
        _ end: LaunchEnd,
        _ session: XcodeSession,
        _ names: XcodeNames,
        _ bundle: String
    ) async throws -> XcodeLaunchOutcome {
        var outcome = XcodeLaunchOutcome(end: end, results: await session.results)
        outcome.running = await session.running.tests
        outcome.hasStarted = await !session.heardOf.isEmpty
        outcome.signature = await session.signature
        outcome.signatureLine = await session.signatureLine
        outcome.lastWords = await session.lastWords
        outcome.selection = TestSelection.words(tests, isDoubled: isDoubled)
        if let version = tools.version { outcome.xcode = "Xcode \(version.text)" }
        // The bundle of a launch that was ended is not complete.
        guard case .child = end else { return outcome }
        let folder = "\(folders.lease)/attachments-\(UUID().uuidString.prefix(8))"
        let reader = BundleReader(
            bundle: bundle,
            tools: tools,
            names: names,
            attachments: shard.job.kind == .snapshot ? folder : nil
        )
        guard let reading = try await reader.read(deadline) else { return outcome }
        outcome.attachments = reading.attachments
        outcome.attachmentFolder = folder
        outcome.outsideTests = reading.results.outsideTests
        await titles.learn(reading.results.titles, of: products)
        let told = reading.results.byTest
        // A bundle that lacks a test that ran is not complete, so only the console's endings count.
        let missing = await session.heardOf.subtracting(told.keys).sorted()
        guard missing.isEmpty else {
            try? LogFile(path: folders.log).note(
                "the result bundle lacks tests that ran, and is not believed. The first: \(missing[0])"
            )
            return outcome
        }
        for (test, result) in told {
            outcome.results[test] = Self.merged(outcome.results[test], result)
            outcome.running.removeAll { $0 == test }
        }
        return outcome
    }

    /// Returns the result of one test from its console and its bundle.
    ///
    /// The bundle has the better messages, and the outcome of a plan's repetitions: its ending
    /// counts. Only the console shows a crash, unless a later repetition passed.
    static func merged(_ console: TestResult?, _ bundle: BundleResult) -> TestResult {
        var result =
            console
            ?? TestResult(test: bundle.test, ending: bundle.ending, seconds: bundle.seconds)
        result.earlierFailure = bundle.earlierFailure
        switch result.ending {
        case .errored where bundle.earlierFailure == nil:
            if !bundle.failures.isEmpty { result.failures = bundle.failures }
            return result
        case .failed(let text) where bundle.ending == .passed:
            result.earlierFailure = bundle.earlierFailure ?? text
        default: break
        }
        // Before Xcode 16, a bundle's list of tests lacks the reason of a skip.
        if case (.skipped, .skipped("")) = (result.ending, bundle.ending) { return result }
        result.ending = bundle.ending
        if !bundle.failures.isEmpty || bundle.ending.isGood { result.failures = bundle.failures }
        if result.seconds == 0 { result.seconds = bundle.seconds }
        return result
    }
}
