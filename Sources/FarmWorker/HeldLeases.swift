// What a worker would lose if it forgot: the claim it has made, the lease it works on, and results that
// no coordinator has answered. An accepted result is durable there and is not kept.
import FarmAPI
import FarmCore
import FarmDrivers
import Synchronization

/// What a lost lease could not deliver.
struct UnansweredLease {
    let token: LeaseToken
    let reports: [TestReport]
    /// What its completion said; nil where its tests had not ended.
    let evidence: LeaseEvidence?
}

/// The lease a worker works on, where its shell can see it, and the one it lost before.
///
/// Invariant: what a lost lease left is offered before another lease is claimed, so there is one at
/// most, and `FarmLimits.reportsWaitingMax` bounds it.
final class HeldLeases: Sendable {
    private struct State {
        var token: LeaseToken?
        /// The test that runs now.
        var test: @Sendable () -> TestID? = { nil }
        var unanswered: UnansweredLease?
        var claims: ClaimNumbers
        /// Of the last lease.
        var last: (run: RunID, driver: any TestDriver)?
    }
    private let state: Mutex<State>

    init(claims: ClaimNumbers) { state = Mutex(State(claims: claims)) }

    var token: LeaseToken? { state.withLock { $0.token } }
    /// What runs now, for a coordinator that was started again.
    var running: [RunningLease] {
        let (token, test) = state.withLock { ($0.token, $0.test) }
        return token.map { [RunningLease(token: $0, test: test())] } ?? []
    }

    /// Notes the run and driver of a lease; returns the driver of the lease before it if that was of
    /// another run.
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

    func end() {
        state.withLock {
            $0.token = nil
            $0.test = { nil }
        }
    }

    // MARK: claims

    /// The next claim; see ``ClaimNumbers/next()``.
    func nextClaim() -> ClaimRequest { state.withLock { $0.claims.next() } }

    /// The last claim has got no lease, or one on `cell`; true where the lease before was there, too.
    @discardableResult
    func claimAnswered(_ cell: CellID?) -> Bool {
        state.withLock { $0.claims.answered(cell) }
    }

    /// The last claim again where nobody heard its answer, which may be a lease.
    var unansweredClaim: ClaimRequest? {
        state.withLock { $0.claims.isAnswered ? nil : $0.claims.next() }
    }

    // MARK: results of a lost lease

    func keep(_ lease: UnansweredLease) { state.withLock { $0.unanswered = lease } }

    /// Offers again what was kept, and ends that lease: its tests do not run any more.
    ///
    /// What is stale by now ran elsewhere. A coordinator that is gone again is offered it later.
    func offer(to client: CoordinatorClient) async throws {
        guard let lease = state.withLock({ $0.unanswered }) else { return }
        do {
            try await Self.offer(lease, to: client)
        } catch let error as APIError where !error.isUnreachable {
            // It does not know the lease; or it refuses a report, whose test shall run again and
            // not count as lost.
            _ = try? await client.release(lease.token)
        }
        state.withLock { $0.unanswered = nil }
    }

    /// Completes a lease whose tests had ended, and gives back any other.
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
