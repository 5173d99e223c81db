// Decides what follows when a launch has ended: which tests have a result, which run again, and
// which recovery comes first. Pure: launches are described, not made.
//
// A test with a result keeps it, however its launch ended, unless every failure of the test means
// that the machine failed. Exit statuses decide nothing: 65 means "tests failed" and "the runner
// never started" alike, and 0 may mean that no test ran.
import FarmCore

/// The next step of a lease.
enum NextStep: Equatable, Sendable {
    /// Every test of the launch has a result.
    case done
    /// The tests without a result run again, after this recovery.
    case again(RecoveryAction)
    /// The shard's time is over; the tests that were `running` have no result.
    case timeOver(running: [TestID])
    case fail(XcodeError)
}

/// Decides the next step of one lease after each launch.
struct RunPolicy: Sendable {
    let testSeconds: Double
    private var budget = RecoveryBudget()
    private var launches = 0
    /// The tests that ran when a launch was lost, but are not certain to be to blame.
    private var suspects: Set<TestID> = []
    /// The tests that ran in parallel in a process that died or hung, in halves that run apart.
    private(set) var apart: [[TestID]] = []

    init(testSeconds: Double) { self.testSeconds = testSeconds }

    /// Returns the next step after a launch of some tests.
    ///
    /// Adds to `results` those of tests that are to blame and left no result themselves.
    mutating func take(
        _ outcome: XcodeLaunchOutcome,
        of tests: [TestID],
        results: inout [TestID: TestResult]
    ) -> NextStep {
        launches += 1
        results = outcome.results.filter { test, _ in tests.contains(test) }
        let dropped = dropInfrastructure(&results)
        if !results.isEmpty { budget.noteProgress() }
        if let dropped, case .child = outcome.end { return .again(dropped.action) }
        let step = self.step(outcome, tests, &results)
        if case .done = step { return .done }
        let isOpen = tests.contains { results[$0] == nil }
        if case .again(let action) = step, !isOpen, action == .relaunch { return .done }
        return step
    }

    /// Removes results that only mean that the machine failed, as often as their signatures allow,
    /// and returns the signature to recover by, or `nil` if none was removed.
    private mutating func dropInfrastructure(
        _ results: inout [TestID: TestResult]
    ) -> FailureSignature? {
        let found = results.compactMapValues { Self.infrastructure($0) }
        let allowed = Set(found.values).filter { budget.allows($0) }
        for (test, signature) in found where allowed.contains(signature) { results[test] = nil }
        return FailureSignature.table.first { allowed.contains($0) }
    }

    private mutating func step(
        _ outcome: XcodeLaunchOutcome,
        _ tests: [TestID],
        _ results: inout [TestID: TestResult]
    ) -> NextStep {
        switch outcome.end {
        case .shardOver: return .timeOver(running: outcome.running)
        case .overdue(let overdue):
            // In parallel, a test may only have waited for another one.
            if outcome.running.count > 1 {
                cut(outcome.running)
            } else {
                for test in overdue {
                    blame(test, .testTimedOut(seconds: testSeconds), outcome, &results)
                }
            }
            // Xcode was killed; the next launch could not use the simulator as it was left.
            return .again(.reboot)
        case .noStart: return recover(.noStart, outcome)
        case .child(let ending):
            let open = tests.filter { results[$0] == nil }
            if open.isEmpty {
                if ending != .exited(0) { failOutside(outcome, tests, &results) }
                return .done
            }
            if ending == .flooded {
                for test in outcome.running { blame(test, .testFlooded(), outcome, &results) }
                return .again(.reboot)
            }
            return lost(outcome, open, &results)
        }
    }

    /// Returns the next step after Xcode has ended while some tests have no result.
    private mutating func lost(
        _ outcome: XcodeLaunchOutcome,
        _ open: [TestID],
        _ results: inout [TestID: TestResult]
    ) -> NextStep {
        let running = outcome.running.filter { open.contains($0) }
        if let signature = outcome.signature {
            if signature.action == .giveUp { return .fail(.refused(signature)) }
            // If a second launch is lost while the same test runs, the test is to blame.
            if running.count == 1, !suspects.insert(running[0]).inserted {
                blame(running[0], .testLost(), outcome, &results)
                return .again(signature.action)
            }
            return recover(signature, outcome)
        }
        if running.count == 1, isKilled(outcome.end) == false {
            blame(running[0], .testLost(), outcome, &results)
            return .again(.relaunch)
        }
        if running.count > 1 {
            cut(running)
            return .again(.relaunch)
        }
        return recover(.silence, outcome, tests: open.count)
    }

    /// Cuts tests that ran in parallel in two, so that the one to blame is found in few launches.
    private mutating func cut(_ tests: [TestID]) {
        apart = apart.map { group in group.filter { !tests.contains($0) } }.filter { !$0.isEmpty }
        apart += [Array(tests[..<(tests.count / 2)]), Array(tests[(tests.count / 2)...])]
    }

    /// Returns the tests of the next launch among those that are left; tests that run apart come
    /// last.
    func next(of left: [TestID]) -> [TestID] {
        let apart = apart.map { group in group.filter { left.contains($0) } }.filter { !$0.isEmpty }
        let together = Set(left).subtracting(apart.flatMap(\.self))
        return together.isEmpty ? apart.first ?? left : left.filter { together.contains($0) }
    }

    /// Whether xcodebuild was killed, which proves nothing about the running test.
    private func isKilled(_ end: LaunchEnd) -> Bool {
        if case .child(.signalled) = end { true } else { false }
    }

    /// Returns the recovery by a signature as the next step, or the error if its recoveries are
    /// used up; `tests` is the number of tests without a result.
    private mutating func recover(
        _ signature: FailureSignature,
        _ outcome: XcodeLaunchOutcome,
        tests: Int = 0
    ) -> NextStep {
        if budget.allows(signature) { return .again(signature.action) }
        if signature.action == .relaunchCrashed {
            let words = FailureSignature.crashWords(of: outcome.signatureLine)
            return .fail(.crashedAtLaunch(words: words, output: outcome.lastWords))
        }
        guard signature == .silence, case .child(let ending) = outcome.end else {
            return .fail(.infrastructure(signature, launches: launches))
        }
        if ending == .exited(0), outcome.results.isEmpty, !outcome.hasStarted {
            return .fail(.noneRan(outcome.xcode, tests: tests, selection: outcome.selection))
        }
        return .fail(
            .nothingRan(
                launches: launches,
                ending: ending.text(limitSeconds: 0),
                output: outcome.lastWords
            )
        )
    }

    /// Fails the last test for a failure outside of any test, if nothing else is red.
    ///
    /// Failures that only mean that the machine failed do not count, since every test has its
    /// result.
    private func failOutside(
        _ outcome: XcodeLaunchOutcome,
        _ tests: [TestID],
        _ results: inout [TestID: TestResult]
    ) {
        let words = outcome.outsideTests.filter {
            FailureSignature.met(by: $0) == nil || Self.isAssertion($0)
        }
        guard !words.isEmpty, results.values.allSatisfy(\.ending.isGood), let last = tests.last
        else { return }
        let text = "a failure outside of any test:\n" + words.joined(separator: "\n")
        results[last]?.ending = .failed(text)
    }

    private mutating func blame(
        _ test: TestID,
        _ problem: Problem,
        _ outcome: XcodeLaunchOutcome,
        _ results: inout [TestID: TestResult]
    ) {
        guard results[test] == nil else { return }
        results[test] = TestResult(
            test: test,
            ending: .errored(problem),
            seconds: 0,
            output: outcome.lastWords
        )
        budget.noteProgress()
    }

    /// Returns the signature that all failures of a test meet, or `nil` if one of them is the
    /// test's own.
    static func infrastructure(_ result: TestResult) -> FailureSignature? {
        guard case .failed(let text) = result.ending else { return nil }
        let messages = result.failures.isEmpty ? [text] : result.failures.map(\.message)
        var first: FailureSignature?
        for message in messages {
            guard let signature = FailureSignature.met(by: message),
                ![.blame, .giveUp].contains(signature.action), !isAssertion(message)
            else { return nil }
            first = first ?? signature
        }
        return first
    }

    /// Whether a message is an assertion's, which may quote anything.
    private static func isAssertion(_ message: String) -> Bool {
        ["XCTAssert", "XCTUnwrap", "Expectation failed", "failed - "].contains {
            message.contains($0)
        }
    }
}
