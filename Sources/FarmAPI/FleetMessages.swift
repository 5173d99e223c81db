// Lists that people and scripts ask a coordinator for.
import FarmCore

/// One run of `GET /runs`.
package struct RunListing: Codable, Sendable, Hashable {
    package var run: RunID
    package var pipeline: String
    package var key: String
    package var mode: RunMode
    package var state: RunState
    package var commit: String
    package var branch: String
    /// ISO 8601.
    package var started: String
    package var ended: String?
    /// (Test case × cell).
    package var planned: Int
    package var done: Int
    /// Done with a verdict that is not `passed` or `flaky`.
    package var bad: Int
    /// Open runs with a higher one are served first.
    package var priority: Int
    /// Why it is not judged, or never will be; nil where nothing is wrong.
    package var problem: Problem?

    package init(
        run: RunID,
        pipeline: String,
        key: String,
        mode: RunMode,
        state: RunState,
        commit: String,
        branch: String,
        started: String,
        ended: String?,
        planned: Int,
        done: Int,
        bad: Int,
        priority: Int,
        problem: Problem? = nil
    ) {
        self.run = run
        self.pipeline = pipeline
        self.key = key
        self.mode = mode
        self.state = state
        self.commit = commit
        self.branch = branch
        self.started = started
        self.ended = ended
        self.planned = planned
        self.done = done
        self.bad = bad
        self.priority = priority
        self.problem = problem
    }
}

/// `GET /runs`: the newest first.
package struct RunsReply: Codable, Sendable {
    package var runs: [RunListing]

    package init(runs: [RunListing]) { self.runs = runs }
}

/// `GET /token`: what the caller's token is, and whom it asks.
package struct TokenReply: Codable, Sendable, Hashable {
    package var name: String
    package var scopes: [AccessScope]
    /// The coordinator's version of snapfarm.
    package var program: String

    package init(_ grant: AccessGrant, program: String) {
        name = grant.name
        scopes = grant.scopes.sorted { $0.rawValue < $1.rawValue }
        self.program = program
    }

    package var grant: AccessGrant { AccessGrant(name: name, scopes: Set(scopes)) }
}

/// Whether a worker calls.
package enum WorkerLiveness: String, Codable, Sendable, Hashable {
    case live
    /// It calls, and cannot work: its problem says why.
    case unfit
    /// It was stopped, and said so.
    case left
    /// Nothing heard of it for as long as a lease lives.
    case silent
    /// Its machine said that it is gone.
    case lost
}

/// One worker of `GET /workers`.
package struct WorkerListing: Codable, Sendable, Hashable {
    package var worker: WorkerID
    package var state: WorkerLiveness
    /// Live leases it holds.
    package var leases: Int
    /// ISO 8601.
    package var seen: String
    /// Nil where the coordinator does not say.
    package var offer: WorkerOffer?
    /// Why it cannot work; nil for one that can.
    package var problem: Problem?

    package init(
        worker: WorkerID,
        state: WorkerLiveness,
        leases: Int,
        seen: String,
        offer: WorkerOffer?,
        problem: Problem? = nil
    ) {
        self.worker = worker
        self.state = state
        self.leases = leases
        self.seen = seen
        self.offer = offer
        self.problem = problem
    }
}

/// `GET /workers`: those seen last first.
package struct WorkersReply: Codable, Sendable {
    package var workers: [WorkerListing]

    package init(workers: [WorkerListing]) { self.workers = workers }
}

/// `GET /runs/{id}/artifacts`.
package struct ArtifactsReply: Codable, Sendable {
    package var artifacts: [ArtifactSummary]

    package init(artifacts: [ArtifactSummary]) { self.artifacts = artifacts }
}
