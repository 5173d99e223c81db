// A worker's loop: claim a lease, run it until its completion is answered, claim the next.
import FarmAPI
import FarmCore
import FarmDrivers

extension Worker {
    /// Claims and runs leases until no run is open, or until the worker is drained.
    ///
    /// A claim without an answer is repeated first.
    func leaseAfterLease(staysIdle: Bool, _ held: HeldLeases) async throws {
        let fitness = Fitness(worker: id, client: client, folders: [scratch], log: log)
        var lastObstacle: Problem?
        while true {
            try await held.offer(to: client)
            guard drained.known == nil else { return }
            let request = held.nextClaim()
            let answer = try await untilDrained {
                try await fitness.wait(staysIdle: staysIdle)
                let sent = ContinuousClock.now
                return (reply: try await client.claim(id, request), sent: sent)
            }
            guard let answer else { return }
            let isWarm = held.claimAnswered(answer.reply.lease?.shard.cell.id)
            if let lease = answer.reply.lease {
                let driver = driver(lease.shard.job.driver)
                let left = held.change(to: lease.shard.run, driver)
                if !keepsWarm { await left?.leaveRun() }
                let runner = runner(of: lease, driver, isWarm: isWarm, claimSent: answer.sent)
                try await work(lease, runner, held)
            } else {
                say(answer.reply.obstacle, &lastObstacle)
                if answer.reply.idle, !staysIdle { return }
            }
        }
    }

    /// Returns the value of `body`, or `nil` if the worker is drained before `body` ends.
    private func untilDrained<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let first: Value? = try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await drained.value
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        return drained.known == nil ? first : nil
    }

    private func work(
        _ lease: Lease,
        _ runner: LeaseRunner,
        _ held: HeldLeases
    ) async throws {
        log(
            "\(lease.token.id): \(Self.counted(lease.shard.tests.count)) of \(lease.shard.job.name) on "
                + "\(lease.shard.cell.id)"
        )
        held.begin(lease.token) { runner.running }
        do {
            try await runner.run {
                let kept = try await client.hello(
                    HelloRequest(worker: id, beginsAnew: false, running: held.running)
                ).kept
                log(
                    "the coordinator answers again; \(lease.token.id) is "
                        + (kept.isEmpty ? "lost." : "still ours.")
                )
            }
        } catch let error as WorkerError {
            switch error {
            case .leaseLost: held.end()
            case .leaseRefused: guard held.endRefused() else { throw error }
            case .orphaned, .scratch: throw error
            }
            log(error.message)
            held.keep(runner.unanswered)
            // A restored coordinator may have no record of this worker or its offer.
            return try await hello(client, beginsAnew: false)
        }
        held.end()
    }

    private static func counted(_ tests: Int) -> String {
        tests == 1 ? "1 test" : "\(tests) tests"
    }

    private func runner(
        of lease: Lease,
        _ driver: any TestDriver,
        isWarm: Bool,
        claimSent: ContinuousClock.Instant
    ) -> LeaseRunner {
        LeaseRunner(
            lease: lease,
            isWarm: isWarm,
            launches: launches,
            client: client,
            renewals: renewals,
            clock: LeaseClock(timing: timing, claimSent: claimSent),
            driver: driver,
            scratch: scratch + "/" + lease.token.id.text,
            cache: cache,
            bundles: bundles,
            references: references,
            isolation: isolation,
            pressure: pressure
        )
    }

    /// Logs the reason why no work comes, unless it is the last logged one.
    private func say(_ obstacle: Problem?, _ last: inout Problem?) {
        defer { last = obstacle }
        guard let obstacle, obstacle.code != last?.code else { return }
        log("\(obstacle.message) \(obstacle.remedy)")
    }
}

/// Makes a worker's claims with their numbers: a claim with the same number is the same claim.
struct ClaimNumbers {
    private let worker: WorkerID
    private let staysIdle: Bool
    /// A random part of the claim's id.
    ///
    /// It separates this process from an earlier one of the same name, and no other client can
    /// guess it to get this worker's lease.
    private let life = UInt64.random(in: 0 ... .max)
    /// The cell of the worker's last lease, or `nil` before the first.
    private var warm: CellID?
    private var number = 0
    private(set) var isAnswered = true

    init(worker: WorkerID, staysIdle: Bool) {
        self.worker = worker
        self.staysIdle = staysIdle
    }

    /// Notes the answer to the last claim: the cell of the lease that it got, or `nil` if it got
    /// none.
    ///
    /// Returns whether the lease before had the same cell.
    mutating func answered(_ cell: CellID?) -> Bool {
        isAnswered = true
        guard let cell else { return false }
        defer { warm = cell }
        return warm == cell
    }

    /// Returns a new claim, or the last one again if it has no answer, because the coordinator may
    /// have granted it a lease.
    mutating func next() -> ClaimRequest {
        let isNew = isAnswered
        if isNew { number += 1 }
        isAnswered = false
        return ClaimRequest(
            request: "\(worker)-\(life)-\(number)",
            warm: warm,
            // Random, so that workers do not claim all at once; a repeated claim does not wait.
            waitSeconds: isNew ? FarmLimits.claimWaitSeconds * Double.random(in: 0.7...1) : 0,
            // Without it, idle workers of a fleet would claim in an endless loop.
            staysIdle: staysIdle ? true : nil
        )
    }
}
