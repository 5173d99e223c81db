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
    /// For renewals alone; see ``RetryPolicy/once``.
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
    let references = KnownReferences()
    /// Set when the worker shall finish what runs and begin nothing more.
    let drained = Promise<Void>()
    let launches = LaunchMeter()
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
        bundles = BundleCache(
            folder: cache + "/bundles",
            platform: BundlePlatform.current,
            log: log
        )
        self.driver = driver
        self.isOrphaned = isOrphaned
        self.log = log
    }

    /// Works until no run is open, until stopped, or until the starting process is gone.
    ///
    /// A lease that is cut short is given back at once, so that its tests run elsewhere. A worker
    /// that `staysIdle` keeps asking when no run is open; `stopped` returns when it shall stop,
    /// `drains` when it shall finish what it runs and then leave. After `idleSeconds` without a lease it
    /// leaves by itself, also while its coordinator is away.
    package func run(
        staysIdle: Bool,
        idleSeconds: Double? = nil,
        drains: (@Sendable () async -> Void)? = nil,
        stopped: @escaping @Sendable () async -> Void
    ) async throws {
        let held = HeldLeases(claims: ClaimNumbers(worker: id, staysIdle: staysIdle))
        let result = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            group.addTask {
                do {
                    return .success(try await workReconnecting(staysIdle: staysIdle, held))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await drains?()
                if drains != nil, !Task.isCancelled {
                    drained.set(())
                    log("draining: what runs is finished, nothing more is begun.")
                }
                // What ends the worker is the end of its lease.
                try? await Promise<Void>().value
                return .success(())
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
            if let idleSeconds {
                group.addTask {
                    await untilIdle(for: idleSeconds, held)
                    return .success(())
                }
            }
            let first = await group.next() ?? .success(())
            group.cancelAll()
            // At once: ending a test may take seconds. This task is not cancelled, so the
            // coordinator hears it.
            if let token = held.token { _ = try? await renewals.release(token) }
            await group.waitForAll()
            await giveBack(held.unansweredClaim)
            await leave()
            return first
        }
        try result.get()
    }

    /// Gives back what a claim has got whose answer nobody waited for.
    ///
    /// The same claim again gets the same lease, and a coordinator answers only the newest call of a
    /// worker: none is leased anything after this. One that is away now is not waited for.
    private func giveBack(_ unanswered: ClaimRequest?) async {
        guard let unanswered, let lease = try? await renewals.claim(id, unanswered).lease else {
            return
        }
        _ = try? await renewals.release(lease.token)
    }

    /// Tells the coordinator that this worker leaves, so that lists show it as gone at once.
    ///
    /// Without this call they show it as live for one more lease. The call is made once: a coordinator that
    /// is away does not delay the end.
    private func leave() async {
        let request = HelloRequest(worker: id, beginsAnew: false, unfit: .workerLeft(id))
        _ = try? await renewals.hello(request)
    }

    /// Returns when no lease was held for so long, and what a claim got meanwhile is given back.
    private func untilIdle(for seconds: Double, _ held: HeldLeases) async {
        var busy = ContinuousClock.now
        while ContinuousClock.now - busy < .seconds(seconds) {
            let pause = min(seconds / 4, FarmLimits.idleLookSeconds)
            guard (try? await Task.sleep(for: .seconds(pause))) != nil else { return }
            if held.token != nil { busy = ContinuousClock.now }
        }
        log("no work for \(Int(seconds.rounded(.up))) s: the worker leaves.")
        drained.set(())
        // The loop ends by itself, unless it waits for a coordinator that is away.
        try? await Task.sleep(for: .seconds(FarmLimits.idleLeaveSeconds))
        while held.token != nil, !Task.isCancelled {
            try? await Task.sleep(for: .seconds(FarmLimits.idleLookSeconds))
        }
    }
}
