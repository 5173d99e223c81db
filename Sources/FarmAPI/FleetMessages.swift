// The lists that people and scripts get from a coordinator.
import FarmCore

/// A run in the answer to `GET /runs`.
package struct RunListing: Codable, Sendable, Hashable {
    package var run: RunID
    package var pipeline: String
    package var key: String
    package var mode: RunMode
    package var state: RunState
    package var commit: String
    package var branch: String
    /// The time of the run's start, in ISO 8601.
    package var started: String
    package var ended: String?
    /// The number of test cases of the run.
    package var planned: Int
    package var done: Int
    /// The number of test cases with a verdict that is not `passed` or `flaky`.
    package var bad: Int
    /// The priority of the run; open runs of its team with a higher one are served first.
    package var priority: Int
    /// The team of the run, or `nil` if the list says none.
    package var team: String?
    /// The number of live leases, or `nil` if the list says none.
    package var leases: Int?
    /// The reason why the run is not judged, or never will be, or the note that it ran no test;
    /// `nil` if there is nothing to say.
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
        team: String? = nil,
        leases: Int? = nil,
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
        self.team = team
        self.leases = leases
        self.problem = problem
    }
}

/// The answer to `GET /runs`: runs, newest first.
package struct RunsReply: Codable, Sendable {
    package var runs: [RunListing]

    package init(runs: [RunListing]) { self.runs = runs }
}

/// The answer to `GET /farm`: the state of the farm for its operator.
package struct FarmReply: Codable, Sendable {
    package var farm: FarmOverview

    package init(farm: FarmOverview) { self.farm = farm }
}

/// The answer to `GET /audit`: entries of the audit log, newest first.
package struct AuditReply: Codable, Sendable {
    package var entries: [AuditEntry]

    package init(entries: [AuditEntry]) { self.entries = entries }
}

/// The answer to `GET /token`: the facts of the caller's token and of the coordinator.
package struct TokenReply: Codable, Sendable, Hashable {
    package var name: String
    package var scopes: [AccessScope]
    /// The coordinator's version of snapfarm.
    package var program: String
    /// The patterns of the pipelines that the token reaches, or `nil` for every pipeline.
    package var pipelines: [String]?

    package init(_ grant: AccessGrant, program: String) {
        name = grant.name
        scopes = grant.scopes.sorted { $0.rawValue < $1.rawValue }
        self.program = program
        pipelines = grant.reach.patterns
    }

    package var grant: AccessGrant {
        AccessGrant(name: name, scopes: Set(scopes), reach: PipelineReach(patterns: pipelines))
    }
}

/// A worker in the answer to `GET /workers`.
package struct WorkerListing: Codable, Sendable, Hashable {
    package var worker: WorkerID
    package var state: WorkerLiveness
    /// The number of the worker's live leases.
    package var leases: Int
    /// The time of the worker's last call, in ISO 8601.
    package var seen: String
    /// The worker's offer, or `nil` if the coordinator does not report it.
    package var offer: WorkerOffer?
    /// The reason why the worker cannot work, or `nil` if it can.
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

/// The answer to `GET /workers`: workers; the one that called last comes first.
package struct WorkersReply: Codable, Sendable {
    package var workers: [WorkerListing]

    package init(workers: [WorkerListing]) { self.workers = workers }
}

/// The answer to `GET /runs/{id}/artifacts`: the artifacts of a run that has ended.
package struct ArtifactsReply: Codable, Sendable {
    package var artifacts: [ArtifactSummary]

    package init(artifacts: [ArtifactSummary]) { self.artifacts = artifacts }
}
