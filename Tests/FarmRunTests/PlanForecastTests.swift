import FarmCore
import FarmLedger
import Foundation
import Testing

@testable import FarmRun

@Suite("The forecast of a plan")
struct PlanForecastTests {
    private static let cells = ["A", "B"].map { Cell(id: CellID($0), device: nil, variant: []) }
    private static let plan = RunBench.plan(
        RunBench.job("unit", kind: .unit, cells: cells),
        tests: ["t0", "t1", "t2"]
    )

    private static func history() -> RunHistory {
        var rows: [TestSummary] = []
        for cell in cells {
            for (number, seconds) in [1.0, 2.0, 30.0].enumerated() {
                rows.append(
                    TestSummary(
                        job: "unit",
                        cell: cell.id.text,
                        test: "t\(number)",
                        verdict: .passed,
                        attempts: 1,
                        seconds: seconds
                    )
                )
            }
        }
        var counts = VerdictCounts()
        for row in rows { counts.add(row.verdict) }
        var history = RunHistory()
        history.add(
            RunSummary(
                run: RunBench.facts(),
                state: .passed,
                exitCode: 0,
                counts: counts,
                comparisons: ComparisonCounts(),
                cells: [],
                tests: rows,
                snapshots: [],
                artifacts: [],
                problems: []
            )
        )
        return history
    }

    private static func object(_ forecast: PlanForecast) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(try forecast.json().utf8))
        return try #require(json as? [String: Any])
    }

    @Test("what workers on demand would cost is said where the configuration knows it")
    func costs() {
        var launcher = LauncherSettings(
            name: "cluster",
            place: .local,
            offers: WorkerOffer(),
            max: 4
        )
        func text(_ history: RunHistory?) -> String {
            PlanForecast(Self.plan, workers: [2, 8], history: history, launchers: [launcher]).text()
        }
        #expect(!text(nil).contains("cost"))
        launcher.costPerHour = 36
        launcher.idleSeconds = 68
        #expect(text(nil).contains("cost: launcher cluster, 36.00 an hour for each worker"))
        let lines = text(Self.history()).split(separator: "\n").filter { $0.hasPrefix("cost: ") }
        // 33 s of tests on each of two cells.
        #expect(lines.first?.hasPrefix("cost: about 2.0") == true, "\(lines)")
        #expect(lines.last?.contains("for 4 workers") == true, "\(lines)")
    }

    @Test("without a history it counts the work and predicts nothing")
    func unknown() throws {
        let forecast = PlanForecast(Self.plan, workers: [2], history: nil)
        let text = forecast.text()
        #expect(text.contains("3 test cases × 2 cells"))
        #expect(text.contains("6 (test case × cell) in about"))
        #expect(text.contains("no history of how long tests take, so nothing is predicted"))
        #expect(text.hasSuffix("plan \(Self.plan.digest)\n"))
        let document = try Self.object(forecast)
        #expect(document["testCount"] as? Int == 6 && document["neverTimed"] as? Int == 6)
        #expect(document["predictions"] == nil && document["workers"] as? Int == 2)
    }

    @Test("a shard says whether it was cut by learned times", arguments: [true, false])
    func shard(isLearned: Bool) throws {
        let place = try #require(ShardPlace(index: 0, total: 2))
        let history = isLearned ? Self.history() : nil
        var plan = Self.plan
        plan.share = ShareRules.share(of: plan, at: place, history: history)
        let text = PlanForecast(plan, workers: [2], history: history).text()
        let way = isLearned ? "by learned times" : "as if all tests took equally long (no history)"
        #expect(text.contains("shard 1 of 2, cut \(way); all machines together run the plan.\n"))
    }

    @Test("an empty history is none")
    func empty() throws {
        let forecast = PlanForecast(Self.plan, workers: [2], history: RunHistory())
        #expect(try Self.object(forecast)["predictions"] == nil)
    }

    @Test(
        "with a history, more workers are done no later, and none before what no schedule can beat"
    )
    func predicted() throws {
        let forecast = PlanForecast(Self.plan, workers: [1, 2, 8], history: Self.history())
        let rows = try #require(try Self.object(forecast)["predictions"] as? [[String: Any]])
        #expect(rows.compactMap { $0["workers"] as? Int } == [1, 2, 8])
        let seconds = rows.compactMap { $0["seconds"] as? Double }
        #expect(seconds == seconds.sorted(by: >) && seconds.count == 3)
        let bounds = rows.compactMap { $0["lowerBoundSeconds"] as? Double }
        #expect(zip(seconds, bounds).allSatisfy { $0 >= $1 })
    }

    @Test("tests of the last complete run that the plan does not have are named as gone")
    func gone() throws {
        var smaller = RunBench.plan(
            RunBench.job("unit", kind: .unit, cells: Self.cells),
            tests: ["t0", "t1"]
        )
        smaller.lost = Self.history().lost(from: smaller, branch: "", set: "")
        let forecast = PlanForecast(smaller, workers: [1], history: Self.history())
        #expect(
            forecast.text().contains("unit: 1 test cases of the last complete run are gone: t2")
        )
    }
}
