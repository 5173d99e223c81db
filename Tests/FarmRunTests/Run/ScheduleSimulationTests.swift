import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmLedger
@testable import FarmRun

/// A committed trace with one line for each cell: `job;cell;start;cost;cost;…` in microseconds.
///
/// `start` is the start of a worker that comes from another cell.
struct Trace {
    let name: String
    let cells: [ScheduleCell]

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Benchmarks/makespan").path

    /// Reads a trace; `launch` is the start of a worker that comes from the same cell.
    init(_ name: String, launch: Int = 0) throws {
        self.name = name
        let text = try String(contentsOfFile: "\(Self.folder)/\(name).csv", encoding: .utf8)
        cells = try text.split(separator: "\n").map { line in
            let fields = line.split(separator: ";")
            let numbers = fields.dropFirst(2).compactMap { Int($0) }
            try #require(numbers.count == fields.count - 2 && numbers.count > 1)
            return ScheduleCell(
                key: CellKey(job: JobName(String(fields[0])), cell: CellID(String(fields[1]))),
                start: LeaseStart(warm: launch, cold: numbers[0]),
                costs: Array(numbers.dropFirst())
            )
        }
    }

    /// The trace as one plan, with a history that knows every test.
    var known: (plan: Plan, history: RunHistory) {
        var history = RunHistory(runs: 1)
        var jobs: [(name: String, cells: [String], tests: [String])] = []
        for (index, cell) in cells.enumerated() {
            // Cells of one job may have different tests here, so each is a job of its own.
            let name = "\(index)-\(cell.key.job)"
            let tests = cell.costs.indices.map { "t\($0)" }
            jobs.append((name, [cell.key.cell.text], tests))
            let key = CellKey(job: JobName(name), cell: cell.key.cell)
            history.starts[key] = StartHistory(samples: [max(1, cell.start.cold)], seen: 1)
            for (test, cost) in zip(tests, cell.costs) {
                history.tests[TestKey(job: key.job, cell: key.cell, test: TestID(test))] =
                    TestHistory(samples: [cost], seen: 1)
            }
        }
        return (HistoryFixture.plan(jobs), history)
    }

    var longestFirst: [ScheduleCell] {
        cells.map { cell in
            var cell = cell
            cell.costs.sort(by: >)
            return cell
        }
    }

    /// Returns the end of the last static share.
    func split(_ workers: Int, by history: RunHistory?) -> Int {
        let (plan, all) = known
        let costs = LearnedCosts(all)
        let places = (0..<workers).compactMap { ShardPlace(index: $0, total: workers) }
        let shares = ShareRules.shares(of: plan, at: places, total: workers, history: history)
        return shares.map { share in
            var own = plan
            own.share = share
            return time(own.shareKeys, costs)
        }.max() ?? 0
    }

    /// Returns the end of the last share if shares have equal numbers of tests, in the plan's
    /// order.
    func splitByCount(_ workers: Int) -> Int {
        let (plan, all) = known
        let costs = LearnedCosts(all)
        let keys = plan.shareKeys
        return (0..<workers).map { part in
            let range = keys.count * part / workers..<keys.count * (part + 1) / workers
            return time(Array(keys[range]), costs)
        }.max() ?? 0
    }

    private func time(_ keys: [TestKey], _ costs: LearnedCosts) -> Int {
        let cells = Set(keys.map { CellKey(job: $0.job, cell: $0.cell) })
        return cells.reduce(0) { $0 + costs.start($1) }
            + keys.reduce(0) { $0 + costs.microseconds($1) }
    }
}

@Suite("How long a plan takes")
struct ScheduleSimulationTests {
    private static let traces = ["wallet-demo", "wallet-matrix", "heavy-tailed", "slow-boots"]

    @Test(
        "by learned costs a run ends within 3 % of what no schedule can beat",
        arguments: [
            ("wallet-demo", 8), ("wallet-matrix", 8), ("wallet-matrix", 32), ("heavy-tailed", 8),
            ("heavy-tailed", 32), ("slow-boots", 8), ("slow-boots", 32),
        ]
    )
    func withinBound(name: String, workers: Int) throws {
        let cells = try Trace(name).longestFirst
        let found = ScheduleSimulation.simulate(cells, workers: workers, rule: .learned)
        #expect(found.finish >= found.lowerBound)
        #expect(Double(found.finish) <= 1.03 * Double(found.lowerBound), "\(found)")
    }

    @Test("a run of seconds, 8 tests for each of 32 workers, ends within a test of it")
    func quick() throws {
        let cells = try Trace("wallet-demo").longestFirst
        let found = ScheduleSimulation.simulate(cells, workers: 32, rule: .learned)
        let longest = cells.flatMap(\.costs).max() ?? 0
        #expect(found.finish - found.lowerBound <= longest)
    }

    @Test("the bound counts every start that a cell longer than the run takes")
    func unavoidableStarts() {
        let cell = ScheduleCell(
            key: CellKey(job: JobName("j"), cell: CellID("c")),
            start: LeaseStart(warm: 0, cold: 30_000_000),
            costs: Array(repeating: 10_000_000, count: 10)
        )
        // (4 × 30 s + 100 s) / 4: each of four works 25 s and has to boot by itself.
        let found = ScheduleSimulation.simulate([cell], workers: 4, rule: .learned, leaseCost: 0)
        #expect(found.lowerBound == 55_000_000)
        let alone = ScheduleSimulation.simulate([cell], workers: 1, rule: .learned, leaseCost: 5)
        #expect(alone.lowerBound == 130_000_005)
    }

    /// Returns 600 tests of 0.5 to 8 s in six cells; a launch takes 15 s, a boot 30 s.
    ///
    /// In these tests the bound of a schedule is the longest test, or all tests with a boot and a
    /// launch for each cell, divided by all workers. Before leases were cut by their launches, four
    /// workers took 1,122.6 s by learned costs (2.74 times the bound, 179 leases) and 567.1 s by
    /// guessed ones (1.38 times, 35 leases).
    private static func launches(guess: LeaseStart) throws -> (cells: [ScheduleCell], bound: Int) {
        let cells = try Trace("launches", launch: 15_000_000).cells.map { cell in
            var cell = cell
            cell.guess = guess
            return cell
        }
        let work = cells.reduce(0) { $0 + $1.start.cold + $1.costs.reduce(0, +) }
        return (cells, max(cells.flatMap(\.costs).max() ?? 0, work / 4))
    }

    @Test(
        "where launches take 15 s and boots 30 s, a run ends within 1.2 times its bound",
        arguments: [
            (ScheduleSimulation.Rule.learned, LeaseStart.none),
            (.guessed, LeaseStart(StartGuess(warmSeconds: 15, coldSeconds: 45))),
            // Without a guess from the driver, the first leases provide the start of the next ones.
            (.guessed, .none),
        ]
    )
    func launches(rule: ScheduleSimulation.Rule, guess: LeaseStart) throws {
        var (cells, bound) = try Self.launches(guess: guess)
        #expect(cells.reduce(0) { $0 + $1.costs.count } == 600 && cells.count == 6)
        if rule == .learned {
            for place in cells.indices { cells[place].costs.sort(by: >) }
        }
        let found = ScheduleSimulation.simulate(cells, workers: 4, rule: rule)
        let share = Double(found.finish) / Double(bound)
        print(
            "makespan launches 4 \(rule), launch guessed at \(guess.warm / 1_000_000) s: "
                + "\(Double(found.finish / 100_000) / 10) s \((share * 1000).rounded() / 1000), "
                + "\(found.leases) leases, \(found.starts) boots"
        )
        #expect(share <= 1.2)
        #expect(found.leases <= 20)
    }

    @Test("the table of all rules on all traces", arguments: traces)
    func table(name: String) throws {
        let trace = try Trace(name)
        for workers in [8, 32] {
            let guessed = ScheduleSimulation.simulate(trace.cells, workers: workers, rule: .guessed)
            let learned = ScheduleSimulation.simulate(
                trace.longestFirst,
                workers: workers,
                rule: .learned
            )
            let free = ScheduleSimulation.simulate(
                trace.longestFirst,
                workers: workers,
                rule: .learned,
                leaseCost: 0
            )
            let rows: [(String, Int)] = [
                ("lower bound", learned.lowerBound), ("learned claims", learned.finish),
                ("guessed claims", guessed.finish),
                ("static, learned", trace.split(workers, by: trace.known.history)),
                ("static, by count", trace.splitByCount(workers)),
                ("static, by name", trace.split(workers, by: nil)),
            ]
            for (rule, time) in rows {
                let share = Double(time) / Double(learned.lowerBound)
                print(
                    "makespan \(name) \(workers) \(rule): "
                        + "\(Double(time / 10_000) / 100) s \((share * 1000).rounded() / 1000)"
                )
                // Static shares have no lease costs.
                #expect(time >= free.lowerBound)
            }
            // For tests of half a second, lease costs matter; see the table.
            if !name.hasPrefix("wallet") { #expect(learned.finish <= guessed.finish) }
            #expect(learned.finish <= (rows.map(\.1).suffix(2).min() ?? 0))
        }
    }

    @Test("every test is leased once, whatever the rule, the workers and the costs")
    func complete() {
        var random = SeededGenerator.announced()
        for round in 0..<60 {
            let cells = (0..<Int.random(in: 1...6, using: &random)).map { index in
                ScheduleCell(
                    key: CellKey(job: JobName("j\(index % 2)"), cell: CellID("c\(index)")),
                    start: LeaseStart(
                        warm: round % 2 * Int.random(in: 0...20_000_000, using: &random),
                        cold: Int.random(in: 0...40_000_000, using: &random)
                    ),
                    costs: (0..<Int.random(in: 0...40, using: &random)).map { _ in
                        Int.random(in: 1...9_000_000, using: &random)
                    }.sorted(by: >),
                    exclusive: round % 7 == 0 && index == 0
                )
            }
            let workers = Int.random(in: 1...12, using: &random)
            for rule in ScheduleSimulation.Rule.allCases {
                let found = ScheduleSimulation.simulate(
                    cells,
                    workers: workers,
                    rule: rule,
                    leaseCost: 0
                )
                #expect(found.finish >= found.lowerBound, "\(rule) \(workers) \(cells)")
                #expect(
                    found
                        == ScheduleSimulation.simulate(
                            cells,
                            workers: workers,
                            rule: rule,
                            leaseCost: 0
                        )
                )
                let busy = cells.count { !$0.costs.isEmpty }
                #expect(found.starts >= busy && found.leases >= busy)
                let work = cells.reduce(0) { $0 + $1.costs.reduce(0, +) }
                let slowest = cells.map(\.start.cold).max() ?? 0
                #expect(found.finish <= work + found.leases * slowest)
            }
        }
    }

    @Test("one worker takes the sum, and nothing takes no time")
    func single() {
        let cell = CellKey(job: JobName("j"), cell: CellID("c"))
        let start = LeaseStart(warm: 0, cold: 7)
        let cells = [ScheduleCell(key: cell, start: start, costs: [5, 3, 2])]
        for rule in ScheduleSimulation.Rule.allCases {
            let found = ScheduleSimulation.simulate(cells, workers: 1, rule: rule, leaseCost: 0)
            #expect(found.finish == 17 && found.starts == 1)
            #expect(ScheduleSimulation.simulate([], workers: 3, rule: rule) == ScheduleSimulation())
        }
    }
}
