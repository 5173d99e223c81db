// Tests that the framework's missing references get the farm's own words for a picture without a
// reference: new, with the cause first and the remedy last.
import FarmCore
import Foundation
import Testing

@Suite("A framework that has no reference")
struct WithoutReferenceTests {
    private struct RunsAgain: Error {}

    private static let text = "No reference was found on disk.\nMake it."

    private func report(_ differences: [DifferenceReport] = []) -> TestReport {
        TestReport(
            test: TestID("t"),
            ending: .new(Self.text),
            seconds: 1,
            pictures: PictureReports(differences: differences)
        )
    }

    private func difference(_ reference: String?) throws -> DifferenceReport {
        DifferenceReport(
            id: try EvidenceBuilder.id("t"),
            reference: reference.map { Digest(of: Data($0.utf8)) },
            failed: Digest(of: Data("failed".utf8)),
            diff: nil,
            comparison: nil
        )
    }

    private func judge(_ report: TestReport, new: Leniency = .fail) throws -> RunSummary {
        var builder = EvidenceBuilder()
        builder.job.judge = .framework
        builder.job.new = new
        let attempt = Attempt(worker: WorkerID("w"), outcome: .reported(report))
        let step = AttemptRules.step(after: [attempt], job: builder.job, mode: .verify)
        guard case .final(let verdict, let note) = step else {
            throw RunsAgain()
        }
        let key = TestKey(job: builder.job.name, cell: CellID("c"), test: report.test)
        builder.tests = [
            TestEvidence(key: key, verdict: verdict, note: note, attempts: [attempt])
        ]
        return RunJudge.judge(builder.evidence).summary
    }

    @Test("makes the test new, red, and said with the cause first and what to do last")
    func new() throws {
        let summary = try judge(report())
        #expect(summary.state == .failed && summary.exitCode == ExitCode.differences.rawValue)
        #expect(summary.counts.new == 1 && summary.counts.planned == 1)
        let test = try #require(summary.tests.first)
        #expect(test.verdict == .new && test.isRed == true)
        #expect(test.message == "no reference yet.\n\(Self.text)")
        let causes = TestCauses(summary, titles: RunTitles(summary))
        #expect(causes.cause(of: test) == "no reference yet.")
        let lines = causes.lines(of: test) { $0.id }
        #expect(lines.first == "no reference yet." && lines.last == "Make it.")
    }

    @Test("makes nothing red where the job accepts new pictures")
    func accepted() throws {
        let summary = try judge(report(), new: .accept)
        #expect(summary.state == .passed && summary.counts.new == 1)
    }

    @Test("and leaves what it took shows a new picture, which was compared with nothing")
    func picture() throws {
        let summary = try judge(report([try difference(nil)]))
        let picture = try #require(summary.snapshots.first)
        #expect(picture.verdict == .new && picture.words == "no reference yet.")
        #expect(picture.capture == Digest(of: Data("failed".utf8)).description)
        #expect(summary.comparisons.total == 0)
        let test = try #require(summary.tests.first)
        let causes = TestCauses(summary, titles: RunTitles(summary))
        let lines = causes.lines(of: test) { $0.id }
        #expect(lines.count { $0.hasPrefix("no reference yet.") } == 1, "\(lines)")
        #expect(lines.last == "Make it.")
    }

    @Test("but left a reference beside a picture is taken at its pictures: changed")
    func referenceBeside() throws {
        let summary = try judge(report([try difference("reference")]))
        #expect(summary.tests.map(\.verdict) == [.changed])
        #expect(summary.snapshots.map(\.verdict) == [.changed])
    }

    @Test("in one attempt and not in the next is new, never flaky")
    func retried() {
        let job = Job(
            name: JobName("snap"),
            kind: .snapshot,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            judge: .framework,
            retries: 1
        )
        let passed = TestReport(test: TestID("t"), ending: .passed, seconds: 1)
        let attempts = [report(), passed].map {
            Attempt(worker: WorkerID("w"), outcome: .reported($0))
        }
        guard case .final(.new, _) = AttemptRules.step(after: attempts, job: job, mode: .verify)
        else {
            Issue.record("a pass hides a missing reference")
            return
        }
    }

    @Test("is excused where every picture of the test is under quarantine")
    func quarantined() throws {
        let entry = QuarantineEntry(snapshot: "c/S/t", until: "2026-12-31", reason: "known")
        let quarantine = Quarantine([entry], startedAt: 0)
        let job = Job(
            name: JobName("snap"),
            kind: .snapshot,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            judge: .framework
        )
        let key = TestKey(job: job.name, cell: CellID("c"), test: TestID("t"))
        let own = report([try difference(nil)])
        #expect(quarantine.excuse(key, report: own, job: job, mode: .verify) == entry)
        // Without the picture it is unknown whether it is excused.
        #expect(quarantine.excuse(key, report: report(), job: job, mode: .verify) == nil)
    }
}
