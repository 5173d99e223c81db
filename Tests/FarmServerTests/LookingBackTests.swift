import FarmAPI
import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Testing

@Suite("What a coordinator knows of the run before")
struct LookingBackTests {
    private static func facts(_ id: String, branch: String = "main", commit: String) -> RunFacts {
        var facts = EndingBench.facts(id)
        facts.pipeline = "p"
        facts.branch = branch
        facts.commit = commit
        return facts
    }

    /// Returns a coordinator after a run `m` of the test `t` on the branch main.
    private static func bench() async throws -> EndingBench {
        let bench = try EndingBench()
        let request = SubmitRequest(
            key: "m",
            facts: facts("m", commit: "c1"),
            plan: EndingBench.plan("p")
        )
        _ = try await bench.coordinator.submit(request)
        try await bench.work("w")
        return bench
    }

    /// Returns a plan that lacks the test.
    private static func plan(_ lost: LostTests? = nil) -> Plan {
        var plan = EndingBench.plan("p")
        plan.jobs[0].tests = [TestID("u")]
        plan.lost = lost
        return plan
    }

    private static let found = LostTests(run: "m", tests: ["snap": [TestID("t")]])

    @Test("of all machines its newest run counts, of one only the run of the same commit")
    func scopes() async throws {
        let bench = try await Self.bench()
        func lost(_ commit: String, _ scope: LedgerScope, branch: String = "main") async throws
            -> LostTests?
        {
            let facts = Self.facts("next", branch: branch, commit: commit)
            return try await bench.coordinator.lost(from: Self.plan(), facts, scope)
        }
        #expect(try await lost("c2", .allMachines) == Self.found)
        #expect(try await lost("c1", .oneMachine) == Self.found)
        #expect(try await lost("c2", .oneMachine)?.other == "commit c1")
        #expect(try await lost("c1", .allMachines, branch: "dev") == nil)
    }

    @Test("a history of the branch counts unless all machines' ledger has a later run")
    func histories() async throws {
        let bench = try await Self.bench()
        let facts = Self.facts("next", commit: "c1")
        func run(_ lost: LostTests?, _ scope: LedgerScope) async throws -> String? {
            try await bench.coordinator.lost(from: Self.plan(lost), facts, scope)?.run
        }
        let (older, newer) = (LostTests(run: "a", tests: [:]), LostTests(run: "z", tests: [:]))
        #expect(try await run(older, .allMachines) == "m")
        #expect(try await run(newer, .allMachines) == "z")
        #expect(try await run(older, .oneMachine) == "a")
        let other = LostTests(run: "z", other: "branch old", tests: [:])
        #expect(try await run(other, .oneMachine) == "m")
    }

    @Test("a part and a record run look for nothing")
    func exempt() async throws {
        let bench = try await Self.bench()
        let facts = Self.facts("next", commit: "c1")
        var part = Self.plan(Self.found)
        part.filtered = true
        var record = Self.plan(Self.found)
        record.mode = .record
        for plan in [part, record] {
            #expect(try await bench.coordinator.lost(from: plan, facts, .allMachines) == nil)
        }
    }

    @Test("the clean runs of all machines' ledger replace those of a history, of one do not")
    func cleanRuns() async throws {
        let bench = try EndingBench()
        let entry = QuarantineEntry(test: "t", until: "2999-12-31", reason: "r", cleanRuns: 5)
        var plan = EndingBench.plan("p")
        plan.rules = RunRules(quarantine: [entry])
        plan.cleanRuns = [entry.key: 2, "gone": 1]
        func counts(_ scope: LedgerScope) async throws -> [String: Int]? {
            try await bench.coordinator.cleanRuns(before: plan, scope)
        }
        #expect(try await counts(.allMachines) == [entry.key: 2])
        var first = plan
        first.cleanRuns = nil
        _ = try await bench.coordinator.submit(
            SubmitRequest(key: "m", facts: Self.facts("m", commit: "c1"), plan: first)
        )
        try await bench.work("w")
        #expect(try await counts(.allMachines) == [entry.key: 1])
        #expect(try await counts(.oneMachine) == [entry.key: 2])
        plan.cleanRuns = nil
        #expect(try await counts(.oneMachine) == [entry.key: 1])
        plan.rules = nil
        #expect(try await counts(.allMachines) == nil)
    }
}
