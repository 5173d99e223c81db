// Where decisions are kept: in the ledger of a data folder, or at the coordinator of the run.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import Foundation

enum DecisionPlace: Sendable {
    /// The path of a ledger; adding needs the lock of its data folder.
    case ledger(String)
    /// That of the run they are about.
    case coordinator(RemoteCoordinator, RunID)

    /// For people.
    var name: String {
        switch self {
        case .ledger(let path): path
        case .coordinator(let coordinator, _): coordinator.url
        }
    }

    /// Refuses who may not decide, before anything is changed.
    func checkMayDecide() async throws {
        guard case .coordinator(let coordinator, let run) = self else { return }
        let nothing = DecideRequest(kind: .commented, reason: "", snapshots: [])
        try await coordinator.asked { try await $0.decide(nothing, about: run) }
    }

    /// Of a pipeline, in the order they were made; a coordinator's are those about the run.
    func all(of pipeline: String) async throws -> [Decision] {
        switch self {
        case .ledger(let path):
            try SQLiteLedger.decisions(of: pipeline, inFileAt: path).decisions
        case .coordinator(let coordinator, let run):
            try await coordinator.asked { try await $0.decisions(run).decisions }
        }
    }

    /// What counts of a pipeline's decisions, `known` as far as they were read before.
    func decided(of pipeline: String, _ known: KnownDecisions) async throws -> DecidedSoFar {
        try await known.now { number in
            switch self {
            case .ledger(let path):
                return try SQLiteLedger.decisions(of: pipeline, after: number, inFileAt: path)
            case .coordinator(let coordinator, let run):
                let reply = try await coordinator.asked {
                    try await $0.decisions(run, after: number)
                }
                return DecisionList(decisions: reply.decisions, newest: reply.newest)
            }
        }
    }

    /// Open pictures of a run that were rejected; none where that cannot be read, which is said and
    /// changes no verdict.
    func rejected(
        in summary: RunSummary,
        explain: (any ExplainedError) -> Void
    ) async -> RejectedPictures {
        guard !summary.openPictures.isEmpty else { return RejectedPictures() }
        do {
            let decisions = try await all(of: summary.run.pipeline)
            return RejectedPictures(of: summary, in: DecisionBook(decisions))
        } catch let error as any ExplainedError {
            explain(error)
        } catch {
            // The run is being stopped.
        }
        return RejectedPictures()
    }

    /// Keeps decisions, which are durable when this returns.
    ///
    /// A coordinator knows itself who decides, and when. It believes that pictures were published
    /// only where `set` has them.
    func add(_ decisions: [Decision], publishedIn set: ObjectID? = nil) async throws {
        guard !decisions.isEmpty else { return }
        switch self {
        case .ledger(let path):
            let ledger = try SQLiteLedger(path: path)
            defer { try? ledger.close() }
            let most = FarmLimits.decisionsPerCallMax
            for start in stride(from: 0, to: decisions.count, by: most) {
                try await ledger.add(Array(decisions[start...].prefix(most)))
            }
        case .coordinator(let coordinator, let run):
            try await coordinator.asked { client in
                for var request in Self.requests(decisions) {
                    if request.kind == .published { request.set = set?.hex }
                    try await client.decide(request, about: run)
                }
            }
        }
    }

    /// Decisions of one kind and reason together, as many as a message may have.
    private static func requests(_ decisions: [Decision]) -> [DecideRequest] {
        var requests: [DecideRequest] = []
        for decision in decisions {
            if let last = requests.last, last.kind == decision.kind,
                last.reason == decision.reason,
                last.snapshots.count < FarmLimits.decisionsPerMessageMax
            {
                requests[requests.count - 1].snapshots.append(decision.snapshot.text)
            } else {
                requests.append(
                    DecideRequest(
                        kind: decision.kind,
                        reason: decision.reason,
                        snapshots: [decision.snapshot.text]
                    )
                )
            }
        }
        return requests
    }
}
