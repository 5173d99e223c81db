import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

@Suite("Runs by pages")
struct RunListTests {
    private static func run(_ number: Int) -> NewRun {
        var facts = RunFacts.unknown(RunID("r\(number)"))
        facts.pipeline = ["wallet", "shop"][number % 2]
        facts.branch = ["main", "a'b", "支店"][number % 3]
        facts.planDigest = "\(number)"
        let job = Job(
            name: JobName("unit"),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            cells: [Cell(id: CellID("host"), device: nil, variant: [])]
        )
        let plan = Plan(
            pipeline: facts.pipeline,
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [PlannedJob(job: job, tests: [TestID("t")], prepared: [:])],
            workTree: "/"
        )
        return NewRun(key: "\(number)", facts: facts, plan: plan, costs: nil, priority: 0)
    }

    @Test("page after page shows every run once, the newest first, also those of one moment")
    func pages() async throws {
        let folder = try TemporaryFolder("list")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        for number in 0..<23 {
            // Four runs begin at the same moment.
            _ = try await ledger.openRun(Self.run(number), now: Int64(1_000 + number / 4))
        }
        for (pipeline, branch, count) in [
            (nil, nil, 23), ("wallet", nil, 12), (nil, "a'b", 8), ("shop", "支店", 3),
            ("other", nil, 0),
        ] as [(String?, String?, Int)] {
            var seen: [RunRow] = []
            var place: RunQuery.Place?
            while true {
                let page = try await ledger.runs(
                    RunQuery(limit: 5, before: place, pipeline: pipeline, branch: branch)
                )
                guard let last = page.last else { break }
                seen += page
                place = RunQuery.Place(started: last.started, id: last.id)
            }
            #expect(seen.count == count && Set(seen.map(\.id)).count == count)
            let order = seen.sorted { ($0.started, $0.id.text) > ($1.started, $1.id.text) }
            #expect(seen.map(\.id) == order.map(\.id))
            #expect(seen.allSatisfy { pipeline == nil || $0.facts.pipeline == pipeline })
            #expect(seen.allSatisfy { branch == nil || $0.facts.branch == branch })
        }
        let whole = try await ledger.runs(limit: 100)
        #expect(whole.count == 23 && whole.allSatisfy { $0.planned == 1 })
        try ledger.close()
    }
}
