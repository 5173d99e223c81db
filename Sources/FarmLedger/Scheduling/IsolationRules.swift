// Test cases that run with nothing else on their host. An earlier failure on a host that was too
// busy does not count.
//
// Invariants
//   - While an isolated lease lives, its host has no other lease.
//   - No worker waits for ever: an awaited host takes work of runs with isolated test cases alone,
//     and each plan has finitely many of them.
import FarmCore

/// The other work that may run beside a test case; the ledger stores the raw value.
package enum LeaseCompany: Int, Hashable, Sendable {
    /// Other test cases of the same lease may run beside the test case.
    case others = 0
    /// The test case is alone in its lease, because it may kill its worker.
    case alone = 1
    /// Nothing else may run on the host of the test case.
    case isolated = 2
}

/// The state of a claiming worker's host.
package struct HostState: Hashable, Sendable {
    /// The number of live leases of the host's workers, of any run; counted only while isolated
    /// test cases wait.
    package var leases = 0
    /// Whether one of the host's live leases is isolated.
    package var isIsolated = false
    /// Whether another worker of the host waits until nothing runs on the host.
    package var isAwaited = false
}

package enum IsolationRules {
    /// The result of a claim in one run.
    package enum Step: Hashable, Sendable {
        case lease(ClaimChoice)
        /// The worker gets no work of any run until nothing runs on its host.
        case wait
        /// The worker gets no work of this run.
        case nothing
    }

    /// Returns the step for the `choice` that ``ClaimRules`` made among the `waiting` cells.
    package static func step(
        choice: ClaimChoice?,
        waiting: [WaitingCell],
        host: HostState
    ) -> Step {
        guard let choice, !host.isIsolated else { return .nothing }
        // Work of other runs would keep the host busy for as long as they last.
        if host.isAwaited, !waiting.contains(where: { $0.isolated > 0 }) { return .nothing }
        guard choice.company == .isolated, host.leases > 0 else { return .lease(choice) }
        return .wait
    }
}
