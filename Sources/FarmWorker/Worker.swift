// The worker as a process: lease → drive → compare → report, until no run is open. It keeps no
// truth; when it dies, its lease ends and the tests run elsewhere.
import FarmAPI
import FarmCore
import FarmDrivers
import Foundation
import Synchronization

/// One worker.
package struct Worker: Sendable {
    let id: WorkerID
    let client: CoordinatorClient
    /// A folder of its own; emptied lease by lease.
    let scratch: String
    /// References as files, shared by the workers of this machine.
    let cache: String
    let driver: @Sendable (DriverSettings) -> any TestDriver
    /// True once the process that started this worker is gone.
    let isOrphaned: @Sendable () -> Bool
    let log: @Sendable (String) -> Void

    package init(
        id: WorkerID,
        client: CoordinatorClient,
        scratch: String,
        cache: String,
        driver: @escaping @Sendable (DriverSettings) -> any TestDriver,
        isOrphaned: @escaping @Sendable () -> Bool,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.id = id
        self.client = client
        self.scratch = scratch
        self.cache = cache
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
                    return .success(try await leaseAfterLease(staysIdle: staysIdle, held))
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
            await group.waitForAll()
            return first
        }
        // This task is not cancelled, so the coordinator still hears it.
        for token in held.tokens { _ = try? await client.release(token) }
        try result.get()
    }

    /// What happens to a worker between two leases.
    private enum Step: Sendable {
        case claimed(ClaimReply)
        /// The tests of a lease have ended; its reports may still be on their way.
        case driven
        case delivered
    }

    /// Claims as soon as the tests of a lease have ended.
    ///
    /// Its last reports travel while the tests of the next lease run; at most
    /// `FarmLimits.leasesPerWorkerMax` leases are open at once.
    private func leaseAfterLease(staysIdle: Bool, _ held: HeldLeases) async throws {
        try await client.hello(HelloRequest(worker: id, beginsAnew: true))
        var open = 0
        var claims = ClaimNumbers(worker: id)
        var wantsClaim = false
        var lastObstacle: Problem?
        let fitness = Fitness(worker: id, client: client, folders: [scratch], log: log)
        try await withThrowingTaskGroup(of: Step.self) { group in
            func claim() {
                let request = claims.next()
                group.addTask {
                    try await fitness.wait(staysIdle: staysIdle)
                    return .claimed(try await client.claim(id, request))
                }
            }
            claim()
            while let step = try await group.next() {
                try Task.checkCancellation()
                switch step {
                case .claimed(let reply):
                    guard let lease = reply.lease else {
                        say(reply.obstacle, &lastObstacle)
                        if staysIdle || !reply.idle { claim() }
                        continue
                    }
                    open += 1
                    claims.warm = lease.shard.cell.id
                    held.insert(lease.token)
                    let (ended, end) = AsyncStream<Void>.makeStream()
                    group.addTask {
                        defer { end.finish() }
                        try await work(on: lease) { end.finish() }
                        held.remove(lease.token)
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

    private func work(
        on lease: Lease,
        driven: @escaping @Sendable () -> Void
    ) async throws {
        log(
            "\(lease.token.id): \(lease.shard.tests.count) tests of \(lease.shard.job.name) on "
                + "\(lease.shard.cell.id)"
        )
        let runner = LeaseRunner(
            lease: lease,
            client: client,
            driver: driver(lease.shard.job.driver),
            scratch: scratch + "/" + lease.token.id.text,
            cache: cache
        )
        do {
            try await runner.run(driven: driven)
        } catch let error as WorkerError {
            guard case .leaseLost = error else { throw error }
            log(error.message)
        }
    }
}

/// Numbers a worker's claims: the same number again is the same claim.
private struct ClaimNumbers {
    let worker: WorkerID
    /// The cell of the lease before.
    var warm: CellID?
    private var number = 0

    init(worker: WorkerID) { self.worker = worker }

    mutating func next() -> ClaimRequest {
        number += 1
        return ClaimRequest(
            request: "\(worker)-\(number)",
            warm: warm,
            waitSeconds: FarmLimits.claimWaitSeconds
        )
    }
}

/// The leases a worker works on, where its shell can see them.
private final class HeldLeases: Sendable {
    private let state = Mutex<Set<LeaseToken>>([])

    var tokens: Set<LeaseToken> { state.withLock { $0 } }
    func insert(_ token: LeaseToken) { _ = state.withLock { $0.insert(token) } }
    func remove(_ token: LeaseToken) { _ = state.withLock { $0.remove(token) } }
}
