import FarmCore
import FarmTesting
import Testing

@testable import FarmLedger

@Suite("Which work a worker gets")
struct ClaimRulesTests {
    private func waiting(
        _ job: String,
        _ cell: String,
        _ count: Int,
        alone: Int = 0,
        isolated: Int = 0,
        workers: Int = 0
    ) -> WaitingCell {
        WaitingCell(
            job: JobName(job),
            cell: CellID(cell),
            count: count,
            alone: alone,
            isolated: isolated,
            workers: workers
        )
    }

    @Test("a job that nobody works for comes first: unit and snapshot jobs run side by side")
    func sideBySide() {
        let cells = [waiting("snap", "a", 100, workers: 1), waiting("unit", "host", 10)]
        func job(_ leases: [String: Int], warm: String? = nil) -> String? {
            let leases = leases.map { (JobName($0.key), $0.value) }
            let question = ClaimQuestion(
                waiting: cells,
                leasesOfJob: Dictionary(uniqueKeysWithValues: leases),
                workers: 2,
                warm: warm.map { CellID($0) }
            )
            return ClaimRules.choose(question)?.job.text
        }
        #expect(job(["snap": 1]) == "unit")
        #expect(job(["snap": 1], warm: "a") == "unit")
        #expect(job(["unit": 1], warm: "host") == "snap")
        #expect(job([:], warm: "host") == "unit")
    }

    @Test("a warm cell comes first, then the cell with the most work")
    func warmth() {
        let cells = [waiting("snap", "a", 5), waiting("snap", "b", 9)]
        func cell(_ warm: CellID?) -> String? {
            ClaimRules.choose(ClaimQuestion(waiting: cells, workers: 1, warm: warm))?.cell.text
        }
        #expect(cell(CellID("a")) == "a")
        #expect(cell(nil) == "b")
    }

    @Test(
        "while other teams use the workers a lease takes ten seconds, or eight starts of its cell",
        arguments: [(false, 0, 250), (true, 0, 10), (true, 1, 10), (true, 5, 40)]
    )
    func sharedLease(isShared: Bool, startSeconds: Int, size: Int) {
        var cell = waiting("unit", "host", 1_000)
        cell.start = LeaseStart(warm: 0, cold: startSeconds * 1_000_000)
        let question = ClaimQuestion(
            waiting: [cell],
            costs: .guessed(meanSeconds: [JobName("unit"): 1]),
            workers: 2,
            isShared: isShared
        )
        #expect(ClaimRules.choose(question)?.size == size)
    }

    @Test("a lease that is short to risk little outlasts its launch eight times all the same")
    func shortLease() {
        func size(launchSeconds: Double) -> Int? {
            let launch = Int(launchSeconds * 1_000_000)
            var cell = waiting("unit", "host", 1_000)
            cell.start = LeaseStart(warm: launch, cold: launch)
            let question = ClaimQuestion(
                waiting: [cell],
                costs: .guessed(meanSeconds: [JobName("unit"): 0.5]),
                workers: 2,
                sizeMax: 10
            )
            return ClaimRules.choose(question)?.size
        }
        #expect(size(launchSeconds: 0) == 10)
        #expect(size(launchSeconds: 0.5) == 10)
        #expect(size(launchSeconds: 5) == 80)
    }

    @Test("a suspect waits until nothing else does, and runs alone")
    func suspects() {
        let both = [waiting("unit", "host", 3, alone: 1)]
        let first = ClaimRules.choose(ClaimQuestion(waiting: both, workers: 1))
        #expect(first?.company == .others)
        let left = [waiting("unit", "host", 0, alone: 2)]
        let choice = ClaimRules.choose(ClaimQuestion(waiting: left, workers: 1))
        #expect(choice?.company == .alone && choice?.size == 1)
    }

    @Test("what needs its host alone comes last, all of a cell at a time")
    func quietLast() {
        for (cells, company, size) in [
            ([waiting("unit", "host", 3, alone: 1, isolated: 2)], LeaseCompany.others, nil),
            ([waiting("unit", "host", 0, alone: 2, isolated: 2)], .alone, 1),
            ([waiting("unit", "host", 0, isolated: 2)], .isolated, 2),
        ] {
            let choice = ClaimRules.choose(ClaimQuestion(waiting: cells, workers: 1))
            #expect(choice?.company == company)
            #expect(size == nil || choice?.size == size)
        }
    }

    @Test("beside an exclusive job nothing runs, and it waits for others to end")
    func exclusive() {
        for (waits, runs) in [("unit", "gpu"), ("gpu", "unit")] {
            let question = ClaimQuestion(
                waiting: [waiting(waits, "host", 3)],
                leasesOfJob: [JobName(runs): 1],
                workers: 2,
                exclusive: [JobName("gpu")]
            )
            #expect(ClaimRules.choose(question) == nil)
        }
    }

    @Test("leases shrink toward the end, and any number of workers takes everything exactly once")
    func shrinking() {
        var generator = SeededGenerator.announced()
        for _ in 0..<200 {
            let total = Int.random(in: 1...20_000, using: &generator)
            let workers = Int.random(in: 1...64, using: &generator)
            let means = Bool.random(using: &generator) ? [:] : [JobName("unit"): 0.7]
            var left = total
            var last = Int.max
            while left > 0 {
                let question = ClaimQuestion(
                    waiting: [waiting("unit", "host", left)],
                    costs: .guessed(meanSeconds: means),
                    workers: workers
                )
                let size = ClaimRules.choose(question)?.size ?? 0
                #expect(size >= 1 && size <= left && size <= last)
                guard size >= 1 else { return }
                last = size
                left -= size
            }
        }
    }

    @Test("the first lease of tests that nobody knows is not all of them, whatever a launch takes")
    func unknownFirst() {
        func size(_ means: [JobName: Double]) -> Int? {
            var cell = waiting("snap", "a", 200)
            cell.start = LeaseStart(StartGuess(warmSeconds: 15, coldSeconds: 45))
            let costs = ExpectedCosts.guessed(meanSeconds: means)
            return ClaimRules.choose(ClaimQuestion(waiting: [cell], costs: costs, workers: 2))?.size
        }
        #expect(size([:]) == 50)
        #expect(size([JobName("snap"): 1]) == 100)
    }

    @Test(
        "a lease of quick tests is never cut below what it costs to begin",
        arguments: [(0.001, 100), (0.01, 10), (0.04, 2), (5.0, 1), (0, 300)]
    )
    func leastUseful(mean: Double, size: Int) {
        // 300 tests wait; by its share alone, each of 500 workers would get one.
        let question = ClaimQuestion(
            waiting: [waiting("unit", "host", 300)],
            costs: .guessed(meanSeconds: [JobName("unit"): mean]),
            workers: 500
        )
        #expect(ClaimRules.choose(question)?.size == size)
    }
}

@Suite("Claims by learned costs")
struct LearnedClaimsTests {
    /// A cell with the costs of its waiting tests.
    private struct Cell {
        var name: String
        var costs: [Int]
        var workers = 0
        var start = 0
        var launch = 0
        var job = "j"

        var key: CellKey { CellKey(job: JobName(job), cell: CellID(name)) }
    }

    private func choose(
        _ cells: [Cell],
        warm: String? = nil,
        exclusive: Set<JobName> = []
    ) -> ClaimChoice? {
        var leases: [JobName: Int] = [:]
        for cell in cells where cell.workers > 0 { leases[JobName(cell.job), default: 0] += 1 }
        let lines = cells.map {
            ($0.key, CostLine(longestFirst: $0.costs.sorted(by: >)))
        }
        let question = ClaimQuestion(
            waiting: cells.map {
                WaitingCell(
                    job: JobName($0.job),
                    cell: CellID($0.name),
                    count: $0.costs.count,
                    workers: $0.workers,
                    start: LeaseStart(warm: $0.launch, cold: $0.start)
                )
            },
            leasesOfJob: leases,
            costs: .learned(Dictionary(uniqueKeysWithValues: lines)),
            workers: 2,
            warm: warm.map { CellID($0) },
            exclusive: exclusive
        )
        return ClaimRules.choose(question)
    }

    private static let second = 1_000_000

    private func seconds(_ count: Int) -> [Int] { Array(repeating: Self.second, count: count) }

    @Test("a worker stays on the cell it is warm for while that has work")
    func warm() {
        let cells = [
            Cell(name: "a", costs: seconds(50), start: 30 * Self.second),
            Cell(name: "b", costs: seconds(60), workers: 1, start: 30 * Self.second),
        ]
        #expect(choose(cells, warm: "a")?.cell.text == "a")
    }

    @Test("a cell that nobody has begun comes before one that has workers")
    func unbegun() {
        let cells = [
            Cell(name: "a", costs: seconds(90), workers: 1), Cell(name: "b", costs: seconds(10)),
        ]
        #expect(choose(cells)?.cell.text == "b")
    }

    @Test("nobody starts on a cell that is done before the start is")
    func notWorth() {
        func chosen(_ count: Int, workers: Int) -> ClaimChoice? {
            let start = 60 * Self.second
            return choose([
                Cell(name: "a", costs: seconds(count), workers: workers, start: start)
            ])
        }
        #expect(chosen(100, workers: 2) == nil)
        #expect(chosen(130, workers: 2) != nil)
        #expect(chosen(100, workers: 0) != nil)
    }

    @Test(
        "a lease outlasts its launch eight times, while so much is left, and takes the rest then",
        arguments: [
            // With two workers, a share of 1,000 s is split into two leases; one of 200 s or less
            // is not.
            (2_000, 15, 500), (400, 15, 200), (100, 15, 50), (20, 15, 20),
            // Without launch costs, leases keep shrinking.
            (2_000, 0, 500), (400, 0, 100), (20, 0, 5),
        ]
    )
    func outlastsLaunch(count: Int, launch: Int, size: Int) {
        let launch = launch * Self.second
        let cell = Cell(name: "a", costs: seconds(count), start: launch, launch: launch)
        #expect(choose([cell], warm: "a")?.size == size)
    }

    @Test("who would only launch pays no more than those that are there, and takes its part")
    func launchAlone() {
        let launch = 15 * Self.second
        let cell = Cell(name: "a", costs: seconds(100), workers: 1, start: launch, launch: launch)
        #expect(choose([cell]) != nil)
        var slow = cell
        slow.start = 120 * Self.second
        #expect(choose([slow]) == nil)
        #expect(choose([slow], warm: "a") != nil)
    }

    @Test("a test as long as all that is left begins now, elsewhere or not")
    func urgent() {
        let cells = [
            Cell(name: "a", costs: seconds(50)), Cell(name: "b", costs: [40 * Self.second]),
        ]
        let choice = choose(cells, warm: "a")
        #expect(choice?.cell.text == "b" && choice?.size == 1)
    }

    @Test("beside an exclusive job nothing runs, and it waits until nothing does")
    func exclusive() {
        let job = JobName("alone")
        let busy = [
            Cell(name: "a", costs: seconds(5), workers: 1),
            Cell(name: "b", costs: seconds(5), job: "alone"),
        ]
        #expect(choose(busy, exclusive: [job])?.cell.text == "a")
        let alone = [
            Cell(name: "a", costs: seconds(5)),
            Cell(name: "b", costs: seconds(5), workers: 1, job: "alone"),
        ]
        #expect(choose(alone, exclusive: [job]) == nil)
    }

    @Test("a lease has the longest tests that its time buys, and at least one")
    func size() {
        // With two workers and no starts, half of a worker's share is 10 of 40 seconds.
        #expect(choose([Cell(name: "a", costs: seconds(40))])?.size == 10)
        let uneven = [Cell(name: "a", costs: [9, 5, 4, 2].map { $0 * Self.second } + seconds(20))]
        #expect(choose(uneven)?.size == 1)
        #expect(choose([Cell(name: "a", costs: [7])])?.size == 1)
    }
}
