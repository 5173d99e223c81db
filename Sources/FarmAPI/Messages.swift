// The messages between workers, commands and a coordinator. Plain data; every request may come
// twice.
import FarmCore

/// A worker's lease, and the test that runs under it.
package struct RunningLease: Codable, Sendable, Hashable {
    package var token: LeaseToken
    package var test: TestID?

    package init(token: LeaseToken, test: TestID?) {
        self.token = token
        self.test = test
    }
}

/// `POST /workers`: a worker starts, comes back, or becomes fit or unfit.
///
/// Its claims and renewals show that it lives.
package struct HelloRequest: Codable, Sendable {
    package var worker: WorkerID
    /// Whether the process has just started: the health and offer of the one before are forgotten.
    package var beginsAnew: Bool
    /// The reason why the worker cannot work, or `nil` if it can.
    package var unfit: Problem?
    /// The offer of its machine, or `nil` to keep the last one.
    package var offer: WorkerOffer?
    package var running: [RunningLease]
    /// The name of the host, which all workers with the same CPUs share; `nil` to keep the last
    /// one.
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

/// The answer to a worker that reported its running leases.
package struct HelloReply: Codable, Sendable {
    /// The named leases that are still the worker's own; their time begins again.
    package var kept: [LeaseToken]

    package init(kept: [LeaseToken]) { self.kept = kept }
}

/// `POST /leases/{id}/renew`.
package struct RenewRequest: Codable, Sendable {
    package var epoch: Int64
    package var running: TestID?
    /// Tests of the lease without a report that started before the running one and were in no
    /// accepted renewal yet; `nil` for none.
    package var started: [TestID]?
    /// The number of tests without a report that the lease's programs have come to; `nil` for none.
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
    /// Whether to take the newest open run of the same plan, whatever its key, if there is one.
    package var resumes: Bool?
    /// The plan's costs by the submitter's history, or `nil` if it has none.
    package var costs: PlanCosts?
    /// The priority; runs with a higher one are served first; `nil` is 0.
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

/// `GET /runs/{id}/result`: the result, or `nil` while the run is open.
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

/// Requests the place for the bytes of a blob.
package struct PlaceRequest: Codable, Sendable, Hashable {
    package var bytes: Int
}

/// The place for the bytes of a blob.
package struct PlaceReply: Codable, Sendable, Hashable {
    /// Whether the blob is stored already.
    package var isThere: Bool
    /// The place elsewhere, or `nil` for the coordinator itself.
    package var elsewhere: Elsewhere?

    /// An address that needs no token and expires; the PUT has exactly these headers.
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
