// What a worker would lose if it forgot: the leases it works on, and results that no coordinator
// has answered. An accepted result is durable there and is not kept.
import FarmAPI
import FarmCore
import Synchronization

/// What a lease could not deliver.
struct UnansweredLease {
    let token: LeaseToken
    let reports: [TestReport]
    /// What its completion said; nil where its tests had not ended.
    let evidence: LeaseEvidence?

    var isEmpty: Bool { reports.isEmpty && evidence == nil }
}

/// What leases could not deliver, oldest first, within `FarmLimits.reportsHeldMax` reports.
struct UnansweredLeases {
    private var leases: [UnansweredLease] = []
    private var reports = 0

    var first: UnansweredLease? { leases.first }

    /// Forgets the oldest where there is too much; the newest is kept, however large.
    mutating func append(_ lease: UnansweredLease) {
        guard !lease.isEmpty else { return }
        leases.append(lease)
        reports += lease.reports.count
        while reports > FarmLimits.reportsHeldMax, leases.count > 1 {
            reports -= leases.removeFirst().reports.count
        }
    }

    /// `lease` has its answer; by now it may be forgotten.
    mutating func remove(first lease: UnansweredLease) {
        guard leases.first?.token == lease.token else { return }
        reports -= leases.removeFirst().reports.count
    }
}

/// The leases a worker works on, where its shell can see them.
final class HeldLeases: Sendable {
    private struct State {
        var running: [LeaseToken: @Sendable () -> TestID?] = [:]
        var unanswered = UnansweredLeases()
    }
    private let state = Mutex(State())

    var tokens: [LeaseToken] { state.withLock { Array($0.running.keys) } }
    /// What runs now, for a coordinator that was started again.
    var running: [RunningLease] {
        state.withLock { $0.running }.map { RunningLease(token: $0.key, test: $0.value()) }
    }

    func insert(_ token: LeaseToken, running: @escaping @Sendable () -> TestID?) {
        state.withLock { $0.running[token] = running }
    }

    func remove(_ token: LeaseToken) { state.withLock { $0.running[token] = nil } }

    // MARK: results of lost leases

    /// Keeps what a lease could not deliver, the newest `FarmLimits.reportsHeldMax` reports.
    func keep(_ lease: UnansweredLease) { state.withLock { $0.unanswered.append(lease) } }

    /// Offers again what was kept, and ends those leases: their tests do not run any more.
    ///
    /// What is stale by now ran elsewhere. A coordinator that is gone again is offered it later.
    func offer(to client: CoordinatorClient) async throws {
        while let first = state.withLock({ $0.unanswered.first }) {
            do {
                try await Self.offer(first, to: client)
            } catch let error as APIError where !error.isUnreachable {
                // It does not know the lease; or it refuses a report, whose test shall run again and
                // not count as lost.
                _ = try? await client.release(first.token)
            }
            state.withLock { $0.unanswered.remove(first: first) }
        }
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
