// The ledger of a simulated coordinator. The witness checks every answer, and the coordinator may
// die before or after any transaction: a crash can have no other effect.
import FarmCore
import FarmLedger
import Synchronization

/// The coordinator has died, so its current call has no answer.
struct CoordinatorDied: Error {}

final class WitnessedLedger: LedgerDecorator {
    private struct State {
        var witness: Witness
        /// The number of transaction borders until the coordinator dies, or `nil` if it does not.
        var bordersLeft: Int?
        var calls = 0
    }
    let ledger: any Ledger
    private let state: Mutex<State>

    init(_ ledger: any Ledger, witness: Witness, calls: Int) {
        self.ledger = ledger
        state = Mutex(State(witness: witness, calls: calls))
    }

    /// The observations so far; the next coordinator's witness continues with them.
    var witness: Witness { state.withLock { $0.witness } }
    var calls: Int { state.withLock { $0.calls } }

    /// Makes the coordinator die at one of the next borders of transactions.
    func die(atBorder border: Int) { state.withLock { $0.bordersLeft = border } }

    func hasBlob(_ digest: Digest) -> Bool { state.withLock { $0.witness.blobs.contains(digest) } }
    func noteBlob(_ digest: Digest) { state.withLock { _ = $0.witness.blobs.insert(digest) } }

    /// Whether the coordinator died at a border; its caller may not have noticed.
    var hasDied: Bool { state.withLock { $0.bordersLeft == 0 } }

    private func passBorder() throws {
        let dies = state.withLock { state in
            guard let left = state.bordersLeft else { return false }
            state.bordersLeft = max(0, left - 1)
            return left <= 1
        }
        if dies { throw CoordinatorDied() }
    }

    private func checked<Value: Sendable>(
        call: () async throws -> Value,
        check: @Sendable (inout Witness, Value) throws -> Void
    ) async throws -> Value {
        try passBorder()
        let value = try await call()
        try state.withLock { state in
            state.calls += 1
            try check(&state.witness, value)
        }
        try passBorder()
        return value
    }

    // MARK: runs

    func openRun(_ run: NewRun, now: Milliseconds) async throws -> RunID {
        try await checked(
            call: { try await ledger.openRun(run, now: now) },
            check: {
                try $0.opened(run, as: $1)
            }
        )
    }

    func close(_ run: RunID, judged: JudgedRun, now: Milliseconds) async throws {
        try await checked(
            call: { try await ledger.close(run, judged: judged, now: now) },
            check: { witness, _ in
                witness.close(run)
            }
        )
    }

    // MARK: leases

    func hello(_ worker: WorkerID, now: Milliseconds) async throws {
        try await checked(call: { try await ledger.hello(worker, now: now) }, check: { _, _ in })
    }

    func claim(
        worker: WorkerID,
        request: String,
        warm: CellID?,
        reach: PipelineReach,
        now: Milliseconds
    ) async throws -> Lease? {
        try await checked(
            call: {
                try await ledger.claim(
                    worker: worker,
                    request: request,
                    warm: warm,
                    reach: reach,
                    now: now
                )
            },
            check: { witness, lease in
                if let lease {
                    try witness.claimed(lease, worker: worker, request: request, now: now)
                }
                witness.called(worker, now: now)
            }
        )
    }

    func renew(
        _ token: LeaseToken,
        running: TestID?,
        started: [TestID],
        reached: Int,
        now: Milliseconds
    ) async throws -> FencedAnswer {
        try await checked(
            call: {
                try await ledger.renew(
                    token,
                    running: running,
                    started: started,
                    reached: reached,
                    now: now
                )
            },
            check: {
                try $0.renewed(token.epoch, running: running, started: started, $1, now: now)
            }
        )
    }

    func report(
        _ token: LeaseToken,
        _ reports: [TestReport],
        now: Milliseconds
    ) async throws -> ReportReceipt {
        try await checked(
            call: { () async throws -> (ReportReceipt, EndedLeases) in
                let receipt = try await ledger.report(token, reports, now: now)
                return (receipt, try await ended(mayHave: receipt.requeued))
            },
            check: { try $0.reported(token.epoch, reports, $1.0.answers, ended: $1.1) }
        ).0
    }

    /// Returns the leases that ended by the last change.
    ///
    /// The leases of suspended workers and stopped runs end with the attempt that exceeded the
    /// limit; a trimmed lease ends with the last report of its remaining tests.
    private func ended(mayHave: Bool) async throws -> EndedLeases {
        var ended = EndedLeases()
        let witness = witness
        guard mayHave || witness.hasTrimmed else { return ended }
        for run in witness.runs.values.sorted() {
            for lease in try await ledger.leases(run) {
                if lease.state == "withdrawn" { ended.withdrawn.append(lease.epoch) }
                if lease.state == "revoked" { ended.revoked.append(lease.epoch) }
            }
        }
        return ended
    }

    func complete(
        _ token: LeaseToken,
        reports: [TestReport],
        evidence: LeaseEvidence,
        now: Milliseconds
    ) async throws -> CompletionReceipt {
        try await checked(
            call: { () async throws -> (CompletionReceipt, EndedLeases) in
                let receipt = try await ledger.complete(
                    token,
                    reports: reports,
                    evidence: evidence,
                    now: now
                )
                let mayHave = receipt.leavesWork || receipt.mayEndRun
                return (receipt, try await ended(mayHave: mayHave))
            },
            check: {
                try $0.reported(token.epoch, reports, $1.0.answers, ended: $1.1)
                try $0.completed(token.epoch, leftOver: evidence.leftOver, $1.0.answer)
            }
        ).0
    }

    func release(_ token: LeaseToken, now: Milliseconds) async throws -> FencedAnswer {
        try await checked(
            call: { try await ledger.release(token, now: now) },
            check: {
                try $0.released(token.epoch, $1)
            }
        )
    }

    // MARK: losses

    func trimStragglers(now: Milliseconds) async throws -> [TestKey] {
        try await checked(
            call: { try await ledger.trimStragglers(now: now) },
            check: { try $0.trimmed($1, now: now) }
        )
    }

    func takeBack(_ reason: LossReason, now: Milliseconds) async throws -> Int {
        try await checked(
            call: { () async throws -> (Int, EndedLeases) in
                let count = try await ledger.takeBack(reason, now: now)
                let isByLoss: Bool =
                    switch reason {
                    case .lost: true
                    case .expired: count > 0
                    case .stalled, .restart: false
                    }
                return (count, try await ended(mayHave: isByLoss))
            },
            check: { witness, answer in
                switch reason {
                case .expired:
                    try witness.expired(answer.0, now: now)
                    try witness.noted(answer.1)
                case .stalled: try witness.expired(answer.0, now: now, as: .interrupted)
                case .lost(let worker):
                    witness.lost(worker)
                    try witness.noted(answer.1)
                case .restart: witness.tookBackAll()
                }
            }
        ).0
    }

    func extendLeases(seconds: Double, now: Milliseconds) async throws {
        try await checked(
            call: { try await ledger.extendLeases(seconds: seconds, now: now) },
            check: { witness, _ in witness.extendedLeases(until: now + Int64(seconds * 1000)) }
        )
    }

    // MARK: trust

    func registerWorker(
        _ worker: WorkerID,
        unfit: Problem?,
        offer: WorkerOffer?,
        beginsAnew: Bool,
        now: Milliseconds
    ) async throws {
        try await checked(
            call: {
                try await ledger.registerWorker(
                    worker,
                    unfit: unfit,
                    offer: offer,
                    beginsAnew: beginsAnew,
                    now: now
                )
            },
            check: { witness, _ in
                if let offer { witness.offered(worker, offer) }
                witness.registered(worker, isFit: unfit == nil, now: now)
            }
        )
    }
}
