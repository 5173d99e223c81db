import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("unused references")
struct UnusedTests {
    private func manifest(
        _ run: Int,
        complete: Bool = true,
        unfiltered: Bool = true,
        _ names: [String: Set<String>]
    ) -> NameManifest {
        NameManifest(
            runKey: "run \(run)",
            finished: Date(timeIntervalSince1970: Double(run)),
            complete: complete,
            unfiltered: unfiltered,
            names: Dictionary(uniqueKeysWithValues: names.map { (CellID($0.key), $0.value) })
        )
    }

    private func unused(_ manifests: [NameManifest], runs: Int = 2) throws -> UnusedDecision {
        let references = [
            CellID("a"): [try id("a", "S/kept"), try id("a", "S/gone")],
            CellID("b"): [try id("b", "S/gone")],
        ]
        return UnusedRules.decide(references: references, manifests: manifests, runs: runs)
    }

    @Test("are those that none of a cell's newest complete, unfiltered runs made")
    func decided() throws {
        let full = ["a": Set(["S/kept"]), "b": Set(["S/gone"])]
        let decision = try unused([
            manifest(1, ["a": ["S/gone"]]), manifest(2, full), manifest(3, full),
        ])
        #expect(decision.unused == [try id("a", "S/gone")])
        #expect(decision.runKeys == ["run 3", "run 2"])
        #expect(decision.unproven.isEmpty)
    }

    @Test("are none where the proof is short: too few runs, partial or filtered ones, or a repeat")
    func unproven() throws {
        let names = ["a": Set(["S/kept"]), "b": Set()]
        let proofs: [[NameManifest]] = [
            [], [manifest(1, names)], [manifest(1, names), manifest(1, names)],
            [manifest(1, names), manifest(2, complete: false, names)],
            [manifest(1, names), manifest(2, unfiltered: false, names)],
        ]
        for proof in proofs {
            let decision = try unused(proof)
            #expect(decision.unused.isEmpty)
            #expect(decision.unproven[CellID("a")] == min(proof.count, 1))
            // A run that made no picture of a cell proves nothing about the cell.
            #expect(decision.unproven[CellID("b")] == 0)
        }
        let decision = try unused([manifest(1, names), manifest(2, ["a": ["S/kept", "S/gone"]])])
        #expect(decision.unused.isEmpty)
    }

    @Test("leave the next set as a complete record would have, and stay in the old one")
    func removed() throws {
        let fixture = try StoreFixture()
        let record = SuiteRecord(
            job: JobName("j"),
            renderer: ["chrome": "1"],
            tests: ["S/kept": TestID("t1"), "S/gone": TestID("t2")]
        )
        let all = try fixture.record([
            try fixture.recording(
                "a",
                ["S/kept": "1", "S/gone": "2", "T/gone": "3", "U/x/y": "4"],
                suites: ["S": record]
            )
        ])
        var less = record
        less.tests["S/gone"] = nil
        let expected = try fixture.record([
            try fixture.recording("a", ["S/kept": "1", "U/x/y": "4"], suites: ["S": less])
        ])
        let names: [String: Set<String>] = ["a": ["S/kept", "U/x/y"]]
        let plan = try fixture.store.unusedPlan(
            of: all.pin,
            manifests: [manifest(1, names), manifest(2, names)],
            runs: 2
        )
        #expect(plan.decision.unused == [try id("a", "S/gone"), try id("a", "T/gone")])
        #expect(plan.text.contains("2 of 4 references unused; proven by run 2, run 1"))
        let next = try fixture.store.removeUnused(plan, from: all.pin)
        #expect(next.pin == expected.pin)
        #expect(next.set == expected.set)
        #expect(try fixture.store.references(all.pin, cell: CellID("a")).count == 4)
        #expect(throws: PruneError.self) { try fixture.store.removeUnused(plan, from: next.pin) }
        #expect(try fixture.faults() == [])
    }
}
