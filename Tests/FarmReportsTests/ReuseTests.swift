// Tests that a run that inherits what is unchanged says what a run of all tests would say, also over
// other references.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("A run that inherits what is unchanged")
struct ReuseTests {
    private static let runs = 500

    /// Changes, removes and adds some references.
    private func change(_ evidence: inout RunEvidence, _ random: inout SeededGenerator) throws {
        func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
        for (cell, known) in evidence.references.sorted(by: { $0.key < $1.key }) {
            var known = known
            for index in known.references.indices.reversed() {
                let other = ObjectID(ofBlob: Data("new".utf8))
                if chance(10) { known.references[index].objectID = other }
                if chance(20) { known.references.remove(at: index) }
            }
            if chance(6), let test = evidence.tests.first(where: { $0.key.cell == cell }) {
                let id = try SnapshotID(cell: cell, suite: "Extra", name: "added")
                known.references.append(
                    Reference(id: id, objectID: ObjectID(ofBlob: Data("added".utf8)))
                )
                if chance(2) {
                    known.suites[id.firstFolder] = SuiteRecord(
                        job: test.key.job,
                        renderer: [:],
                        tests: chance(2) ? ["Extra/added": test.key.test] : [:]
                    )
                }
            }
            evidence.references[cell] = known
        }
    }

    @Test("says over other references what a run of all tests says, in 500 random runs")
    func union() throws {
        var random = SeededGenerator.announced("ReuseTests.union")
        var inherited = 0
        var turned = 0
        for number in 0..<Self.runs {
            var first = try RejudgementTests().run(&random)
            first.leases = []
            for job in first.plan.jobs.indices {
                first.plan.jobs[job].job.reuse = ReuseRule(samplePercent: 0)
            }
            let inputs = ReuseFacts.Inputs(digest: Digest(of: Data()), names: [])
            var facts = ReuseFacts(inputs: [:], references: first.references)
            for planned in first.plan.jobs { facts.inputs[planned.job.name] = inputs }
            var record = ReuseRecord()
            record.add(RunJudge.judge(first).summary, first, facts)

            var whole = first
            whole.facts.id = "run-2"
            if number % 3 > 0 { try change(&whole, &random) }
            whole = RejudgementTests().withReferences(whole)
            facts.references = whole.references
            var part = whole
            part.plan = whole.plan.reusing(record, facts, sampleMin: 0)
            let kept = Set(part.plan.inheritedKeys.map(\.key))
            part.tests.removeAll { kept.contains($0.key) }
            let expected = RunJudge.judge(whole).summary
            let found = RunJudge.judge(part).summary
            #expect(found.state == expected.state, "run \(number)")
            #expect(found.counts.inherited == kept.count, "run \(number)")
            for (row, other) in zip(found.tests, expected.tests) {
                #expect(row.test == other.test && row.cell == other.cell)
                if row.verdict == .inherited {
                    #expect(other.verdict == .passed && !other.skipped, "run \(number): \(other)")
                } else {
                    #expect(row.verdict == other.verdict, "run \(number): \(other)")
                }
            }
            let open = { (summary: RunSummary) in summary.openPictures.map(\.id) }
            #expect(open(found) == open(expected), "run \(number)")
            inherited += kept.count
            if expected.state != RunJudge.judge(first).summary.state { turned += 1 }
            guard found.state == expected.state, open(found) == open(expected) else { return }
        }
        // Otherwise the tests above say nothing.
        #expect(inherited > Self.runs && turned > Self.runs / 20, "\(inherited), \(turned)")
    }
}
