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

/// The body of `POST /workers`: a worker starts, comes back, or becomes fit or unfit.
///
/// A worker's claims and renewals also show that it lives.
package struct HelloRequest: Codable, Sendable {
    package var worker: WorkerID
    /// Whether the worker's process has just started: the coordinator forgets the health and offer
    /// of the process before.
    package var beginsAnew: Bool
    /// The reason why the worker cannot work, or `nil` if it can.
    package var unfit: Problem?
    /// The offer of the worker's machine, or `nil` to keep the last one.
    package var offer: WorkerOffer?
    package var running: [RunningLease]
    /// The name of the worker's host, which all workers with the same CPUs share; `nil` to keep the
    /// last one.
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
    /// The reported leases that are still the worker's own; their time begins again.
    package var kept: [LeaseToken]

    package init(kept: [LeaseToken]) { self.kept = kept }
}

/// The body of `POST /leases/{id}/renew`: renews a lease and reports its progress.
package struct RenewRequest: Codable, Sendable {
    package var epoch: Int64
    package var running: TestID?
    /// The tests without a report that started before the running one and that no accepted renewal
    /// has named yet; `nil` for none.
    package var started: [TestID]?
    /// The number of tests without a report that the lease's programs have come to; `nil` for none.
    package var reached: Int?
}

package struct FencedReply: Codable, Sendable {
    package var answer: FencedAnswer

    package init(answer: FencedAnswer) { self.answer = answer }
}

/// The body of `POST /leases/{id}/release`: gives a lease back before its end.
package struct ReleaseRequest: Codable, Sendable {
    package var epoch: Int64
}

/// Names an earlier run; the new run repeats only its test cases that are not green.
package struct RedOf: Codable, Sendable, Hashable {
    package var run: RunID
    package var allowsOtherCode: Bool

    package init(run: RunID, allowsOtherCode: Bool) {
        self.run = run
        self.allowsOtherCode = allowsOtherCode
    }
}

/// The body of `POST /runs`: opens a run, or finds the one with this key.
package struct SubmitRequest: Codable, Sendable {
    package var key: String
    package var facts: RunFacts
    package var plan: Plan
    /// Whether to take the newest open run of the same plan, whatever its key, if there is one.
    package var resumes: Bool?
    /// The expected costs of the plan's test cases by the submitter's history, or `nil` if it has
    /// none.
    package var costs: PlanCosts?
    /// The priority of the run, or `nil` for 0; runs of its team with a higher one are served
    /// first.
    package var priority: Int?
    /// The earlier run whose passed test cases do not run, or `nil` to run all.
    package var redOf: RedOf?

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

/// The answer to `GET /runs/{id}`: the progress of a run.
package struct RunReply: Codable, Sendable {
    package var run: RunID
    package var progress: RunProgress

    package init(run: RunID, progress: RunProgress) {
        self.run = run
        self.progress = progress
    }
}

/// The answer to `GET /runs/{id}/result`: the result, or `nil` while the run is open.
package struct ResultReply: Codable, Sendable {
    package var judged: JudgedRun?

    package init(judged: JudgedRun?) { self.judged = judged }
}

/// The answer to `GET /references/{run}/{cell}`: the references of a cell at the run's pin.
package struct ReferencesReply: Codable, Sendable {
    package var references: CellReferences

    package init(references: CellReferences) { self.references = references }
}

/// The body of every refusal: an explained error with its exit code.
package struct ErrorBody: Codable, Sendable {
    package var problem: Problem
    package var exit: ExitCode

    package init(problem: Problem, exit: ExitCode) {
        self.problem = problem
        self.exit = exit
    }
}

/// The answer to a call that returns nothing.
package struct Done: Codable, Sendable {
    package init() {}
}

/// The request for the place where a caller may put a blob of `bytes` bytes.
package struct PlaceRequest: Codable, Sendable, Hashable {
    package var bytes: Int
}

/// The answer that names the place where a caller may put a blob.
package struct PlaceReply: Codable, Sendable, Hashable {
    /// Whether the blob is stored already.
    package var isThere: Bool
    /// The place outside of the coordinator, or `nil` to send the bytes to the coordinator.
    package var elsewhere: Elsewhere?

    /// The address of a PUT that needs no token and expires; the call has exactly these headers.
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
