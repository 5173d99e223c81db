import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

extension TestResult {
    fileprivate static func pass(_ test: TestID) -> TestResult {
        TestResult(test: test, ending: .passed, seconds: 1)
    }
}

@Suite("What follows when a launch has ended")
struct RunPolicyTests {
    private let a = TestID("T/C/a()")
    private let b = TestID("T/C/b()")

    private func result(_ test: TestID, _ ending: TestEnding = .passed) -> [TestID: TestResult] {
        [test: TestResult(test: test, ending: ending, seconds: 1)]
    }

    private func outcome(
        _ status: Int32 = 0,
        _ results: [TestID: TestResult] = [:],
        running: [TestID] = [],
        signature: String? = nil
    ) -> XcodeLaunchOutcome {
        var outcome = XcodeLaunchOutcome(end: .child(.exited(status)), results: results)
        outcome.running = running
        outcome.signature = signature.flatMap { FailureSignature.met(by: $0) }
        return outcome
    }

    private func step(
        _ outcome: XcodeLaunchOutcome,
        _ policy: inout RunPolicy
    ) -> (step: NextStep, endings: [String: String]) {
        var results: [TestID: TestResult] = [:]
        let step = policy.take(outcome, of: [a, b], results: &results)
        return (
            step,
            Dictionary(results.map { ($0.key.text, $0.value.ending.word) }) { first, _ in first }
        )
    }

    @Test(
        "no status decides anything where every test has a result",
        arguments: [0, 65, 70, 1] as [Int32]
    )
    func status(_ status: Int32) {
        var policy = RunPolicy(testSeconds: 60)
        let all = result(a).merging(result(b)) { $1 }
        #expect(step(outcome(status, all), &policy).step == .done)
    }

    @Test("no status is success where a test has no result", arguments: [0, 65, 70] as [Int32])
    func nothingRan(_ status: Int32) {
        var policy = RunPolicy(testSeconds: 60)
        #expect(step(outcome(status), &policy).step == .again(.reboot))
        guard case .fail(let error) = step(outcome(status), &policy).step else {
            Issue.record("it goes on")
            return
        }
        #expect(error.code == "tests-never-ran")
    }

    @Test("a failure outside of any test fails the last test, unless something is red already")
    func outside() {
        let all = result(a).merging(result(b)) { $1 }
        func endings(_ status: Int32, _ all: [TestID: TestResult], _ words: String) -> [String:
            String]
        {
            var outcome = outcome(status, all)
            outcome.outsideTests = [words]
            var policy = RunPolicy(testSeconds: 60)
            let (next, endings) = step(outcome, &policy)
            #expect(next == .done)
            return endings
        }
        let words = "tearDown of the bundle: XCTAssertEqual failed"
        #expect(endings(65, all, words) == [a.text: "passed", b.text: "failed"])
        #expect(endings(0, all, words) == [a.text: "passed", b.text: "passed"])
        // Messages of the machine are ignored if every test has its result.
        let machine = "Simulator device failed to launch com.example.app"
        #expect(FailureSignature.met(by: machine) != nil)
        #expect(endings(65, all, machine) == [a.text: "passed", b.text: "passed"])
        let red = result(a, .failed("x")).merging(result(b)) { $1 }
        #expect(endings(65, red, words) == [a.text: "failed", b.text: "passed"])
    }

    @Test("an assertion is never infrastructure, whatever it quotes")
    func assertion() {
        for text in ["XCTAssertEqual failed: server died", "failed - Mach error -308"] {
            var policy = RunPolicy(testSeconds: 60)
            let all = result(a, .failed(text)).merging(result(b)) { $1 }
            let (next, endings) = step(outcome(65, all, signature: "server died"), &policy)
            #expect(next == .done)
            #expect(endings[a.text] == "failed")
        }
    }

    @Test("a failure in the machine's own words runs again as often as its row allows, then counts")
    func infrastructureFailure() {
        var policy = RunPolicy(testSeconds: 60)
        let text = "UI Testing Failure - App accessibility isn't loaded"
        let all = result(a, .failed(text)).merging(result(b)) { $1 }
        let first = step(outcome(65, all), &policy)
        #expect(first.step == .again(.relaunch))
        #expect(first.endings == [b.text: "passed"])
        let second = step(outcome(65, all), &policy)
        #expect(second.step == .done)
        #expect(second.endings[a.text] == "failed")
    }

    @Test("a test that ran when its process left without a word is to blame")
    func crashed() {
        var policy = RunPolicy(testSeconds: 60)
        let (next, endings) = step(outcome(65, result(a), running: [b]), &policy)
        #expect(next == .again(.relaunch) || next == .done)
        #expect(endings == [a.text: "passed", b.text: "test-crashed"])
    }

    @Test("of tests that ran side by side nobody is blamed: they run again in halves")
    func sideBySide() {
        var policy = RunPolicy(testSeconds: 60)
        let (next, endings) = step(outcome(65, running: [a, b]), &policy)
        #expect(next == .again(.relaunch))
        #expect(endings.isEmpty)
        #expect(policy.apart == [[a], [b]])
    }

    @Test("the one that hangs among many is found in few launches, and the others run")
    func halves() {
        let tests = (1...64).map { TestID("T/S/f\($0)()") }
        let bad = tests[37]
        var policy = RunPolicy(testSeconds: 60)
        var (left, launches) = (tests, 0)
        while !left.isEmpty, launches < 30 {
            launches += 1
            let group = policy.next(of: left)
            let hangs = group.contains(bad)
            var outcome = outcome(0, hangs ? [:] : group.reduce(into: [:]) { $0[$1] = .pass($1) })
            outcome.running = hangs ? group : []
            if hangs { outcome.end = .overdue(group) }
            var results: [TestID: TestResult] = [:]
            _ = policy.take(outcome, of: group, results: &results)
            for (test, result) in results { #expect(result.ending.isGood == (test != bad)) }
            left.removeAll { results[$0] != nil }
        }
        #expect(left.isEmpty)
        #expect(launches == 13)
    }

    @Test("a lost launch blames its test the second time")
    func suspects() {
        var policy = RunPolicy(testSeconds: 60)
        let lost = outcome(65, running: [b], signature: "Lost connection to testmanagerd")
        #expect(step(lost, &policy).endings.isEmpty)
        #expect(step(lost, &policy).endings == [b.text: "test-crashed"])
    }

    @Test("a test beyond its time is to blame, and what Xcode left is rebooted away")
    func overdue() {
        var policy = RunPolicy(testSeconds: 60)
        var over = outcome(0, result(a), running: [b])
        over.end = .overdue([b])
        let (next, endings) = step(over, &policy)
        #expect(next == .again(.reboot))
        #expect(endings[b.text] == "test-timed-out")
    }

    @Test("a launch that starts no test is repeated twice after a reboot, then it is the machine")
    func noStart() {
        var policy = RunPolicy(testSeconds: 60)
        var silent = outcome()
        silent.end = .noStart
        #expect(step(silent, &policy).step == .again(.reboot))
        #expect(step(silent, &policy).step == .again(.reboot))
        guard case .fail(let error) = step(silent, &policy).step else {
            Issue.record("it goes on")
            return
        }
        #expect(error == .infrastructure(.noStart, launches: 3))
    }

    @Test("the shard's end is its end")
    func shardOver() {
        var policy = RunPolicy(testSeconds: 60)
        var over = outcome(0, result(a), running: [b])
        over.end = .shardOver
        #expect(step(over, &policy).step == .timeOver(running: [b]))
    }

    // MARK: the table

    struct Row: Sendable {
        var line: String
        var action: RecoveryAction
        var limit: Int
    }

    private static let rows: [Row] = [
        Row(line: "iPhoneSimulator: Timed out waiting 120 seconds", action: .relaunch, limit: 1),
        Row(line: "No space left on device", action: .relaunch, limit: 1),
        Row(
            line:
                "Early unexpected exit, operation never finished bootstrapping - no restart will be",
            action: .relaunch,
            limit: 1
        ),
        Row(
            line:
                "Early unexpected exit, operation never finished bootstrapping. (Crash: App (12): a())",
            action: .relaunchCrashed,
            limit: 1
        ),
        Row(
            line: "App encountered an error (Test crashed with signal abrt before establishing "
                + "connection.)",
            action: .relaunchCrashed,
            limit: 1
        ),
        Row(
            line: "The test runner crashed while preparing to run tests: App at a()",
            action: .relaunchCrashed,
            limit: 1
        ),
        Row(
            line: "Test runner never began executing tests after launching.",
            action: .relaunch,
            limit: 1
        ),
        Row(line: "Test runner exited before starting test execution", action: .relaunch, limit: 1),
        Row(line: "Test runner failed to initialize for UI testing", action: .relaunch, limit: 1),
        Row(
            line:
                "Error Domain=IDETestOperationsObserverErrorDomain Code=12 \"Failed to background test runner.\"",
            action: .reboot,
            limit: 2
        ),
        Row(
            line:
                "The request to open \"a\" failed. The request was denied by service delegate (SBMainWorkspace)",
            action: .remake,
            limit: 2
        ),
        Row(line: "Application \"a\" is unknown to FrontBoard.", action: .remake, limit: 2),
        Row(line: "Failed to initiate service connection to simulator", action: .remake, limit: 2),
        Row(line: "Failed to install or launch the test runner", action: .erase, limit: 2),
        Row(line: "Simulator device failed to launch a", action: .erase, limit: 2),
        Row(line: "Mach error -308 - (ipc/mig) server died", action: .erase, limit: 2),
        Row(line: "timed out while preparing to run tests", action: .erase, limit: 2),
        Row(line: "CoreSimulatorService connection became invalid.", action: .stagger, limit: 3),
        Row(line: "CoreSimulatorService connection interrupted.", action: .stagger, limit: 3),
        Row(line: "Lost connection to testmanagerd", action: .relaunch, limit: 3),
        Row(line: "Lost connection to DTServiceHub", action: .relaunch, limit: 3),
        Row(line: "DTXProxyChannel error 1", action: .relaunch, limit: 3),
        Row(line: "Lost connection to test manager service", action: .relaunch, limit: 3),
        Row(
            line:
                "xcodebuild: error: Unable to find a device matching the provided destination specifier:",
            action: .awaitDevice,
            limit: 2
        ),
        Row(
            line:
                "xcodebuild: error: Unable to find a destination matching the provided destination specifier:",
            action: .awaitDevice,
            limit: 2
        ),
        Row(
            line:
                "App encountered an error (Failed to establish communication with the test runner. (Underlying",
            action: .reboot,
            limit: 2
        ),
        Row(
            line:
                "Runner encountered an error (The test runner hung before establishing connection.)",
            action: .reboot,
            limit: 2
        ),
        Row(
            line:
                "Failed to prepare device 'iPhone 15' for impending launch. (Unable to boot the Simulator. launchd failed to respond.",
            action: .remake,
            limit: 2
        ),
        Row(
            line:
                "Run test suite A encountered an error (Exceeded max restart count of 2. (Crash: App (65214) A.three()))",
            action: .relaunch,
            limit: 3
        ),
        Row(
            line: "Restarting after unexpected exit, crash, or test timeout in -[A b]",
            action: .blame,
            limit: 0
        ),
        Row(
            line: "The bundle is damaged or missing necessary resources.",
            action: .giveUp,
            limit: 0
        ),
        Row(line: "could not be installed (0xe8008012)", action: .giveUp, limit: 0),
    ]

    @Test("every row of the table has its action and its limit", arguments: rows)
    func table(_ row: Row) throws {
        let signature = try #require(FailureSignature.met(by: row.line))
        #expect(signature.action == row.action)
        #expect(signature.limit == row.limit)
        var budget = RecoveryBudget()
        let allowed = (0...row.limit).map { _ in budget.allows(signature) }
        #expect(allowed == Array(repeating: true, count: row.limit) + [false])
    }

    @Test("launches that bring nothing are few, whichever rows they meet")
    func inARow() throws {
        var budget = RecoveryBudget()
        let rows = FailureSignature.table.filter { $0.limit > 0 }
        let allowed = rows.filter { budget.allows($0) }
        #expect(allowed.count == RecoveryBudget.launchesInARowMax)
        budget.noteProgress()
        let fresh = try #require(rows.last)
        let again = budget.allows(fresh)
        #expect(again)
    }

    @Test(
        "what tests usually print is no row",
        arguments: ["passed", "Test Suite 'A' started at", ""]
    )
    func ordinary(_ line: String) {
        #expect(FailureSignature.met(by: line) == nil)
    }
}
