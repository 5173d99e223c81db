// The farm of one seed: the production coordinator over the production ledger, with simulated
// workers, network and clock around them. Nothing here runs in parallel, so a seed always gives the
// same run.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import Foundation
import GRDB

/// An event at one moment of simulated time.
enum Event {
    case submit(Int)
    case cancel(Int)
    case start(slot: Int, generation: Int)
    /// A message reaches the coordinator.
    case arrives(worker: Int, call: Int, Call)
    /// An answer reaches its worker.
    case answered(worker: Int, call: Int, Answer)
    case unanswered(worker: Int, call: Int)
    case claims(worker: Int)
    case testEnds(worker: Int, epoch: Int64)
    case renews(worker: Int, epoch: Int64)
    case sweep
    case look
    /// A worker's death is noticed and reported.
    case reportDeath(worker: Int, tries: Int)
    case fault(Fault)
    case coordinatorStarts
}

/// A fault that occurs by itself.
enum Fault: CaseIterable {
    case crash, hang, partition, termination, restart
}

/// The simulation of one seed.
struct Simulation {
    /// The start of the simulation: 2026-01-01 UTC, in milliseconds since 1970.
    static let beginning: Int64 = 1_767_225_600_000
    /// The time in milliseconds after the last fault within which all runs must end.
    private static let patience: Int64 = 3_600_000
    /// The number of ledger calls between two audits.
    private static let auditEvery = 100

    let seed: UInt64
    let scenario: Scenario
    var random: SimulatorRandom
    var now: Int64 = Simulation.beginning
    var events = EventQueue<Event>()
    var workers: [SimulatedWorker] = []
    /// The current worker of each slot.
    var current: [Int?]
    var calls = 0
    var sweeps = 0
    /// The number of times that each test case has run.
    var ran: [CaseKey: Int] = [:]
    var host: CoordinatorHost
    let trace: Trace
    private(set) var steps = 0
    private var progress: [RunID: Int] = [:]
    private var auditedAt = 0

    init(seed: UInt64, bug: PlantedBug?, table: LedgerTable, trace: Trace) throws {
        self.seed = seed
        self.trace = trace
        var random = SimulatorRandom(seed: seed)
        scenario = Scenario(&random)
        self.random = random
        current = Array(repeating: nil, count: scenario.slots)
        host = try CoordinatorHost(
            table: table,
            bug: bug,
            workersMin: scenario.workersMin,
            // Planted bugs bypass the journal when they write.
            journalSeed: bug == nil && seed.isMultiple(of: 4) ? seed : nil,
            now: Self.beginning
        )
    }

    var faultsStop: Int64 { Self.beginning + scenario.faultsUntil }
    var isCalm: Bool { now >= faultsStop }

    /// Runs the simulation to its end.
    ///
    /// - Throws: `BrokenPromise` for any event that must not happen.
    mutating func run() async throws {
        for (number, run) in scenario.runs.enumerated() {
            plan(.submit(number), in: run.submittedAt)
            if let time = run.cancelledAt { plan(.cancel(number), in: run.submittedAt + time) }
            if run.isTwice { plan(.submit(number), in: run.submittedAt + 700) }
        }
        for slot in 0..<scenario.slots {
            plan(.start(slot: slot, generation: 1), in: random.milliseconds(0...3_000))
        }
        plan(.sweep, in: 1_000)
        plan(.look, in: 10_000)
        for fault in Fault.allCases { planNext(fault) }
        while let (time, event) = events.next() {
            now = time
            host.now = time
            steps += 1
            try await happen(event)
            try await auditNowAndThen()
            if isOver { break }
            guard now < faultsStop + Self.patience else {
                throw BrokenPromise("the runs did not end within an hour after the last fault")
            }
        }
        try await audit()
        try await checkRuns()
        try host.checkCopies()
    }

    var allClosed: Bool { host.witness.closed.count == scenario.runs.count }

    /// Whether all runs are closed and no message is on its way.
    private var isOver: Bool {
        now > lastMessage && allClosed
    }

    var lastMessage: Int64 = 0

    mutating func plan(_ event: Event, in milliseconds: Int64) {
        events.plan(event, at: now + milliseconds)
    }

    private mutating func happen(_ event: Event) async throws {
        switch event {
        case .submit(let number): try await submit(number)
        case .cancel(let number): try await cancel(number)
        case .start(let slot, let generation): start(slot, generation)
        case .arrives(let worker, let call, let request):
            try await arrive(worker, call, request)
        case .answered(let worker, let call, let answer):
            guard isAwake(worker, event) else { return }
            try answered(worker, call, answer)
        case .unanswered(let worker, let call):
            guard isAwake(worker, event) else { return }
            repeatCall(worker, call)
        case .claims(let worker):
            guard isAwake(worker, event) else { return }
            claimIfFree(worker)
        case .testEnds(let worker, let epoch):
            guard isAwake(worker, event) else { return }
            try testEnds(worker, epoch)
        case .renews(let worker, let epoch):
            guard isAwake(worker, event) else { return }
            renew(worker, epoch)
        case .sweep: try await sweep()
        case .look: try await look()
        case .reportDeath(let worker, let tries): try await reportDeath(worker, tries)
        case .fault(let fault): strike(fault)
        case .coordinatorStarts: try await startCoordinator()
        }
    }

    // MARK: checks

    private mutating func auditNowAndThen() async throws {
        guard host.calls >= auditedAt + Self.auditEvery else { return }
        auditedAt = host.calls
        try await audit()
    }

    private func audit() async throws {
        let audit = try await host.audit()
        guard let first = audit.broken.first else { return }
        throw BrokenPromise("\(first.code): \(first.run) \(first.message)")
    }

    /// Checks that the progress of each run never goes back.
    private mutating func look() async throws {
        plan(.look, in: 10_000)
        for run in host.witness.runs.values.sorted() {
            guard let seen = try await calling({ try await $0.progress(run) }) else { return }
            guard seen.done >= progress[run, default: 0] else {
                throw BrokenPromise(
                    "run \(run) had \(progress[run] ?? 0) verdicts, now \(seen.done)"
                )
            }
            progress[run] = seen.done
        }
    }

    /// Checks at the end that each test case has its expected verdict.
    private func checkRuns() async throws {
        for run in scenario.runs {
            guard let id = host.witness.runs[run.key],
                let judged = try await host.ledger.judged(id)
            else { throw BrokenPromise("\(run.key) has no result") }
            // A cancelled run keeps the verdicts it had, which the audit checks.
            if run.cancelledAt != nil, judged.summary.state == .cancelled { continue }
            guard judged.summary.state == .passed || judged.summary.state == .failed,
                judged.summary.counts.planned == run.plan.testCount
            else { throw BrokenPromise("\(run.key) ended as \(judged.summary.state)") }
            let tests = try await host.ledger.evidence(id).tests
            guard tests.count == run.plan.testCount else {
                throw BrokenPromise("\(run.key) has \(tests.count) test cases")
            }
            for evidence in tests {
                let key = CaseKey(run: run.key, test: evidence.key)
                try ExpectedVerdict(
                    key: key,
                    behaviour: scenario.behaviours[key] ?? .passes,
                    mode: run.plan.mode,
                    accepted: host.witness.reports[key] ?? [],
                    evidence: evidence
                ).check()
            }
        }
    }
}
