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
    let driver: @Sendable (DriverSettings) -> any TestDriver
    /// True once the process that started this worker is gone.
    let isOrphaned: @Sendable () -> Bool
    let log: @Sendable (String) -> Void

    package init(
        id: WorkerID,
        client: CoordinatorClient,
        scratch: String,
        driver: @escaping @Sendable (DriverSettings) -> any TestDriver,
        isOrphaned: @escaping @Sendable () -> Bool,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.id = id
        self.client = client
        self.scratch = scratch
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
        let held = HeldLease()
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
        if let token = held.token { _ = try? await client.release(token) }
        try result.get()
    }

    private func leaseAfterLease(staysIdle: Bool, _ held: HeldLease) async throws {
        try await client.hello(id)
        var warm: CellID?
        var number = 0
        while !Task.isCancelled {
            number += 1
            let reply = try await client.claim(
                id,
                ClaimRequest(
                    request: "\(id)-\(number)",
                    warm: warm,
                    waitSeconds: FarmLimits.claimWaitSeconds
                )
            )
            guard let lease = reply.lease else {
                if reply.idle && !staysIdle { return }
                continue
            }
            warm = lease.shard.cell.id
            held.token = lease.token
            try await work(on: lease)
            held.token = nil
        }
    }

    private func work(on lease: Lease) async throws {
        log(
            "\(lease.token.id): \(lease.shard.tests.count) tests of \(lease.shard.job.name) on "
                + "\(lease.shard.cell.id)"
        )
        let runner = LeaseRunner(
            lease: lease,
            client: client,
            driver: driver(lease.shard.job.driver),
            scratch: scratch + "/" + lease.token.id.text
        )
        do {
            try await runner.run()
        } catch let error as WorkerError {
            guard case .leaseLost = error else { throw error }
            log(error.message)
        }
    }
}

/// The lease a worker works on, where its shell can see it.
private final class HeldLease: Sendable {
    private let state = Mutex<LeaseToken?>(nil)

    var token: LeaseToken? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
