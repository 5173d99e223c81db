import FarmCore
import FarmTesting
import Testing

@testable import FarmRun

@Suite("What a commit would show that changes only the pin")
struct PinChangeRulesTests {
    /// A run that compared `A/S/changed` and `A/S/gone` and captured `A/S/new`; all are red.
    private struct Scene {
        var summary = SampleRun.summary(
            pictures: ["A/S/changed", "A/S/new", "A/S/gone", "A/S/fine"],
            tests: []
        )
        var base: [String: String] = ["changed": "old", "gone": "gone", "fine": "fine"]
        var now: [String: String] = ["changed": "blue", "new": "new", "fine": "fine"]
        var made: [String: String] = ["changed": "blue", "new": "new"]

        init() {
            for (index, verdict) in [Verdict.changed, .new, .missing, .passed].enumerated() {
                summary.snapshots[index].verdict = verdict
                summary.snapshots[index].isRed = verdict == .passed ? nil : true
            }
        }

        var proof: PinChangeProof {
            get throws {
                func objects(_ texts: [String: String]) throws -> [SnapshotID: ObjectID] {
                    var objects: [SnapshotID: ObjectID] = [:]
                    for (name, text) in texts {
                        let id = try SnapshotID(cell: CellID("A"), suite: "S", name: name)
                        objects[id] = ObjectID(ofBlob: Array(text.utf8))
                    }
                    return objects
                }
                let made = try objects(made)
                return PinChangeRules.proof(
                    of: summary,
                    base: try objects(base),
                    now: try objects(now),
                    made: { made[$0] }
                )
            }
        }
    }

    private static func test(_ verdict: Verdict?) -> TestSummary {
        var test = TestSummary(
            job: "job",
            cell: "A",
            test: "T/t",
            verdict: verdict,
            attempts: 1,
            seconds: 1
        )
        test.isRed = verdict == .passed ? nil : true
        return test
    }

    @Test("green where every picture that was not as expected equals its reference now")
    func green() throws {
        var scene = Scene()
        scene.summary.tests = [Self.test(.changed), Self.test(.passed)]
        #expect(try scene.proof == .green(pictures: 3))
    }

    @Test("red while one picture was left, or a test failed for a reason of its own")
    func red() throws {
        var left = Scene()
        left.now["changed"] = "old"
        #expect(try left.proof == .red(pictures: 1, tests: 0))
        var kept = Scene()
        kept.now["gone"] = "gone"
        kept.now["new"] = nil
        #expect(try kept.proof == .red(pictures: 2, tests: 0))
        for verdict in [Verdict.failed, .errored, .flaky, .unreached] {
            var failing = Scene()
            failing.summary.tests = [Self.test(verdict)]
            #expect(try failing.proof == .red(pictures: 0, tests: 1))
        }
        var unstable = Scene()
        unstable.summary.snapshots[0].verdict = .flaky
        #expect(try unstable.proof == .red(pictures: 1, tests: 0))
    }

    @Test("what does not make a run red does not make the commit red")
    func excused() throws {
        var scene = Scene()
        scene.now["new"] = nil
        scene.summary.snapshots[1].isRed = false
        var excused = Self.test(.failed)
        excused.isRed = false
        scene.summary.tests = [excused]
        #expect(try scene.proof == .green(pictures: 2))
    }

    @Test("open where another reference moved, the run is not whole, or was red otherwise")
    func open() throws {
        func expectOpen(_ change: (inout Scene) -> Void, _ what: String) throws {
            var scene = Scene()
            change(&scene)
            guard case .open = try scene.proof else {
                Issue.record("\(what): \(try scene.proof)")
                return
            }
        }
        try expectOpen({ $0.now["fine"] = "somebody's" }, "another picture")
        try expectOpen({ $0.now["extra"] = "somebody's" }, "a reference nobody made")
        try expectOpen({ $0.now["changed"] = "another blue" }, "another capture")
        try expectOpen({ $0.summary.state = .incomplete }, "incomplete")
        try expectOpen({ $0.summary.run.shard = "1/4" }, "a shard")
        try expectOpen({ $0.summary.run.mode = .record }, "a record")
        try expectOpen({ $0.summary.cells[0].complete = false }, "an open cell")
        try expectOpen({ $0.summary.counts.withoutVerdict = 1 }, "without verdict")
        try expectOpen({ $0.summary.snapshots = [] }, "red for nothing that is shown")
    }
}
