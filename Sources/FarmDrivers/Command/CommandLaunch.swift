// One process of a batch. It runs some tests of a lease until it ends, hangs, or its time is over;
// the results that it wrote until then count.
import FarmCore
import Foundation
import Synchronization

struct CommandLaunch {
    /// The way in which the process of a launch ended.
    enum Ending: Sendable, Equatable {
        case child(ChildEnding)
        /// The driver ended the process because these tests ran longer than `timeout.test`.
        case hung([TestID])
        /// The driver ended the process after this many seconds, its time limit.
        case timeOver(Double)
    }

    let line: CommandInvocation
    let batch: CommandBatch
    let ending: Ending
    let reading: ResultsReading
    /// Tests that had started and not ended, as far as the results files show.
    let running: [TestID]
    private let lastWords: String

    /// Seconds between two looks at the results files.
    private static let tickSeconds = 0.25

    init(
        _ line: CommandInvocation,
        of batch: CommandBatch,
        seconds: Double,
        deadline: ContinuousClock.Instant
    ) async throws {
        self.line = line
        self.batch = batch
        var child = try line.child(
            batch.shard,
            batch.folders,
            batch.environment,
            batch.isolation
        )
        child.log = batch.folders.log
        let output = BatchOutput(of: line.tests)
        let report = batch.report
        let watch = Watch(
            results: try ResultsWatch(batch.results, in: batch.folders.lease, of: line.tests),
            report: report
        )
        let testSeconds = batch.shard.job.timeouts.testSeconds
        ending = try await child.withRunning(
            onOutput: { _, bytes in
                for test in output.take(bytes) { try await report(.mentioned(test)) }
            },
            body: {
                try await Self.wait(for: $0, watch, testSeconds: testSeconds, seconds: seconds)
            }
        )
        let (files, running) = try await watch.end()
        reading = try await Self.read(files, in: batch.folders.lease, of: line.tests, deadline)
        let results = reading.results
        self.running = running.filter { results[$0] == nil }
        lastWords = output.tail.lastWords()
    }

    private static func wait(
        for child: RunningChild,
        _ watch: Watch,
        testSeconds: Double,
        seconds: Double
    ) async throws -> Ending {
        try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask { .child(try await child.ending()) }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                return .timeOver(seconds)
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: .seconds(min(tickSeconds, testSeconds)))
                    let overdue = try await watch.look(limitSeconds: testSeconds)
                    if !overdue.isEmpty { return .hung(overdue) }
                }
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    private static func read(
        _ files: [String],
        in folder: String,
        of tests: [TestID],
        _ deadline: ContinuousClock.Instant
    ) async throws -> ResultsReading {
        let end = max(
            deadline,
            ContinuousClock.now.advanced(by: .seconds(FarmLimits.resultsReadingSecondsMin))
        )
        return try await onOwnThread(until: end) { mayGoOn in
            ResultsReading(files, in: folder, of: tests, while: mayGoOn)
        }
    }

    // MARK: what it means

    /// The launch's tests without an entry in the results, in order.
    var open: [TestID] { line.tests.filter { reading.results[$0] == nil } }

    /// The reason why the process ended before its tests did, or `nil` if it came to its own end.
    var death: LaunchDeath? {
        switch ending {
        case .hung(let tests): return .hang(tests)
        case .timeOver: return .timeOver
        case .child(.timedOut), .child(.signalled): return .crash
        case .child(.flooded): return .flood
        case .child(.exited(let status)):
            let isCut = reading.cutOff != nil && !open.isEmpty
            if crashSignal(ofShellStatus: status) != nil || !running.isEmpty || isCut {
                return .crash
            }
            // A test that ends its runtime (`exit`, `halt`) prevents a results file that is written
            // last.
            if status != 0, reading.isMissing, line.tests.count > 1 { return .crash }
            let isHalf = !reading.results.isEmpty && !open.isEmpty
            return status != 0 && !reading.explainsError && isHalf ? .exit : nil
        }
    }

    /// Returns the results of the launch's tests, without pictures.
    ///
    /// The worker reports a test without a result as errored.
    func results() -> [TestResult] {
        let excuse = death == nil ? reading.problem ?? missing : nil
        return line.tests.compactMap { test in
            guard var result = reading.results[test] else {
                guard death == nil else { return nil }
                return (excuse ?? reading.causes[test]).map { errored(test, $0) }
            }
            if result.ending.isGood, death == nil, let excuse = distrust {
                result.ending = .errored(excuse)
            }
            return result
        }
    }

    /// Returns the errored result of a test that ended the process.
    func blamed(_ test: TestID) -> TestResult { errored(test, problem(during: "the test")) }

    /// Returns the errored result of a test that does not run again because too many processes
    /// died.
    func givenUp(_ test: TestID) -> TestResult {
        errored(test, problem(during: "the command that ran the shard"))
    }

    private func errored(_ test: TestID, _ problem: Problem) -> TestResult {
        TestResult(test: test, ending: .errored(problem), seconds: 0, output: lastWords)
    }

    private func problem(during what: String) -> Problem {
        let timeouts = batch.shard.job.timeouts
        switch ending {
        case .hung: return .testTimedOut(seconds: timeouts.testSeconds)
        case .timeOver(let seconds):
            let whole = seconds.rounded(.up)
            return whole < timeouts.shardSeconds
                ? .testTimedOut(seconds: whole) : .shardTimedOut(seconds: timeouts.shardSeconds)
        case .child(.timedOut): return .shardTimedOut(seconds: timeouts.shardSeconds)
        case .child(.flooded): return .testFlooded()
        case .child(.signalled(let signal)): return .testCrashed(signal: signal, during: what)
        case .child(.exited(let status)):
            return crashSignal(ofShellStatus: status).map { .testCrashed(signal: $0, during: what) }
                ?? (running.isEmpty ? reading.cutOff ?? missing : nil)
                ?? .testExited(status: status)
        }
    }

    /// The problem of a process that wrote no results file, or `nil` if it wrote one or the driver
    /// ended it (`hung`, `timeOver`).
    private var missing: Problem? {
        guard case .child(let ending) = ending, reading.isMissing else { return nil }
        let limit = batch.shard.job.timeouts.shardSeconds
        return .resultsMissing(pattern: batch.results, ending: ending.text(limitSeconds: limit))
    }

    /// The problem of a command that left with an error although all results are good, which hides
    /// a failure, or `nil` if there is none.
    private var distrust: Problem? {
        guard case .child(.exited(let status)) = ending, status != 0 else { return nil }
        return reading.explainsError ? nil : .exitUnexplained(status: status)
    }
}

/// Looks at the results files of a process, and reports tests that have started.
private actor Watch {
    private var results: ResultsWatch
    private let report: @Sendable (DriverEvent) async throws -> Void

    init(results: ResultsWatch, report: @escaping @Sendable (DriverEvent) async throws -> Void) {
        self.results = results
        self.report = report
    }

    /// Reports the tests that have started, and returns those that run longer than `limitSeconds`.
    func look(limitSeconds: Double) async throws -> [TestID] {
        for test in try results.look() { try await report(.started(test)) }
        return results.overdue(seconds: limitSeconds)
    }

    /// Reports the last started tests; returns the files that the process has written, and the
    /// tests that had started and not ended.
    func end() async throws -> (files: [String], running: [TestID]) {
        for test in try results.look() { try await report(.started(test)) }
        return (try results.files(), results.running.keys.sorted())
    }
}

/// Keeps the end of a process's output, and finds the tests that the output names.
private final class BatchOutput: Sendable {
    let tail = OutputTail()
    private let mentioned: Mutex<MentionedTests>

    init(of tests: [TestID]) { mentioned = Mutex(MentionedTests(tests)) }

    /// Adds output, and returns the tests that the output names for the first time.
    func take(_ bytes: [UInt8]) -> [TestID] {
        tail.append(bytes)
        return mentioned.withLock { $0.feed(bytes) }
    }
}
