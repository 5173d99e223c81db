// The place of decisions: the ledger of a data folder, or the run's coordinator.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import Foundation

enum DecisionStore: Sendable {
    /// The path of a ledger; adding decisions needs the lock of its data folder.
    case ledger(String)
    /// The coordinator of the run that the decisions are about.
    case coordinator(RemoteCoordinator, RunID)

    /// The name of the place where decisions are stored, for people.
    var name: String {
        switch self {
        case .ledger(let path): path
        case .coordinator(let coordinator, _): coordinator.url
        }
    }

    /// Throws if this caller may not decide, before anything is changed.
    func checkMayDecide() async throws {
        guard case .coordinator(let coordinator, let run) = self else { return }
        let nothing = DecideRequest(kind: .commented, reason: "", snapshots: [])
        try await coordinator.asked { try await $0.decide(nothing, about: run) }
    }

    /// Returns a pipeline's decisions in the order in which they were made; from a coordinator,
    /// only those about the run.
    func all(of pipeline: String) async throws -> [Decision] {
        switch self {
        case .ledger(let path):
            try SQLiteLedger.decisions(of: pipeline, inFileAt: path).decisions
        case .coordinator(let coordinator, let run):
            try await coordinator.asked { try await $0.decisions(run).decisions }
        }
    }

    /// Returns the standing decisions of a pipeline; reads only those made since `known`.
    func decided(of pipeline: String, _ known: DecisionCache) async throws -> DecidedSoFar {
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

    /// Returns the open pictures of a run that were rejected.
    ///
    /// If the decisions cannot be read, explains the error and returns none; no verdict changes.
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

    /// Adds decisions, which are durable when this returns.
    ///
    /// A coordinator itself notes the person and the time. It accepts a publication only of
    /// pictures that `set` contains.
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
                    request.agent = coordinator.agent
                    try await client.decide(request, about: run)
                }
            }
        }
    }

    /// Groups decisions into requests of limited size, each with one kind and reason.
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
