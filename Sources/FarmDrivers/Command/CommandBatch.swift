// One process for a whole shard, judged by the JUnit file it leaves, and more of them where one dies:
// what has a result keeps it, and what has none runs again (see LaunchQueue).
//
// A leased test without an entry is not finished here, so that the worker says so; where the
// process itself did not end well, each of them gets the reason. While it runs, its results
// file may say which test runs (see TestMarks); else its output is all that says how far it is.
import FarmCore
import Foundation

struct CommandBatch {
    let shard: Shard
    let settings: CommandSettings
    let results: String
    let folders: LeaseFolders
    let environment: CleanEnvironment
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

    /// Decides what follows from a launch, and says in the lease's log why another one does.
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

    /// The results with the pictures that came since the last launch.
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

    /// Returns the pictures that a test makes when it runs alone, or `nil` if the shard's time is over.
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
        var child = try line.child(
            environment: environment.forTests(shard, own),
            folder: shard.workTree,
            scratch: own.lease
        )
        child.log = folders.log
        child.timeLimitSeconds = min(left, shard.job.timeouts.testSeconds)
        _ = try await child.run { _, _ in }
        var pictures = LeasePictures(shard, own, glob: settings.captures?.pattern)
        return try pictures.collect()
    }
}

/// The time limits of a lease's processes.
///
/// The first gets `timeout.shard`. One that runs tests again gets the same share of it as of the
/// lease's tests, and at least `timeout.test`.
private struct LaunchTime {
    /// The time of all processes of one lease if some of them die, in times of a shard's.
    private static let shardTimesMax = 3.0

    private let timeouts: JobTimeouts
    private let tests: Int
    private var runsAgain = false
    /// Seconds that are left for the next processes, and for all of the lease.
    private var left: Double
    private var total: Double

    init(_ shard: Shard) {
        timeouts = shard.job.timeouts
        tests = max(1, shard.tests.count)
        left = timeouts.shardSeconds
        total = timeouts.shardSeconds * Self.shardTimesMax
    }

    /// When no process of the lease may run any more.
    var end: ContinuousClock.Instant { ContinuousClock.now.advanced(by: .seconds(left)) }

    /// Counts what a process took; what ending it took beyond its limit is the machine's.
    mutating func spend(_ seconds: Double, of limit: Double) {
        left -= min(seconds, limit)
        total -= min(seconds, limit)
    }

    /// After a process died.
    mutating func extend() {
        runsAgain = true
        left = min(total, timeouts.shardSeconds)
    }

    /// Returns the next process's time limit, or `nil` if the lease's time is over.
    func seconds(for count: Int) -> Double? {
        guard left > 0 else { return nil }
        guard runsAgain else { return left }
        let share = timeouts.shardSeconds * Double(count) / Double(tests)
        return min(left, max(share, timeouts.testSeconds))
    }
}

/// Good results of a process that left with an error in the middle: they count once a test that it
/// left out has ended badly, which explains the error.
private struct DoubtfulResults {
    private var held: [(result: TestResult, problem: Problem)] = []
    private var isExplained = false

    /// The results that are out of doubt.
    mutating func take(_ results: [TestResult], of launch: CommandLaunch) -> [TestResult] {
        isExplained = isExplained || results.contains { !$0.ending.isGood }
        guard launch.death == .exit, case .child(.exited(let status)) = launch.ending else {
            return results
        }
        held += results.filter(\.ending.isGood).map { ($0, .exitUnexplained(status: status)) }
        return results.filter { !$0.ending.isGood }
    }

    /// Returns the held results, to be called when nothing more runs.
    func settled() -> [TestResult] {
        held.map { held in
            var result = held.result
            if !isExplained { result.ending = .errored(held.problem) }
            return result
        }
    }
}
