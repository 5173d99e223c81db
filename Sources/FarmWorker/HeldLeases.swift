// The state that a worker must not forget: its claim, its lease, and results that no coordinator
// has answered. An accepted result is durable at the coordinator and is not kept here.
import FarmAPI
import FarmCore
import FarmDrivers
import Synchronization

/// The results that a worker could not deliver before its lease was lost.
struct UnansweredLease {
    let token: LeaseToken
    let reports: [TestReport]
    /// The evidence for the lease's completion, or `nil` if its tests had not ended.
    let evidence: LeaseEvidence?
}

/// A worker's current lease, and the undelivered results of the lease that it lost before.
///
/// Invariant: results of a lost lease are offered before the next claim. So there is one such lease
/// at most, and `FarmLimits.reportsWaitingMax` bounds it.
final class HeldLeases: Sendable {
    private struct State {
        var token: LeaseToken?
        /// Returns the test that runs now, or `nil` if none does.
        var test: @Sendable () -> TestID? = { nil }
        var unanswered: UnansweredLease?
        var claims: ClaimNumbers
        /// The number of leases whose results the coordinator refused since it accepted some.
        var refused = 0
        /// The run and the driver of the last lease, or `nil` before the first.
        var last: (run: RunID, driver: any TestDriver)?

        mutating func end() {
            token = nil
            test = { nil }
        }
    }
    /// Leases in a row whose results the coordinator refuses, before the worker ends.
    static let refusedMax = 3
    private let state: Mutex<State>

    init(claims: ClaimNumbers) { state = Mutex(State(claims: claims)) }

    var token: LeaseToken? { state.withLock { $0.token } }
    /// The current lease and its running test, or empty, for the call to a coordinator that was
    /// restarted.
    var running: [RunningLease] {
        let (token, test) = state.withLock { ($0.token, $0.test) }
        return token.map { [RunningLease(token: $0, test: test())] } ?? []
    }

    /// Notes the run and driver of a new lease; returns the driver of the lease before if that was
    /// of another run, else `nil`.
    func change(to run: RunID, _ driver: any TestDriver) -> (any TestDriver)? {
        state.withLock { state in
            defer { state.last = (run, driver) }
            return state.last.flatMap { $0.run == run ? nil : $0.driver }
        }
    }

    func begin(_ token: LeaseToken, running test: @escaping @Sendable () -> TestID?) {
        state.withLock {
            $0.token = token
            $0.test = test
        }
    }

    /// Ends the lease after the coordinator accepted its results, or gave it to another worker.
    func end() {
        state.withLock {
            $0.end()
            $0.refused = 0
        }
    }

    /// Ends the lease after the coordinator refused its results; returns whether the worker may
    /// claim another one.
    ///
    /// A coordinator that was restored from a backup refuses one lease of each worker. A worker
    /// whose leases are all refused would run the same tests for ever.
    func endRefused() -> Bool {
        state.withLock {
            $0.end()
            $0.refused += 1
            return $0.refused < Self.refusedMax
        }
    }

    // MARK: claims

    /// Returns the next claim; see ``ClaimNumbers/next()``.
    func nextClaim() -> ClaimRequest { state.withLock { $0.claims.next() } }

    /// Notes the answer to the last claim: the cell of the lease that it got, or `nil` if it got
    /// none.
    ///
    /// Returns whether the lease before had the same cell.
    @discardableResult
    func claimAnswered(_ cell: CellID?) -> Bool {
        state.withLock { $0.claims.answered(cell) }
    }

    /// The last claim if the coordinator has not answered it, or `nil`.
    ///
    /// The coordinator may have granted that claim a lease.
    var unansweredClaim: ClaimRequest? {
        state.withLock { $0.claims.isAnswered ? nil : $0.claims.next() }
    }

    // MARK: results of a lost lease

    func keep(_ lease: UnansweredLease) { state.withLock { $0.unanswered = lease } }

    /// Sends the undelivered results of a lost lease again, and ends that lease: its tests run no
    /// more.
    ///
    /// Reports that are stale by now ran elsewhere. If the coordinator is gone again, the results
    /// stay for later.
    func offer(to client: CoordinatorClient) async throws {
        guard let lease = state.withLock({ $0.unanswered }) else { return }
        do {
            try await Self.offer(lease, to: client)
        } catch let error as APIError where !error.isUnreachable {
            // The coordinator has no such lease, or it refuses a report; that test shall run again
            // and not count as lost.
            _ = try? await client.release(lease.token)
        }
        state.withLock { $0.unanswered = nil }
    }

    /// Sends the reports of a lost lease, then completes the lease if its tests had ended, or else
    /// releases it.
    private static func offer(_ lease: UnansweredLease, to client: CoordinatorClient) async throws {
        let max = FarmLimits.reportsPerMessageMax
        var rest = lease.reports[...]
        while rest.count > (lease.evidence == nil ? 0 : max) {
            _ = try await client.report(lease.token, Array(rest.prefix(max)))
            rest = rest.dropFirst(max)
        }
        guard let evidence = lease.evidence else {
            _ = try await client.release(lease.token)
            return
        }
        _ = try await client.complete(lease.token, reports: Array(rest), evidence: evidence)
    }
}
