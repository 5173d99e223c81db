// The random choices of a seed before anything happens: runs, tests, workers, and the rates of
// faults. Each kind of fault is left out of half of the scenarios, because faults that always occur
// together hide those that matter alone ("swarm testing", Groce and others 2012).
import FarmCore

/// The rates of faults, until the faults stop; 0 is never.
struct FaultRates: Sendable {
    /// The percentages of messages that are lost and that are doubled.
    var dropped = 0
    var doubled = 0
    /// The longest delay of a message, in milliseconds.
    var delayMax: Int64 = 50
    /// The average time between two of them, in milliseconds.
    var crashes: Int64 = 0
    var hangs: Int64 = 0
    var partitions: Int64 = 0
    var terminations: Int64 = 0
    var restarts: Int64 = 0
    /// The percentage of restarts that happen between two steps of one call.
    var withinCalls = 0

    init(_ random: inout SimulatorRandom) {
        if random.chance(50) { dropped = random.number(1...25) }
        if random.chance(50) { doubled = random.number(1...25) }
        if random.chance(50) { delayMax = random.milliseconds(100...60_000) }
        if random.chance(50) { crashes = random.milliseconds(2_000...40_000) }
        if random.chance(50) { hangs = random.milliseconds(3_000...60_000) }
        if random.chance(50) { partitions = random.milliseconds(3_000...60_000) }
        if random.chance(50) { terminations = random.milliseconds(3_000...60_000) }
        if random.chance(50) { restarts = random.milliseconds(3_000...60_000) }
        withinCalls = random.number(0...100)
    }
}

/// A run to be submitted.
struct SimulatedRun: Sendable {
    let key: String
    var plan: Plan
    /// The time of its submission, in milliseconds from the start.
    let submittedAt: Int64
    /// Whether it is submitted twice, as by two CI jobs.
    let isTwice: Bool
    /// The time from its submission to its cancellation, in milliseconds, or `nil` if it is not
    /// cancelled.
    let cancelledAt: Int64?

    /// Returns the run; in a third of the cases, some of its jobs need a site of their own.
    func needing(_ sites: [String], _ random: inout SimulatorRandom) -> SimulatedRun {
        guard random.chance(33) else { return self }
        var run = self
        for index in run.plan.jobs.indices where random.chance(60) {
            let site = sites[random.number(0...(sites.count - 1))]
            run.plan.jobs[index].job.needs = Needs([
                Need(name: "site", bounds: [Need.Bound(relation: .equal, value: site)])
            ])
        }
        return run
    }
}

extension SimulatedRun {
    /// Returns the run; in a third of the cases, one browser has drawn the references of each of its
    /// jobs.
    fileprivate func drawn(by browsers: [String], _ random: inout SimulatorRandom) -> SimulatedRun {
        guard random.chance(33) else { return self }
        var run = self
        run.plan.drawn = plan.jobs.map { planned in
            DrawnReferences(
                job: planned.job.name,
                cells: planned.job.cells.map(\.id),
                renderers: [["browser": browsers[random.chance(80) ? 0 : random.number(1...2)]]]
            )
        }
        return run
    }
}

/// One (test case × cell) of one run.
struct CaseKey: Hashable, Sendable, CustomStringConvertible {
    let run: String
    let test: TestKey

    var description: String { "\(run) \(test)" }
}

/// Everything that a seed decides in advance.
struct Scenario: Sendable {
    let runs: [SimulatedRun]
    let behaviours: [CaseKey: TestBehaviour]
    let slots: Int
    /// The offer of each slot's workers.
    let offers: [WorkerOffer]
    /// The number of workers that the coordinator expects: all in an embedded run, one in a fleet.
    let workersMin: Int
    /// The slot whose workers fail every test, or `nil` if there is none.
    let sickSlot: Int?
    /// Whether deaths of workers are reported, as in an embedded run.
    let tellsLosses: Bool
    let faults: FaultRates
    /// The time at which the faults stop, in milliseconds from the start.
    let faultsUntil: Int64

    init(_ random: inout SimulatorRandom) {
        slots = random.number(2...5)
        sickSlot = random.chance(15) ? random.number(0...(slots - 1)) : nil
        tellsLosses = random.chance(50)
        faults = FaultRates(&random)
        faultsUntil = random.milliseconds(10_000...120_000)
        var runs: [SimulatedRun] = []
        var behaviours: [CaseKey: TestBehaviour] = [:]
        for number in 1...(random.chance(20) ? 2 : 1) {
            let key = "run\(number)"
            let plan = Self.plan(number, &random)
            runs.append(
                SimulatedRun(
                    key: key,
                    plan: plan,
                    submittedAt: number == 1 ? 0 : random.milliseconds(0...20_000),
                    isTwice: random.chance(20),
                    cancelledAt: random.chance(6) ? random.milliseconds(2_000...60_000) : nil
                )
            )
            Self.draw(key, plan, &behaviours, &random)
        }
        // Drawn from a copy, so that seeds kept from earlier failures still give the same runs.
        var aside = random
        var offers = Self.offers(of: slots, &aside)
        runs = runs.map { $0.needing(Self.sites, &aside) }
        workersMin = aside.chance(33) ? slots : 1
        for slot in offers.indices where aside.chance(90) {
            let browser = Self.browsers[aside.chance(60) ? 0 : 1]
            // A fact of this form is always valid.
            try? offers[slot].add(renderer: ["browser": browser], of: Self.driver)
        }
        self.offers = offers
        self.runs = runs.map { $0.drawn(by: Self.browsers, &aside) }
        self.behaviours = behaviours
    }

    static let sites = ["east", "west"]
    /// The browsers of the workers and references; no worker has the last one.
    private static let browsers = ["148", "149", "150"]
    private static let driver = "command"

    /// Returns the offer of each slot.
    ///
    /// Each site has a worker, and each worker has one or both sites. Most runs need no site.
    private static func offers(
        of slots: Int,
        _ random: inout SimulatorRandom
    ) -> [WorkerOffer] {
        (0..<slots).map { slot in
            var offer = WorkerOffer()
            let own = random.chance(30) ? sites : [sites[slot % sites.count]]
            // These names and values are always valid.
            for site in own { try? offer.add("site", site) }
            return offer
        }
    }

    private static func draw(
        _ run: String,
        _ plan: Plan,
        _ behaviours: inout [CaseKey: TestBehaviour],
        _ random: inout SimulatorRandom
    ) {
        for planned in plan.jobs {
            let isUnit = planned.job.kind == .unit
            let weights = isUnit ? TestBehaviour.ofUnits : TestBehaviour.ofSnapshots
            // A restyle: the pictures of a job change alike in most cells.
            let isRestyle = !isUnit && random.chance(15)
            for cell in planned.job.cells {
                for test in planned.tests {
                    let key = TestKey(job: planned.job.name, cell: cell.id, test: test)
                    var left = random.number(0...99)
                    let drawn = weights.first { weight in
                        left -= weight.1
                        return left < 0
                    }
                    let own = drawn?.0 ?? .passes
                    behaviours[CaseKey(run: run, test: key)] =
                        isRestyle && own == .passes ? .changed : own
                }
            }
        }
    }

    /// Returns a plan of about a dozen test cases.
    private static func plan(_ number: Int, _ random: inout SimulatorRandom) -> Plan {
        let mode: RunMode = random.chance(15) ? .record : .verify
        // Test names differ between runs, because the ledger names stragglers without their run.
        var jobs = [job("units\(number)", .unit, cells: 1, &random)]
        if random.chance(75) {
            let cells = random.number(1...3)
            jobs.append(job("snapshots\(number)", .snapshot, cells: cells, &random))
        }
        return Plan(
            pipeline: "simulated",
            mode: mode,
            filtered: false,
            pin: ReferencePin(),
            jobs: jobs,
            workTree: "/"
        )
    }

    private static func job(
        _ name: String,
        _ kind: JobKind,
        cells: Int,
        _ random: inout SimulatorRandom
    ) -> PlannedJob {
        let job = Job(
            name: JobName(name),
            kind: kind,
            driver: DriverSettings(driver, ["discover": "d", "run": "r"]),
            retries: random.number(0...2),
            exclusive: random.chance(10),
            cells: (0..<cells).map { Cell(id: CellID("c\($0)"), device: nil, variant: []) }
        )
        // Few tests make quick runs; many fill messages of several reports.
        let most = random.chance(15) ? 16 : 6
        let tests = (0..<random.number(2...most)).map { TestID("t\($0)") }
        return PlannedJob(job: job, tests: tests, prepared: [:])
    }
}
