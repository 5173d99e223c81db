// Decisions of people about the pictures of a run that has ended.
import FarmAPI
import FarmCore
import FarmLedger

extension Coordinator {
    /// Returns the standing decisions about a run's pictures, and the comments, in the order they
    /// were made.
    ///
    /// Decisions about the same pictures in other runs count, too. With a `number` above 0, returns
    /// every decision after that number: a decision may have taken back an earlier one.
    package func decisions(
        about run: RunID,
        after number: Int64 = 0
    ) async throws -> DecisionsReply {
        let summary = try await ended(run)
        let subjects = Set(summary.snapshots.compactMap(\.subject))
        var list = try await ledger.decisions(of: summary.run.pipeline, after: number)
        let book = DecisionBook(list.decisions)
        list.decisions.removeAll { decision in
            let counts =
                number > 0 || decision.kind == .commented
                || book.standing[decision.subject] == decision
            return !counts || !subjects.contains(decision.subject)
        }
        return DecisionsReply(decisions: list.decisions, newest: list.newest)
    }

    /// Stores a person's decisions about pictures of a run.
    ///
    /// - Throws: `CoordinatorError` if the run has not ended or a picture is not the run's. Nothing
    ///   is stored then.
    package func decide(_ request: DecideRequest, about run: RunID, by who: String) async throws {
        let summary = try await ended(run)
        let most = FarmLimits.decisionsPerMessageMax
        guard request.snapshots.count <= most else {
            throw LedgerError.badDecision("\(request.snapshots.count) pictures are over \(most)")
        }
        let subjects = Dictionary(
            summary.snapshots.compactMap { snapshot in snapshot.subject.map { (snapshot.id, $0) } }
        ) { first, _ in first }
        let now = clock()
        let who = request.agent.map { "\(who), \($0)" } ?? who
        let decisions = try request.snapshots.map { id in
            guard let subject = subjects[id] else { throw CoordinatorError.noPicture(run, id) }
            return Decision(
                kind: request.kind,
                pipeline: summary.run.pipeline,
                snapshot: subject.snapshot,
                capture: subject.capture,
                reference: subject.reference,
                reason: request.reason,
                who: who,
                when: now,
                run: run.text
            )
        }
        try await keep(decisions)
    }

    /// Returns the decisions about a pipeline's pictures that follow the decision `number`.
    package func decisions(
        of pipeline: String,
        after number: Int64
    ) async throws -> DecisionList {
        try await ledger.decisions(of: pipeline, after: number)
    }

    /// Stores decisions that the caller has checked against their run; they are durable when this
    /// returns.
    package func keep(_ decisions: [Decision]) async throws {
        try await ledger.add(decisions)
        for entry in Self.entries(decisions) { try await ledger.add(entry) }
        for event in FarmEvent.all(of: decisions) { hooks.onEvent(event) }
    }

    /// Returns an entry of the audit log for the decisions of each kind, person and run.
    private static func entries(_ decisions: [Decision]) -> [AuditEntry] {
        var entries: [AuditEntry] = []
        for group in Dictionary(grouping: decisions, by: { [$0.kind.rawValue, $0.who, $0.run] })
            .sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }).map(\.value)
        {
            let first = group[0]
            let pictures = group.count == 1 ? first.snapshot.description : "\(group.count) pictures"
            entries.append(
                AuditEntry(
                    at: first.when,
                    who: first.who,
                    address: CallerAddress.current,
                    action: first.kind == .published ? .published : .decided,
                    pipeline: first.pipeline,
                    subject: first.run,
                    detail: "\(first.kind.rawValue): \(pictures)"
                )
            )
        }
        return entries
    }

    private func ended(_ run: RunID) async throws -> RunSummary {
        if let judged = try await judged(run) { return judged.summary }
        // Throws for an unknown run, which is not the same as a run without a result.
        _ = try await isOpen(run)
        throw CoordinatorError.open(run)
    }
}
