// The events of one launch while it runs.
import FarmCore

/// The way in which one launch came to its end.
enum LaunchEnd: Sendable {
    case child(ChildEnding)
    /// These tests have run longer than `timeout.test`.
    case overdue([TestID])
    /// Xcode reached no test in its time.
    case noStart
    case shardOver
}

/// Reads the console of one launch.
actor XcodeSession {
    private let report: @Sendable (DriverEvent) async throws -> Void
    private var console: XcodeConsole
    private var lines = LineSplitter()
    private let tail = OutputTail()

    private(set) var running = RunningTests()
    private(set) var results: [TestID: TestResult] = [:]
    /// The tests whose crash ended their process.
    private(set) var crashed: Set<TestID> = []
    private(set) var hasBegun = false
    /// The last failure of the machine that the console has shown, or `nil` if there is none.
    private(set) var signature: FailureSignature?
    /// The line of the console that showed `signature`.
    private(set) var signatureLine = ""
    private var started: Set<TestID> = []

    /// Tests whose start or end the console has printed.
    var heardOf: Set<TestID> { started.union(results.keys) }

    init(_ names: XcodeNames, report: @escaping @Sendable (DriverEvent) async throws -> Void) {
        console = XcodeConsole(names)
        self.report = report
    }

    func printed(_ bytes: [UInt8]) async throws {
        tail.append(bytes)
        for line in lines.feed(bytes) { try await take(console.feed(line), of: line) }
    }

    func finish() async throws {
        for line in lines.finish() { try await take(console.feed(line), of: line) }
    }

    /// A note for the log about lines of tests that were not understood, or `nil` if there are
    /// none.
    var strangeLines: String? {
        let (count, first) = console.strangeLines
        guard count > 0 else { return nil }
        let lines = count == 1 ? "1 line of a test was" : "\(count) lines of tests were"
        return "\(lines) not understood; the result bundle decides there. The first: \(first)"
    }

    /// The last lines of the console's output.
    var lastWords: String { tail.lastWords() }

    func overdue(limitSeconds: Double) -> [TestID] {
        running.overdue(limitSeconds: limitSeconds, at: .now)
    }

    private func take(_ events: [XcodeEvent], of line: String) async throws {
        for event in events {
            switch event {
            case .began: hasBegun = true
            case .started(let test):
                hasBegun = true
                running.start(test, at: .now)
                if started.insert(test).inserted { try await report(.started(test)) }
            case .ended(let test, let ending, let seconds, let output, let failures):
                hasBegun = true
                running.end(test, at: .now)
                add(
                    TestResult(
                        test: test,
                        ending: ending,
                        seconds: seconds,
                        failures: failures,
                        output: output
                    )
                )
            case .left(let test): running.end(test, at: .now)
            case .crashed(let test): crash(test)
            case .signature(let found):
                // A test may print anything: a message that would end the shard counts only before
                // the tests.
                let endsShard = [.giveUp, .relaunchCrashed].contains(found.action)
                if !endsShard || !hasBegun { (signature, signatureLine) = (found, line) }
            }
        }
    }

    /// Adds the result of a test.
    ///
    /// Another plan configuration may run a test once more; the worse ending counts.
    private func add(_ result: TestResult) {
        guard var before = results[result.test] else {
            results[result.test] = result
            return
        }
        before.ending = before.ending.worse(than: result.ending)
        before.failures.add(result.failures)
        before.seconds += result.seconds
        results[result.test] = before
    }

    private func crash(_ test: TestID?) {
        let seconds = test.map { running.seconds(of: $0, at: .now) } ?? 0
        running.endAll()
        guard let test else { return }
        crashed.insert(test)
        results[test] = TestResult(
            test: test,
            ending: .errored(.testLost()),
            seconds: seconds,
            output: tail.lastWords()
        )
    }
}

extension Problem {
    /// The problem of a test that ended the process of the tests.
    static func testLost() -> Problem {
        Problem(
            code: "test-crashed",
            message: "the app that ran the tests crashed or left in the middle of the test.",
            remedy: "Read the crash report in the lease's log; run the test alone with "
                + "`--select test=…`."
        )
    }
}
