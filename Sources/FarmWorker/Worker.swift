// The worker process: lease → drive → compare → report, until no run is open. It keeps no durable
// state: if it dies, its lease ends and the tests run elsewhere.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import Foundation

/// A worker process, which runs leases of a coordinator.
package struct Worker: Sendable {
    let id: WorkerID
    /// The host's name, the same for all workers of this machine.
    let host: String
    /// The path of the file that reports the host's load.
    let pressure: String
    let client: CoordinatorClient
    /// A client for renewals alone, which makes one try (``RetryPolicy/once``).
    let renewals: CoordinatorClient
    let timing: LeaseTiming
    /// The offer of this machine.
    let offer: WorkerOffer
    /// The path of the worker's own folder; emptied after each lease.
    let scratch: String
    /// The path of the cached references, shared by the workers of this machine.
    let cache: String
    /// The cache of bundles, the files of jobs whose work tree is elsewhere; the workers of this
    /// machine share it.
    let bundles: BundleCache
    let references = KnownReferences()
    /// Fulfilled when the worker shall finish its lease and begin no other.
    let drained = Promise<Void>()
    let launches = LaunchMeter()
    /// The isolation of all tests, or `nil` if they are not isolated; that of `driver`, too.
    let isolation: Isolation?
    /// Whether the drivers keep their processes (browsers) from one run to the next.
    let keepsWarm: Bool
    let driver: @Sendable (DriverSettings) -> any TestDriver
    /// Returns whether the process that started this worker is gone.
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
        isolation: Isolation? = nil,
        keepsWarm: Bool = false,
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
        self.isolation = isolation
        self.keepsWarm = keepsWarm
        self.driver = driver
        self.isOrphaned = isOrphaned
        self.log = log
    }

    /// Claims and runs leases until no run is open, until stopped, or until the process that
    /// started it is gone.
    ///
    /// A lease that is cut short is released at once, so that its tests run elsewhere. With
    /// `staysIdle` the worker keeps claiming while no run is open. `stopped` returns when the
    /// worker shall stop, `drains` when it shall finish its lease and then leave. After
    /// `idleSeconds` without a lease it leaves by itself, also while its coordinator is away.
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
                // The end of the lease ends the worker.
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
            // At once, because ending a test may take seconds. This task is not cancelled, so the
            // call reaches the coordinator.
            if let token = held.token { _ = try? await renewals.release(token) }
            await group.waitForAll()
            await giveBack(held.unansweredClaim)
            await leave()
            return first
        }
        try result.get()
    }

    /// Releases the lease of the last claim if its answer was not awaited.
    ///
    /// The same claim gets the same lease again, and a coordinator answers only a worker's newest
    /// call, so that this worker holds no lease afterwards. Makes one try: a coordinator that is
    /// away does not delay the end.
    private func giveBack(_ unanswered: ClaimRequest?) async {
        guard let unanswered, let lease = try? await renewals.claim(id, unanswered).lease else {
            return
        }
        _ = try? await renewals.release(lease.token)
    }

    /// Reports to the coordinator that this worker leaves, so that lists show it as gone at once.
    ///
    /// Without this call they show it as live for one more lease. It makes one try: a coordinator
    /// that is away does not delay the end.
    private func leave() async {
        let request = HelloRequest(worker: id, beginsAnew: false, unfit: .workerLeft(id))
        _ = try? await renewals.hello(request)
    }

    /// Waits until the worker has held no lease for `seconds`, and its loop had time to end.
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
