// The expected verdict of a test case, from acknowledged reports and the test's behaviour. It is
// written independently of AttemptRules, so that a mistake there is not repeated here.
import FarmCore

/// Judges one test case at the end of a simulation.
struct ExpectedVerdict {
    let key: CaseKey
    let behaviour: TestBehaviour
    let mode: RunMode
    let accepted: [Witness.AcceptedReport]
    let evidence: TestEvidence

    private var lost: Int { evidence.attempts.count { $0.outcome == .workerLost } }
    /// A pass in a record run may be confirmed once beyond the limit.
    private var attemptsMax: Int { FarmLimits.attemptsMax + (mode == .record ? 1 : 0) }

    func check() throws {
        guard let verdict = evidence.verdict else { throw BrokenPromise("\(key) has no verdict") }
        let kept = evidence.attempts.compactMap(\.report)
        let pictures = { (reports: [TestReport]) in reports.map(\.pictures) }
        guard pictures(kept) == pictures(accepted.map(\.report)) else {
            throw BrokenPromise("\(key): its accepted reports have lost pictures")
        }
        guard kept == accepted.map(\.report) else {
            throw BrokenPromise(
                "\(key): \(accepted.count) reports were acknowledged, \(kept.count) are kept"
            )
        }
        guard evidence.attempts.count <= attemptsMax else {
            throw BrokenPromise("\(key) has \(evidence.attempts.count) attempts")
        }
        guard verdict == expected else {
            throw BrokenPromise("\(key) (\(behaviour)) is \(verdict), expected \(expected)")
        }
        try checkSpurious(verdict)
    }

    private var expected: Verdict {
        let words = accepted.map { Self.word($0.report, mode) }
        if evidence.attempts.last?.outcome == .workerLost { return .errored }
        guard let last = words.last else { return .errored }
        if words.contains(.new) { return last == .passed || last == .new ? .new : last }
        if last == .passed, mode == .verify, words.contains(where: { $0 != .passed }) {
            return .flaky
        }
        return last
    }

    private static func word(_ report: TestReport, _ mode: RunMode) -> Verdict {
        if !report.ending.isGood { return .failed }
        guard mode == .verify else { return .passed }
        if report.pictures.captures.contains(where: { $0.reference == nil }) { return .new }
        let differs = report.pictures.captures.contains { $0.reference != $0.capture.objectID }
        return differs ? .changed : .passed
    }

    /// Checks that a good test is bad only because a sick worker ran it or its workers died.
    private func checkSpurious(_ verdict: Verdict) throws {
        guard behaviour.isGood, verdict != .passed else { return }
        if accepted.contains(where: { $0.report.ending == .failed("this worker is sick") }) {
            return
        }
        guard verdict == .errored, evidence.attempts.count >= FarmLimits.attemptsMax, lost > 0
        else { throw BrokenPromise("\(key) passes, but is \(verdict)") }
    }
}
