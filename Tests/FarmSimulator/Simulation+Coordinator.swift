// The coordinator's side: its calls, its timer, its crashes and its starts.
import FarmAPI
import FarmCore
import FarmServer

extension Simulation {
    /// Milliseconds between two sweeps.
    ///
    /// With the farm's second, sweeps would be most of a run.
    private static let sweepMilliseconds: Int64 = 5_000
    /// The length of an occasional pause without sweeps, as when the machine stalls.
    private static let pauseMilliseconds: Int64 = 40_000
    private static let sweepsBetweenPauses = 12

    /// Calls the coordinator; returns `nil` if it is down, or dies during the call.
    ///
    /// - Throws: `BrokenPromise`, also for any error of the coordinator: none of these calls is
    ///   wrong.
    mutating func calling<Value: Sendable>(
        _ call: (Coordinator) async throws -> Value
    ) async throws -> Value? {
        guard let coordinator = host.coordinator else { return nil }
        do {
            let value = try await call(coordinator)
            // A coordinator survives a run that cannot be closed, but a dead coordinator does not
            // answer.
            guard !host.hasDied else { throw CoordinatorDied() }
            return value
        } catch is CoordinatorDied {
            crashCoordinator()
            return nil
        } catch let error as BrokenPromise {
            throw error
        } catch {
            throw BrokenPromise("the coordinator failed: \(error)")
        }
    }

    mutating func submit(_ number: Int) async throws {
        let run = scenario.runs[number]
        // The second of two jobs has another id; the first one's counts.
        let known = host.witness.runs[run.key]
        let facts = RunFacts(
            id: known == nil ? run.key : run.key + "-again",
            key: run.key,
            pipeline: run.plan.pipeline,
            mode: run.plan.mode,
            filtered: false,
            commit: "",
            branch: "",
            pullRequest: "",
            set: "",
            planDigest: run.key,
            started: "",
            finished: ""
        )
        let request = SubmitRequest(key: run.key, facts: facts, plan: run.plan)
        let id = try await calling { try await $0.submit(request) }
        trace.say(now, "\(run.key) is submitted: \(id?.text ?? "no answer")")
        if id == nil { plan(.submit(number), in: 1_000) }
    }

    mutating func cancel(_ number: Int) async throws {
        guard let id = host.witness.runs[scenario.runs[number].key] else {
            return plan(.cancel(number), in: 1_000)
        }
        let heard: Void? = try await calling { try await $0.cancel(id) }
        trace.say(now, "\(id) is cancelled: \(heard == nil ? "no answer" : "done")")
        if heard == nil { plan(.cancel(number), in: 1_000) }
    }

    mutating func sweep() async throws {
        sweeps += 1
        let isStill = sweeps.isMultiple(of: Self.sweepsBetweenPauses)
        plan(.sweep, in: isStill ? Self.pauseMilliseconds : Self.sweepMilliseconds)
        _ = try await calling {
            try await $0.sweep()
            try await $0.endRuns()
        }
    }

    /// Reports a worker's death, as the parent of its process does.
    mutating func reportDeath(_ worker: Int, _ tries: Int) async throws {
        let id = workers[worker].id
        let heard: Void? = try await calling {
            try await $0.workerLost(id)
            try await $0.endRuns()
        }
        trace.say(now, "\(id) is called lost: \(heard == nil ? "no answer" : "done")")
        if heard == nil, tries > 1 {
            plan(.reportDeath(worker: worker, tries: tries - 1), in: 1_000)
        }
    }

    // MARK: crash and start

    mutating func crashCoordinator() {
        trace.say(now, "the coordinator dies")
        host.stop()
        plan(.coordinatorStarts, in: random.milliseconds(100...20_000))
    }

    mutating func startCoordinator() async throws {
        guard host.coordinator == nil else { return }
        try host.start()
        trace.say(now, "the coordinator starts")
        // An embedded run's workers end with it; a fleet's workers outlive their coordinator.
        let outlive = !scenario.tellsLosses
        _ = try await calling {
            if outlive {
                try await $0.recover(grace: FarmLimits.leaseSeconds)
            } else {
                try await $0.recover()
            }
        }
    }
}
