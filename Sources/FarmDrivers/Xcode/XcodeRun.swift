// One lease on one simulator: launches until every test has a result. One launch is the rule;
// further ones are for tests that a crash, a hang or the machine left without a result.
import FarmCore
import Foundation

struct XcodeRun: Sendable {
    let shard: Shard
    let folders: LeaseFolders
    let products: XcodeProducts
    let setup: CellSetup
    let tools: XcodeTools
    let environment: CleanEnvironment
    let titles: TestTitles
    let deadline: ContinuousClock.Instant
    let report: @Sendable (DriverEvent) async throws -> Void

    func run(_ tests: [TestID], on simulator: LentSimulator) async throws {
        var pictures = LeasePictures(shard, folders, glob: nil)
        var policy = RunPolicy(testSeconds: shard.job.timeouts.testSeconds)
        var left = tests
        while !left.isEmpty {
            guard ContinuousClock.now < deadline else {
                return try await report(.timeOver(running: []))
            }
            let hasFiles = tools.isAtLeast(TestSelection.responseFileVersion)
            let group =
                TestSelection.groups(policy.next(of: left), hasResponseFiles: hasFiles).first ?? []
            let outcome = try await launch(group, folders).run(
                on: await simulator.udid,
                report: report
            )
            var results: [TestID: TestResult] = [:]
            let step = policy.take(outcome, of: group, results: &results)
            left.removeAll { results[$0] != nil }
            if left.isEmpty { try await report(.programsEnded) }
            try await deliver(outcome, group, results, &pictures, on: simulator)
            switch step {
            case .done: break
            case .again(let action): try await simulator.recover(action)
            case .timeOver(let running): return try await report(.timeOver(running: running))
            case .fail(let error): throw error
            }
        }
    }

    private func launch(_ tests: [TestID], _ folders: LeaseFolders) -> XcodeLaunch {
        var tools = tools
        let tests = tests
        let variables = TestVariables(shard, folders)
        tools.environment = variables.ofXcode(
            environment.forTests(shard, folders),
            developerFolder: tools.environment["DEVELOPER_DIR"]
        )
        return XcodeLaunch(
            products: products,
            tests: tests,
            shard: shard,
            folders: folders,
            setup: setup,
            tools: tools,
            testEnvironment: variables.ofTests,
            titles: titles,
            deadline: deadline
        )
    }

    // MARK: pictures

    /// Reports the results of some tests with their pictures.
    private func deliver(
        _ outcome: XcodeLaunchOutcome,
        _ tests: [TestID],
        _ results: [TestID: TestResult],
        _ pictures: inout LeasePictures,
        on simulator: LentSimulator
    ) async throws {
        let ordered = tests.compactMap { results[$0] }
        let found = try pictures.collect()
        var owned = OwnedPictures(found, of: ordered, among: tests, PictureOwners(tests))
        try await owned.findMakers(among: ordered) { test, place in
            try await self.pictures(of: test, place: place, on: simulator)
        }
        let isComplete = results.count == tests.count
        for result in owned.given(to: ordered, blames: isComplete) {
            try await report(.finished(withAttachments(result, outcome)))
        }
        if !isComplete { pictures.giveBack(owned.left(by: ordered)) }
    }

    /// Adds attachments to a result without pictures: frameworks attach what they also write, and
    /// files come first.
    private func withAttachments(_ result: TestResult, _ outcome: XcodeLaunchOutcome) -> TestResult
    {
        var result = result
        // The test passed in the end: a repetition that failed has left these differences.
        if result.earlierFailure != nil { result.differences = [] }
        guard let attached = outcome.attachments[result.test], result.captures.isEmpty,
            result.differences.isEmpty
        else { return result }
        let pictures = Attachments.pictures(of: result.test, attached) { file in
            "\(outcome.attachmentFolder)/\(file)"
        }
        result.captures = pictures.captures
        result.differences = result.earlierFailure == nil ? pictures.differences : []
        return result
    }

    /// Runs a test alone and returns the pictures that it makes, or `nil` if the shard's time is
    /// over.
    private func pictures(
        of test: TestID,
        place: Int,
        on simulator: LentSimulator
    ) async throws -> FoundPictures? {
        guard ContinuousClock.now < deadline else { return nil }
        let name = "alone-\(place)-" + UUID().uuidString.prefix(8)
        let own = folders.inside(name, sharesReferences: !CleanEnvironment.records(shard))
        try own.make()
        defer { try? FileManager.default.removeItem(atPath: own.lease) }
        let outcome = try await launch([test], own).run(on: await simulator.udid) { _ in }
        if case .child = outcome.end {} else { try await simulator.recover(.reboot) }
        var pictures = LeasePictures(shard, own, glob: nil)
        return try pictures.collect()
    }
}

/// The variables of a launch.
///
/// A plain variable of xcodebuild does not reach the tests. A variable in the `.xctestrun` does,
/// and one that begins with TEST_RUNNER_ does so without that beginning.
struct TestVariables: Sendable {
    private static let prefix = "TEST_RUNNER_"
    /// The variables that the tests see: the job's own, then the contract's, which decide where
    /// pictures go.
    let ofTests: [String: String]

    init(_ shard: Shard, _ folders: LeaseFolders) {
        let own = shard.job.env.map { name, value in
            (name.hasPrefix(Self.prefix) ? String(name.dropFirst(Self.prefix.count)) : name, value)
        }
        ofTests = Dictionary(own) { first, _ in first }
            .merging(CleanEnvironment.contract(shard, folders)) { _, new in new }
    }

    /// Returns the variables that xcodebuild sees.
    func ofXcode(_ environment: [String: String], developerFolder: String?) -> [String: String] {
        var result = environment
        for (name, value) in ofTests { result[Self.prefix + name] = value }
        // Makes lines come when they are printed, not when a buffer is full.
        result["NSUnbufferedIO"] = "YES"
        result["DEVELOPER_DIR"] = developerFolder ?? environment["DEVELOPER_DIR"]
        return result
    }
}
