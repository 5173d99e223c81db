// Tests that a run judged again has its own verdicts under its own rules, and others only where a
// rule or a reference is another.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("A run judged again")
struct RejudgementTests {
    private static let runs = 500

    /// Returns a random run that compared, with the references that its reports name.
    func run(_ random: inout SeededGenerator) throws -> RunEvidence {
        while true {
            var evidence = try RandomRun.evidence(&random)
            guard evidence.plan.mode == .verify else { continue }
            for report in evidence.tests.flatMap(\.attempts).compactMap(\.report) {
                for capture in report.pictures.captures {
                    guard let object = capture.reference else { continue }
                    let id = capture.capture.id
                    var known = evidence.references[id.cell] ?? CellReferences()
                    guard !known.references.contains(where: { $0.id == id }) else { continue }
                    known.references.append(Reference(id: id, objectID: object))
                    evidence.references[id.cell] = known
                }
            }
            // A picture with a reference has it in each of its attempts; a test case that needs
            // another attempt never ran.
            evidence = withReferences(evidence)
            for index in evidence.tests.indices where evidence.tests[index].verdict == nil {
                evidence.tests[index].attempts = []
            }
            return evidence
        }
    }

    /// Returns the evidence of a run whose pictures were compared with the evidence's references.
    func withReferences(_ evidence: RunEvidence) -> RunEvidence {
        var evidence = evidence
        let known = evidence.references.mapValues(ExpectedReferences.init)
        let jobs = Dictionary(
            uniqueKeysWithValues: evidence.plan.jobs.map { ($0.job.name, $0.job) }
        )
        for test in evidence.tests.indices {
            let key = evidence.tests[test].key
            guard let job = jobs[key.job], job.kind == .snapshot, job.judge == .farm else {
                continue
            }
            for attempt in evidence.tests[test].attempts.indices {
                let outcome = evidence.tests[test].attempts[attempt].outcome
                guard case .reported(var report) = outcome else { continue }
                for place in report.pictures.captures.indices {
                    let capture = report.pictures.captures[place]
                    guard capture.problem == nil else { continue }
                    let object = known[key.cell]?.own[capture.capture.id]
                    report.pictures.captures[place].reference = object
                    report.pictures.captures[place].comparison = object.map {
                        compared($0, capture.capture)
                    }
                }
                evidence.tests[test].attempts[attempt].outcome = .reported(report)
            }
            guard !evidence.tests[test].attempts.isEmpty else { continue }
            let step = AttemptRules.step(
                after: evidence.tests[test].attempts,
                job: job,
                mode: .verify,
                context: AttemptContext(mayRetry: false)
            )
            guard case .final(let verdict, let note) = step else {
                evidence.tests[test].verdict = nil
                continue
            }
            evidence.tests[test].verdict = verdict
            evidence.tests[test].note = note
        }
        return evidence
    }

    private func compared(_ reference: ObjectID, _ capture: Capture) -> Comparison {
        guard reference != capture.objectID else { return .identicalBytes }
        let size = PixelSize(width: 2, height: 2)
        return .different(
            PixelDifference(
                reference: size,
                capture: size,
                differing: 1,
                counted: 1,
                largestDelta: 9,
                clusters: []
            )
        )
    }

    private func again(
        _ evidence: RunEvidence,
        by plan: Plan,
        _ references: [CellID: CellReferences]
    ) -> RunEvidence {
        let again = Rejudgement(evidence, by: plan, references: references)
        return again.evidence(
            with: again.pairs.map { pair in
                .compared(pair.expected.map { compared($0, pair.capture) }, diff: nil)
            }
        )
    }

    @Test("by its own rules compares nothing and is the same, in 500 random runs")
    func same() throws {
        var random = SeededGenerator.announced("RejudgementTests.same")
        for number in 0..<Self.runs {
            let evidence = try run(&random)
            let again = Rejudgement(evidence, by: evidence.plan, references: evidence.references)
            #expect(again.pairs.isEmpty, "run \(number)")
            let judged = RunJudge.judge(again.evidence(with: []))
            #expect(judged == RunJudge.judge(evidence), "run \(number)")
        }
    }

    @Test("over other references is as if it had run over them, in 500 random runs")
    func moved() throws {
        var random = SeededGenerator.announced("RejudgementTests.moved")
        var differences = 0
        for number in 0..<Self.runs {
            let evidence = try run(&random)
            var other = evidence
            for test in evidence.tests {
                for capture in test.report?.pictures.captures ?? []
                where Bool.random(using: &random) {
                    let id = capture.capture.id
                    other.references[id.cell, default: CellReferences()].references
                        .removeAll { $0.id == id }
                    guard Int.random(in: 0..<4, using: &random) > 0 else { continue }
                    other.references[id.cell, default: CellReferences()].references
                        .append(Reference(id: id, objectID: capture.capture.objectID))
                }
            }
            let ran = withReferences(other)
            let judged = again(evidence, by: evidence.plan, other.references)
            let expected = RunJudge.judge(ran).summary
            let found = RunJudge.judge(judged).summary
            #expect(found.counts == expected.counts, "run \(number)")
            #expect(found.snapshots == expected.snapshots, "run \(number)")
            #expect(found.state == expected.state, "run \(number)")
            if found.counts != RunJudge.judge(evidence).summary.counts { differences += 1 }
            guard found.counts == expected.counts else { return }
        }
        // Otherwise no reference mattered.
        #expect(differences > Self.runs / 10, "\(differences)")
    }

    @Test("gives no verdict where the picture is not kept, and says how many tests that are")
    func unavailable() throws {
        var random = SeededGenerator.announced("RejudgementTests.unavailable")
        var found = 0
        for _ in 0..<Self.runs {
            let evidence = try run(&random)
            let again = Rejudgement(evidence, by: evidence.plan, references: [:])
            let judged = again.evidence(with: again.pairs.map { _ in .unavailable })
            let tests = Set(again.pairs.map(\.place.test))
            guard !tests.isEmpty else { continue }
            found += 1
            #expect(tests.allSatisfy { judged.tests[$0].verdict == nil })
            #expect(
                RunJudge.judge(judged).summary.state == .incomplete,
                "\(RunJudge.judge(judged).summary.state)"
            )
            let decided = tests.count { evidence.tests[$0].verdict != nil }
            let note = judged.incidents.first { $0.code == "judge-needs-run" }
            #expect(decided == 0 || note?.message.hasPrefix("\(decided) test") == true)
        }
        #expect(found > Self.runs / 10)
    }
}
