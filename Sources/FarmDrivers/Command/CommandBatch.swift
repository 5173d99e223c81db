// Runs a whole shard in one process and takes the results from its JUnit files. If the process
// dies, tests with a result keep it, and tests without one run again (see LaunchQueue).
//
// A leased test without an entry gets no result here, so that the worker reports it as errored; if
// the process itself did not end well, each such test gets the reason. While the process runs, its
// results files may show which test runs (see TestMarks); otherwise its output is the only sign of
// progress.
import FarmCore
import Foundation

struct CommandBatch {
    let shard: Shard
    let settings: CommandSettings
    let results: String
    let folders: LeaseFolders
    let environment: CleanEnvironment
    let isolation: Isolation?
    let report: @Sendable (DriverEvent) async throws -> Void

    func run() async throws {
        var pictures = LeasePictures(shard, folders, glob: settings.captures?.pattern)
        var time = LaunchTime(shard)
        var queue = LaunchQueue(invocations(of: shard.tests, folders).map(\.tests))
        var doubtful = DoubtfulResults()
        while let tests = queue.next() {
            guard let seconds = time.seconds(for: tests.count) else {
                try await report(doubtful.settled())
                return try await report(.timeOver(running: []))
            }
            guard let line = invocations(of: tests, folders).first else { continue }
            let began = ContinuousClock.now
            let launch = try await CommandLaunch(
                line,
                of: self,
                seconds: seconds,
                deadline: time.end
            )
            time.spend(began.duration(to: .now).seconds, of: seconds)
            let step = conclude(launch, &queue, &time)
            let results =
                launch.results() + step.blamed.map { launch.blamed($0) }
                + step.givenUp.map { launch.givenUp($0) }
            let owned = try await give(&pictures, to: results, of: tests, step, time.end)
            if queue.isEmpty { try await report(.programsEnded) }
            try await report(doubtful.take(owned, of: launch))
        }
        try await report(doubtful.settled())
    }

    /// Returns the consequences of a launch for the queue, and notes in the lease's log why tests
    /// run again.
    private func conclude(
        _ launch: CommandLaunch,
        _ queue: inout LaunchQueue,
        _ time: inout LaunchTime
    ) -> LaunchQueue.Step {
        guard let death = launch.death else {
            queue.ended()
            return LaunchQueue.Step()
        }
        time.extend()
        let step = queue.died(
            DeadLaunch(
                tests: launch.line.tests,
                open: launch.open,
                running: launch.running,
                death: death
            )
        )
        if let log = try? LogFile(path: folders.log) {
            let culprit = step.blamed.first.map { ", ended by \($0)" } ?? ""
            let rest = launch.open.count - step.blamed.count
            let fate = step.givenUp.isEmpty ? "run again" : "are given up"
            log.note("the command died\(culprit); \(rest) tests without a result \(fate)")
        }
        return step
    }

    private func report(_ results: [TestResult]) async throws {
        for result in results { try await report(.finished(result)) }
    }

    private func invocations(of tests: [TestID], _ folders: LeaseFolders) -> [CommandInvocation] {
        CommandInvocation.invocations(
            of: settings.run,
            for: tests,
            testsFile: folders.lease + "/" + CommandInvocation.listName,
            flags: CleanEnvironment.flags(shard, folders)
        )
    }

    // MARK: pictures

    /// Returns `results` with the pictures made since the last launch, each given to the test that
    /// made it.
    private func give(
        _ pictures: inout LeasePictures,
        to results: [TestResult],
        of tests: [TestID],
        _ step: LaunchQueue.Step,
        _ deadline: ContinuousClock.Instant
    ) async throws -> [TestResult] {
        let found = try pictures.collect()
        var owned = OwnedPictures(found, of: results, among: tests, owners)
        try await owned.findMakers(among: results) { test, _ in
            try await self.pictures(of: test, deadline)
        }
        let given = owned.given(to: results, blames: !step.runsAgain)
        if step.runsAgain { pictures.giveBack(owned.left(by: results)) }
        return given
    }

    private var owners: PictureOwners {
        PictureOwners(
            shard.tests,
            template: settings.captures?.test,
            framework: shard.job.framework
        )
    }

    /// Runs a test alone and returns the pictures that it makes, or `nil` if the shard's time is
    /// over.
    private func pictures(
        of test: TestID,
        _ deadline: ContinuousClock.Instant
    ) async throws -> FoundPictures? {
        let left = ContinuousClock.now.duration(to: deadline).seconds
        guard left > 0 else { return nil }
        let name = "alone-" + UUID().uuidString.prefix(8)
        let own = folders.inside(name, sharesReferences: !CleanEnvironment.records(shard))
        try own.make()
        defer { try? FileManager.default.removeItem(atPath: own.lease) }
        guard let line = invocations(of: [test], own).first else { return nil }
        var child = try line.child(shard, own, environment, isolation)
        child.log = folders.log
        child.timeLimitSeconds = min(left, shard.job.timeouts.testSeconds)
        _ = try await child.run { _, _ in }
        var pictures = LeasePictures(shard, own, glob: settings.captures?.pattern)
        return try pictures.collect()
    }
}

/// The time limits of a lease's processes.
///
/// The first process gets `timeout.shard`. A process that runs tests again gets a share of it, in
/// proportion to its number of tests, and at least `timeout.test`.
private struct LaunchTime {
    /// The time of all processes of one lease if some of them die, in multiples of `timeout.shard`.
    private static let shardTimesMax = 3.0

    private let timeouts: JobTimeouts
    private let tests: Int
    private var runsAgain = false
    /// The seconds left for the next processes; `total` are those left for the whole lease.
    private var left: Double
    private var total: Double

    init(_ shard: Shard) {
        timeouts = shard.job.timeouts
        tests = max(1, shard.tests.count)
        left = timeouts.shardSeconds
        total = timeouts.shardSeconds * Self.shardTimesMax
    }

    /// The time at which every process of the lease must have ended.
    var end: ContinuousClock.Instant { ContinuousClock.now.advanced(by: .seconds(left)) }

    /// Subtracts a process's duration from the time left; both parameters are in seconds.
    ///
    /// Subtracts at most `limit`, the time limit of the process: the rest was needed to end it.
    mutating func spend(_ seconds: Double, of limit: Double) {
        left -= min(seconds, limit)
        total -= min(seconds, limit)
    }

    /// Gives the next processes `timeout.shard` again after a process died, or what is left of
    /// `total`.
    mutating func extend() {
        runsAgain = true
        left = min(total, timeouts.shardSeconds)
    }

    /// Returns the time limit in seconds of a process with `count` tests, or `nil` if the lease's
    /// time is over.
    func seconds(for count: Int) -> Double? {
        guard left > 0 else { return nil }
        guard runsAgain else { return left }
        let share = timeouts.shardSeconds * Double(count) / Double(tests)
        return min(left, max(share, timeouts.testSeconds))
    }
}

/// The good results of processes that left with an error before all their tests had a result.
///
/// They stay good only if some test of the lease ends badly, which explains the error.
private struct DoubtfulResults {
    private var held: [(result: TestResult, problem: Problem)] = []
    private var isExplained = false

    /// Returns the results of a launch that are certain, and holds the others back.
    mutating func take(_ results: [TestResult], of launch: CommandLaunch) -> [TestResult] {
        isExplained = isExplained || results.contains { !$0.ending.isGood }
        guard launch.death == .exit, case .child(.exited(let status)) = launch.ending else {
            return results
        }
        held += results.filter(\.ending.isGood).map { ($0, .exitUnexplained(status: status)) }
        return results.filter { !$0.ending.isGood }
    }

    /// Returns the results that were held back; to be called when no process will follow.
    func settled() -> [TestResult] {
        held.map { held in
            var result = held.result
            if !isExplained { result.ending = .errored(held.problem) }
            return result
        }
    }
}
