// Messages between workers and the coordinator: lost, doubled, late, and out of order.
import FarmAPI
import FarmCore
import FarmServer

extension Simulation {
    /// The time in milliseconds after which a call is sent again.
    private static let answerMilliseconds: Int64 = 4_000

    // MARK: from a worker

    /// Sends a call, and repeats it until it is answered.
    mutating func send(_ call: Call, epoch: Int64 = 0, from worker: Int) {
        calls += 1
        workers[worker].pending[calls] = PendingCall(call: call, epoch: epoch)
        post(worker, calls, call)
        plan(.unanswered(worker: worker, call: calls), in: Self.answerMilliseconds)
    }

    /// Sends a call once, without waiting for an answer.
    mutating func sendOnce(_ call: Call, from worker: Int) {
        calls += 1
        post(worker, calls, call)
    }

    private mutating func post(_ worker: Int, _ number: Int, _ call: Call) {
        for delay in delays(worker) {
            plan(.arrives(worker: worker, call: number, call), in: delay)
        }
    }

    /// Returns the delay of each copy of a message; none if it is lost.
    private mutating func delays(_ worker: Int) -> [Int64] {
        guard !isCalm else { return [travels(random.milliseconds(1...20))] }
        guard workers[worker].cutUntil <= now, !random.chance(scenario.faults.dropped) else {
            return []
        }
        let delay = travels(random.milliseconds(1...scenario.faults.delayMax))
        guard random.chance(scenario.faults.doubled) else { return [delay] }
        return [delay, travels(random.milliseconds(1...120_000))]
    }

    private mutating func travels(_ delay: Int64) -> Int64 {
        lastMessage = max(lastMessage, now + delay)
        return delay
    }

    /// Sends a call without an answer again, or makes the worker give up.
    mutating func repeatCall(_ worker: Int, _ call: Int) {
        guard var pending = workers[worker].pending[call] else { return }
        guard pending.sent < workers[worker].patience || isCalm else {
            trace.say(now, "\(workers[worker].id) gives up")
            return leave(worker)
        }
        pending.sent += 1
        workers[worker].pending[call] = pending
        post(worker, call, pending.call)
        let wait = Self.answerMilliseconds + random.milliseconds(1...2_000)
        plan(.unanswered(worker: worker, call: call), in: wait)
    }

    // MARK: at the coordinator

    mutating func arrive(_ worker: Int, _ call: Int, _ request: Call) async throws {
        let id = workers[worker].id
        let offer = scenario.offers[workers[worker].slot]
        guard workers[worker].cutUntil <= now,
            let answer = try await answer(request, of: id, offering: offer)
        else { return trace.say(now, "\(id) \(request.words) is lost") }
        trace.say(now, "\(id) \(request.words): \(answer.words)")
        for delay in delays(worker) {
            plan(.answered(worker: worker, call: call, answer), in: delay)
        }
    }

    /// Returns `nil` if the coordinator is down, or dies during the call.
    private mutating func answer(
        _ call: Call,
        of worker: WorkerID,
        offering offer: WorkerOffer
    ) async throws -> Answer? {
        switch call {
        case .put(let digest):
            guard host.coordinator != nil else { return nil }
            host.note(digest)
            return .done
        case .hello(let host):
            let request = HelloRequest(
                worker: worker,
                beginsAnew: true,
                offer: offer,
                host: host
            )
            return try await calling { try await $0.hello(request) }.map { _ in .done }
        case .claim(let request):
            return try await calling { try await $0.claim(worker, request) }.map { .claimed($0) }
        case .renew(let token, let running, let started):
            return try await calling {
                try await $0.renew(token, running: running, started: started)
            }.map { .fenced($0) }
        case .report(let token, let reports):
            return try await calling { try await $0.report(token, reports) }
                .map { .fencedAll($0) }
        case .complete(let token, let reports, let evidence):
            return try await calling { coordinator in
                let reply = try await coordinator.complete(
                    token,
                    reports: reports,
                    evidence: evidence
                )
                try await coordinator.endRuns()
                return reply
            }.map { .completed($0) }
        case .release(let token):
            return try await calling { try await $0.release(token) }.map { .fenced($0) }
        }
    }
}

extension Call {
    var words: String {
        switch self {
        case .hello: "says hello"
        case .claim(let request): "claims \(request.request)"
        case .renew(let token, let running, let started):
            "renews \(token.id) at \(running?.text ?? "nothing")"
                + (started.isEmpty ? "" : " after \(started.count) more")
        case .put(let digest): "stores \(digest.hex.prefix(8))"
        case .report(let token, let reports):
            "reports \(reports.map(\.test.text).joined(separator: " ")) under \(token.id)"
        case .complete(let token, let reports, _):
            (["completes \(token.id)"] + reports.map(\.test.text)).joined(separator: " ")
        case .release(let token): "gives \(token.id) back"
        }
    }
}

extension Answer {
    var words: String {
        switch self {
        case .done: "done"
        case .claimed(let reply):
            reply.lease.map {
                "\($0.token.id) of \($0.shard.run) \($0.shard.job.name) \($0.shard.cell.id): "
                    + $0.shard.tests.map(\.text).joined(separator: " ")
            } ?? "nothing"
        case .fenced(let answer): answer.rawValue
        case .completed(let reply):
            ([reply.answer] + reply.answers).map(\.rawValue)
                .joined(separator: " ")
        case .fencedAll(let answers): answers.map(\.rawValue).joined(separator: " ")
        }
    }
}
