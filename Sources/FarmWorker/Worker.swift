// The worker as a process: lease → drive → compare → report, until no run is open. It keeps no
// truth; when it dies, its lease ends and the tests run elsewhere.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import Foundation

/// One worker.
package struct Worker: Sendable {
    let id: WorkerID
    /// The same for all workers of this machine.
    let host: String
    /// The file that says how busy it is.
    let pressure: String
    let client: CoordinatorClient
    /// For renewals alone; see ``Patience/once``.
    let renewals: CoordinatorClient
    let timing: LeaseTiming
    /// What this machine has.
    let offer: WorkerOffer
    /// A folder of its own; emptied lease by lease.
    let scratch: String
    /// References as files, shared by the workers of this machine.
    let cache: String
    /// Files of jobs whose work tree is elsewhere, shared like the references.
    let bundles: BundleCache
    let driver: @Sendable (DriverSettings) -> any TestDriver
    /// True once the process that started this worker is gone.
    let isOrphaned: @Sendable () -> Bool
    let log: @Sendable (String) -> Void

    package init(
        id: WorkerID,
        host: String,
        pressure: String,
        client: CoordinatorClient,
        renewals: CoordinatorClient,
        timing: LeaseTiming = .usual,
        offer: WorkerOffer = WorkerOffer(),
        scratch: String,
        cache: String,
        driver: @escaping @Sendable (DriverSettings) -> any TestDriver,
        isOrphaned: @escaping @Sendable () -> Bool,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.id = id
        self.host = host
        self.pressure = pressure
        self.client = client
        self.renewals = renewals
        self.timing = timing
        self.offer = offer
        self.scratch = scratch
        self.cache = cache
        bundles = BundleCache(folder: cache + "/bundles", platform: BundlePlatform.current)
        self.driver = driver
        self.isOrphaned = isOrphaned
        self.log = log
    }

    /// Works until no run is open, until stopped, or until the starting process is gone.
    ///
    /// A lease that is cut short is given back at once, so that its tests run elsewhere. A worker
    /// that `staysIdle` keeps asking when no run is open; `stopped` returns when it shall stop.
    package func run(
        staysIdle: Bool,
        stopped: @escaping @Sendable () async -> Void
    ) async throws {
        let held = HeldLeases()
        let result = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            group.addTask {
                do {
                    return .success(try await workReconnecting(staysIdle: staysIdle, held))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                while !isOrphaned(), !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(500))
                }
                return .failure(WorkerError.orphaned)
            }
            group.addTask {
                await stopped()
                return .success(())
            }
            let first = await group.next() ?? .success(())
            group.cancelAll()
            // At once: ending a test may take seconds. This task is not cancelled, so the
            // coordinator hears it.
            for token in held.tokens { _ = try? await renewals.release(token) }
            await group.waitForAll()
            return first
        }
        try result.get()
    }

    /// What happens to a worker between two leases.
    private enum Step: Sendable {
        case claimed(ClaimReply, sent: ContinuousClock.Instant)
        /// The tests of a lease have ended; its reports may still be on their way.
        case driven
        case delivered
    }

    /// Claims as soon as the tests of a lease have ended; those of the first, when it is delivered.
    ///
    /// Its last reports travel while the tests of the next lease run; at most
    /// `FarmLimits.leasesPerWorkerMax` leases are open at once. A worker that does not
    /// `beginAnew` was here before, and is known.
    func leaseAfterLease(
        staysIdle: Bool,
        beginsAnew: Bool = true,
        _ held: HeldLeases
    ) async throws {
        try await client.hello(
            HelloRequest(worker: id, beginsAnew: beginsAnew, offer: offer, host: host)
        )
        var open = 0
        var claims = ClaimNumbers(worker: id, staysIdle: staysIdle)
        var wantsClaim = false
        // Before its first results are known the coordinator would only give it a few more tests.
        var isUnproven = beginsAnew
        var lastObstacle: Problem?
        let fitness = Fitness(worker: id, client: client, folders: [scratch], log: log)
        try await withThrowingTaskGroup(of: Step.self) { group in
            func claim() {
                let request = claims.next()
                group.addTask {
                    try await fitness.wait(staysIdle: staysIdle)
                    try await held.offer(to: client)
                    let sent = ContinuousClock.now
                    return .claimed(try await client.claim(id, request), sent: sent)
                }
            }
            claim()
            while let step = try await group.next() {
                try Task.checkCancellation()
                switch step {
                case .claimed(let reply, let sent):
                    guard let lease = reply.lease else {
                        say(reply.obstacle, &lastObstacle)
                        if staysIdle || !reply.idle { claim() }
                        continue
                    }
                    open += 1
                    claims.warm = lease.shard.cell.id
                    let runner = runner(of: lease, claimSent: sent)
                    held.insert(lease.token) { runner.running }
                    let (ended, end) = AsyncStream<Void>.makeStream()
                    let isCanary = isUnproven
                    isUnproven = false
                    group.addTask {
                        defer { end.finish() }
                        try await work(runner, held) { if !isCanary { end.finish() } }
                        return .delivered
                    }
                    group.addTask {
                        for await _ in ended {}
                        return .driven
                    }
                case .driven: wantsClaim = true
                case .delivered: open -= 1
                }
                if wantsClaim, open < FarmLimits.leasesPerWorkerMax {
                    wantsClaim = false
                    claim()
                }
            }
        }
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
    /// Tells apart what a worker of the same name claimed in an earlier life.
    private let life = UInt32.random(in: 0 ... .max)
    /// The cell of the lease before.
    var warm: CellID?
    private var number = 0

    init(worker: WorkerID, staysIdle: Bool) {
        self.worker = worker
        self.staysIdle = staysIdle
    }

    mutating func next() -> ClaimRequest {
        number += 1
        return ClaimRequest(
            request: "\(worker)-\(life)-\(number)",
            warm: warm,
            // Not all at the same moment.
            waitSeconds: FarmLimits.claimWaitSeconds * Double.random(in: 0.7...1),
            // Without it, every worker of a fleet without work would ask without end.
            staysIdle: staysIdle ? true : nil
        )
    }
}
