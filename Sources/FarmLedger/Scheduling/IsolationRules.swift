// Test cases that run with nothing else on their host: what they showed on a host that was too busy
// does not count before.
//
// Invariants
//   - While an isolated lease lives, its host has no other lease.
//   - Nobody waits for ever: a host that is awaited works only for runs with isolated test cases, and
//     of those a plan has finitely many.
import FarmCore

/// What else may run beside a test case; the number is the ledger's.
package enum LeaseCompany: Int, Hashable, Sendable {
    /// Other test cases of its lease.
    case others = 0
    /// None in its lease: it may kill its worker.
    case alone = 1
    /// Nothing on its host.
    case isolated = 2
}

/// What happens on the host of a worker that asks for work.
package struct HostState: Hashable, Sendable {
    /// Live leases of its workers, of any run; counted only while isolated test cases wait.
    package var leases = 0
    /// One of them is isolated.
    package var isIsolated = false
    /// Another of its workers waits until nothing runs here.
    package var isAwaited = false
}

package enum IsolationRules {
    /// What a worker gets of one run.
    package enum Step: Hashable, Sendable {
        case lease(ClaimChoice)
        /// Nothing of this run or any other, until nothing runs on its host.
        case wait
        /// Nothing of this run.
        case nothing
    }

    /// Decides what becomes of the `choice` that ``ClaimRules`` made from what is `waiting`.
    package static func step(
        choice: ClaimChoice?,
        waiting: [WaitingCell],
        host: HostState
    ) -> Step {
        guard let choice, !host.isIsolated else { return .nothing }
        // Other runs would keep the host busy for as long as they last.
        if host.isAwaited, !waiting.contains(where: { $0.isolated > 0 }) { return .nothing }
        guard choice.company == .isolated, host.leases > 0 else { return .lease(choice) }
        return .wait
    }
}
