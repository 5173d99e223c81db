// What worker, CLI and coordinator say to each other. Plain data; every request may come twice.
import FarmCore

/// A lease a worker works on, and the test that runs under it.
package struct RunningLease: Codable, Sendable, Hashable {
    package var token: LeaseToken
    package var test: TestID?

    package init(token: LeaseToken, test: TestID?) {
        self.token = token
        self.test = test
    }
}

/// `POST /workers`: a worker starts, comes back, or becomes fit or unfit; its claims and renewals
/// show that it lives.
package struct HelloRequest: Codable, Sendable {
    package var worker: WorkerID
    /// The process has just started: what was known of the one before is forgotten.
    package var beginsAnew: Bool
    /// Why it cannot work; nil: it can.
    package var unfit: Problem?
    /// What its machine has; nil: as it said before.
    package var offer: WorkerOffer?
    package var running: [RunningLease]
    /// The same for all workers that share CPUs; nil: as it was said before.
    package var host: String?

    package init(
        worker: WorkerID,
        beginsAnew: Bool,
        unfit: Problem? = nil,
        offer: WorkerOffer? = nil,
        running: [RunningLease] = [],
        host: String? = nil
    ) {
        self.worker = worker
        self.beginsAnew = beginsAnew
        self.unfit = unfit
        self.offer = offer
        self.running = running
        self.host = host
    }
}

/// What a worker that said what it runs may go on with.
package struct HelloReply: Codable, Sendable {
    /// Of the leases it named, those that are still its own; their time begins again.
    package var kept: [LeaseToken]

    package init(kept: [LeaseToken]) { self.kept = kept }
}

/// `POST /leases/{id}/renew`.
package struct RenewRequest: Codable, Sendable {
    package var epoch: Int64
    package var running: TestID?
    /// Tests of the lease without a report that were started before the one that runs, and were in
    /// no renewal yet that was accepted; nil: none.
    package var started: [TestID]?
    /// Tests of the lease without a report that its programs have come to; nil: none.
    package var reached: Int?
}

package struct FencedReply: Codable, Sendable {
    package var answer: FencedAnswer

    package init(answer: FencedAnswer) { self.answer = answer }
}

/// `POST /leases/{id}/release`.
package struct ReleaseRequest: Codable, Sendable {
    package var epoch: Int64
}

/// `POST /runs`: opens a run, or finds the one with this key.
package struct SubmitRequest: Codable, Sendable {
    package var key: String
    package var facts: RunFacts
    package var plan: Plan
    /// Take the newest open run of the same plan, whatever its key, where there is one.
    package var resumes: Bool?
    /// What the submitter's history says of the plan; nil: nothing.
    package var costs: PlanCosts?
    /// Runs with a higher one are served first; nil: 0.
    package var priority: Int?

    package init(
        key: String,
        facts: RunFacts,
        plan: Plan,
        resumes: Bool? = nil,
        costs: PlanCosts? = nil,
        priority: Int? = nil
    ) {
        self.key = key
        self.facts = facts
        self.plan = plan
        self.resumes = resumes
        self.costs = costs
        self.priority = priority
    }
}

package struct SubmitReply: Codable, Sendable {
    package var run: RunID

    package init(run: RunID) { self.run = run }
}

/// `GET /runs/{id}`.
package struct RunReply: Codable, Sendable {
    package var run: RunID
    package var progress: RunProgress

    package init(run: RunID, progress: RunProgress) {
        self.run = run
        self.progress = progress
    }
}

/// `GET /runs/{id}/result`: nil while the run is open.
package struct ResultReply: Codable, Sendable {
    package var judged: JudgedRun?

    package init(judged: JudgedRun?) { self.judged = judged }
}

/// `GET /references/{run}/{cell}`.
package struct ReferencesReply: Codable, Sendable {
    package var references: CellReferences

    package init(references: CellReferences) { self.references = references }
}

/// An explained error on the wire.
package struct ErrorBody: Codable, Sendable {
    package var problem: Problem
    package var exit: ExitCode

    package init(problem: Problem, exit: ExitCode) {
        self.problem = problem
        self.exit = exit
    }
}

/// An empty answer.
package struct Done: Codable, Sendable {
    package init() {}
}

/// Asks where the bytes of a blob are to be put.
package struct PlaceRequest: Codable, Sendable, Hashable {
    package var bytes: Int
}

/// Where the bytes of a blob are to be put.
package struct PlaceReply: Codable, Sendable, Hashable {
    /// The blob is stored already.
    package var isThere: Bool
    /// Nil: to the coordinator.
    package var elsewhere: Elsewhere?

    /// An address that needs no token, for a while; the PUT has exactly these headers.
    package struct Elsewhere: Codable, Sendable, Hashable {
        package var url: String
        package var headers: [String: String]

        package init(url: String, headers: [String: String]) {
            self.url = url
            self.headers = headers
        }
    }

    package init(isThere: Bool, elsewhere: Elsewhere? = nil) {
        self.isThere = isThere
        self.elsewhere = elsewhere
    }
}
