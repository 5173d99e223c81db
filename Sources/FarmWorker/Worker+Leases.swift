// A worker's loop: lease after lease, the next one claimed a little before the tests of the last
// have ended, so that no test waits for the network. What is done when is said by `LeaseHands`.
import FarmAPI
import FarmCore
import FarmDrivers
import Foundation

extension Worker {
    /// What happens to a worker between two leases.
    private enum Step: Sendable {
        case claimed(ClaimReply, seconds: Double, sent: ContinuousClock.Instant)
        /// Nobody knows what a claim that was made ahead brought; it is made again.
        case unanswered
        case nearEnd(LeaseToken)
        /// The tests of a lease have ended; its reports may still be on their way.
        case driven(LeaseToken)
        case overdue(LeaseToken)
        case gone(LeaseToken)
        /// The worker shall begin nothing more.
        case drain
        /// A watch has nothing more to see.
        case idle
    }

    /// Works until no run is open; see ``LeaseHands`` for the order.
    ///
    /// The last reports of a lease travel while the tests of the next one run.
    func leaseAfterLease(staysIdle: Bool, _ held: HeldLeases) async throws {
        var hands = LeaseHands()
        var pace = LeasePace()
        var runners: [LeaseToken: LeaseRunner] = [:]
        var claims = ClaimNumbers(worker: id, staysIdle: staysIdle)
        var lastObstacle: Problem?
        let fitness = Fitness(worker: id, client: client, folders: [scratch], log: log)
        try await withThrowingTaskGroup(of: Step.self) { group in
            /// False: the worker is done.
            func perform(_ action: LeaseHands.Action) -> Bool {
                switch action {
                case .claim(let isAhead):
                    let request = claims.next(isAhead: isAhead)
                    group.addTask { try await claim(request, isAhead: isAhead, fitness, held) }
                case .begin(let token):
                    guard let runner = runners[token] else { break }
                    let (ended, end) = AsyncStream<Void>.makeStream()
                    group.addTask {
                        defer { end.finish() }
                        try await work(runner, held) { end.finish() }
                        return .gone(token)
                    }
                    group.addTask {
                        for await _ in ended {}
                        return .driven(token)
                    }
                    let known = pace
                    group.addTask { try await nearEnd(of: runner, known) }
                case .keep(let token):
                    group.addTask {
                        try await Task.sleep(for: .seconds(FarmLimits.leaseUnbegunSecondsMax))
                        return .overdue(token)
                    }
                case .giveBack(let token):
                    held.remove(token)
                    group.addTask {
                        // One that does not go back has a deadline, and was not begun.
                        _ = try? await client.release(token)
                        return .gone(token)
                    }
                case .leave: return false
                }
                return true
            }
            group.addTask {
                try await drained.value
                return .drain
            }
            var actions = hands.begin()
            while true {
                guard actions.allSatisfy(perform) else { break }
                guard let step = try await group.next() else { break }
                try Task.checkCancellation()
                switch step {
                case .claimed(let reply, let seconds, let sent):
                    claims.answered()
                    guard let lease = reply.lease else {
                        say(reply.obstacle, &lastObstacle)
                        actions = hands.claimedNothing(mayAskAgain: staysIdle || !reply.idle)
                        continue
                    }
                    pace.note(claimSeconds: seconds)
                    claims.warm = lease.shard.cell.id
                    let runner = runner(of: lease, claimSent: sent)
                    runners[lease.token] = runner
                    held.insert(lease.token) { runner.running }
                    actions = hands.claimed(lease.token)
                case .unanswered: actions = hands.claimedNothing(mayAskAgain: true)
                case .nearEnd(let token): actions = hands.nearEnd(token)
                case .driven(let token):
                    if let runner = runners[token], let (tests, seconds) = runner.driven {
                        pace.note(runner.lease.shard.job.name, tests: tests, seconds: seconds)
                    }
                    actions = hands.driven(token)
                case .overdue(let token): actions = hands.overdue(token)
                case .gone(let token):
                    runners[token] = nil
                    actions = hands.gone(token)
                case .drain:
                    log("draining: what runs is finished, nothing more is begun.")
                    actions = hands.drain()
                case .idle: actions = []
                }
            }
            group.cancelAll()
        }
    }

    /// Asks for a lease as soon as this machine can work.
    ///
    /// Ahead of its time nothing may fail because of it: the tests of the lease before still run.
    private func claim(
        _ request: ClaimRequest,
        isAhead: Bool,
        _ fitness: Fitness,
        _ held: HeldLeases
    ) async throws -> Step {
        do {
            if isAhead {
                guard fitness.isFit else { return .unanswered }
            } else {
                try await fitness.wait(staysIdle: request.staysIdle == true)
            }
            try await held.offer(to: client)
            let sent = ContinuousClock.now
            let reply = try await client.claim(id, request)
            return .claimed(reply, seconds: (.now - sent) / .seconds(1), sent: sent)
        } catch is APIError where isAhead {
            return .unanswered
        }
    }

    /// Returns shortly before the tests of a lease are expected to have ended, or when they have.
    private func nearEnd(of runner: LeaseRunner, _ pace: LeasePace) async throws -> Step {
        while let progress = runner.progress {
            let left = pace.secondsLeft(of: runner.lease.shard.job.name, progress)
            let wait = left.map { $0 - pace.lead(of: progress.seconds + $0) }
            if let wait, wait <= 0 { return .nearEnd(runner.lease.token) }
            // Tests that are quicker than those before are seen in time.
            try await Task.sleep(for: .seconds(min(wait ?? .infinity, 0.1)))
        }
        return .idle
    }

    /// Says once why no work comes.
    private func say(_ obstacle: Problem?, _ last: inout Problem?) {
        defer { last = obstacle }
        guard let obstacle, obstacle.code != last?.code else { return }
        log("\(obstacle.message) \(obstacle.remedy)")
    }

    private func runner(of lease: Lease, claimSent: ContinuousClock.Instant) -> LeaseRunner {
        LeaseRunner(
            lease: lease,
            client: client,
            renewals: renewals,
            clock: LeaseClock(timing: timing, claimSent: claimSent),
            driver: driver(lease.shard.job.driver),
            scratch: scratch + "/" + lease.token.id.text,
            cache: cache,
            bundles: bundles,
            references: references,
            pressure: pressure
        )
    }

    private func work(
        _ runner: LeaseRunner,
        _ held: HeldLeases,
        driven: @escaping @Sendable () -> Void
    ) async throws {
        let lease = runner.lease
        log(
            "\(lease.token.id): \(lease.shard.tests.count) tests of \(lease.shard.job.name) on "
                + "\(lease.shard.cell.id)"
        )
        do {
            try await runner.run(driven: driven) {
                let kept = try await client.hello(
                    HelloRequest(worker: id, beginsAnew: false, running: held.running)
                ).kept
                log("the coordinator answers again; \(kept.count) leases are still ours.")
            }
        } catch let error as WorkerError {
            guard case .leaseLost = error else { throw error }
            log(error.message)
            held.keep(runner.unanswered)
        }
        held.remove(lease.token)
    }
}

/// Numbers a worker's claims: the same number again is the same claim.
private struct ClaimNumbers {
    let worker: WorkerID
    let staysIdle: Bool
    /// Tells apart what a worker of the same name claimed in an earlier life; nobody else can guess
    /// it and be given this worker's lease again.
    private let life = UInt64.random(in: 0 ... .max)
    /// The cell of the lease before.
    var warm: CellID?
    private var number = 0
    private var isAnswered = true

    init(worker: WorkerID, staysIdle: Bool) {
        self.worker = worker
        self.staysIdle = staysIdle
    }

    /// The last claim has got its lease, or none.
    mutating func answered() { isAnswered = true }

    /// One that was not answered may have been granted a lease: the same is asked for again.
    mutating func next(isAhead: Bool) -> ClaimRequest {
        if isAnswered { number += 1 }
        isAnswered = false
        return ClaimRequest(
            request: "\(worker)-\(life)-\(number)",
            warm: warm,
            // Not all at the same moment; ahead of its time none waits for what is not there.
            waitSeconds: isAhead ? 0 : FarmLimits.claimWaitSeconds * Double.random(in: 0.7...1),
            // Without it, every worker of a fleet without work would ask without end.
            staysIdle: staysIdle ? true : nil
        )
    }
}
