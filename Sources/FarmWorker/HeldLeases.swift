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

/// The leases a worker works on, where its shell can see them.
final class HeldLeases: Sendable {
    private struct State {
        var running: [LeaseToken: @Sendable () -> TestID?] = [:]
        var unanswered: [UnansweredLease] = []
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
    func keep(_ lease: UnansweredLease) {
        guard !lease.isEmpty else { return }
        state.withLock { state in
            state.unanswered.append(lease)
            var count = state.unanswered.reduce(0) { $0 + $1.reports.count }
            while count > FarmLimits.reportsHeldMax, state.unanswered.count > 1 {
                count -= state.unanswered.removeFirst().reports.count
            }
        }
    }

    /// Offers again what was kept, and ends those leases: their tests do not run any more.
    ///
    /// What is stale by now ran elsewhere.
    func offer(to client: CoordinatorClient) async throws {
        while let first = state.withLock({ $0.unanswered.first }) {
            let max = FarmLimits.reportsPerMessageMax
            for start in stride(from: 0, to: first.reports.count, by: max) {
                let batch = first.reports[start..<min(start + max, first.reports.count)]
                do {
                    _ = try await client.report(first.token, Array(batch))
                } catch let error as APIError where !error.isUnreachable {
                    break  // A coordinator that does not know the lease has no use for them.
                }
            }
            await Self.end(first, at: client)
            state.withLock { state in
                if state.unanswered.first?.token == first.token { state.unanswered.removeFirst() }
            }
        }
    }

    /// Completes a lease whose tests had ended, and gives back any other.
    private static func end(_ lease: UnansweredLease, at client: CoordinatorClient) async {
        if let evidence = lease.evidence {
            _ = try? await client.complete(lease.token, reports: [], evidence: evidence)
        } else {
            _ = try? await client.release(lease.token)
        }
    }
}
