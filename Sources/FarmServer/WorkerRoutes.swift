// The routes that workers call.
import FarmAPI
import FarmCore
import Hummingbird

struct WorkerRoutes {
    let coordinator: Coordinator
    let reading: RequestReading
    let sealer: LeaseSealer

    func add(to api: RouterGroup<FarmContext>) {
        addWorkers(to: api)
        addLeases(to: api)
    }

    private func addWorkers(to api: RouterGroup<FarmContext>) {
        api.post("workers") { request, context in
            var hello = try await reading.body(request, as: HelloRequest.self)
            try check(hello.worker.text, "the worker's name")
            hello.worker = Self.worker(hello.worker.text, context.grant)
            if let host = hello.host { try check(host, "the host's name") }
            hello.running = hello.running.compactMap { running in
                sealer.opened(running.token).map { RunningLease(token: $0, test: running.test) }
            }
            let reply = try await coordinator.hello(hello)
            return try answer(HelloReply(kept: reply.kept.map { sealer.sealed($0) }))
        }
        api.post("workers/:worker/claim") { request, context in
            let worker = Self.worker(try context.name("worker"), context.grant)
            let claim = try await reading.body(request, as: ClaimRequest.self)
            try check(claim.request, "the claim's number")
            var reply = try await coordinator.claim(
                worker,
                claim,
                reach: context.grant.reach
            )
            if let token = reply.lease?.token { reply.lease?.token = sealer.sealed(token) }
            return try answer(reply)
        }
        api.post("workers/:worker/lost") { _, context in
            let worker = Self.worker(try context.name("worker"), context.grant)
            try await coordinator.workerLost(worker)
            return try answer(Done())
        }
    }

    /// Returns the worker's id in Unicode normal form: two spellings of one accent are equal in
    /// Swift, not in SQL.
    ///
    /// The id of a worker of some pipelines ends with the name of its token: it can neither take
    /// the name of another team's worker nor report that one as lost.
    private static func worker(_ name: String, _ grant: AccessGrant) -> WorkerID {
        let name = name.inNormalForm
        return WorkerID(grant.reach.isEverything ? name : "\(name)@\(grant.name)")
    }

    private func addLeases(to api: RouterGroup<FarmContext>) {
        api.post("leases/:lease/renew") { request, context in
            let message = try await reading.body(
                request,
                as: RenewRequest.self,
                bytesMax: FarmLimits.messageBytesMax
            )
            let token = try token(request, context, message.epoch)
            let reply = try await coordinator.renew(
                token,
                running: message.running,
                started: message.started ?? [],
                reached: message.reached ?? 0
            )
            return try answer(FencedReply(answer: reply))
        }
        api.post("leases/:lease/verdicts") { request, context in
            let message = try await reading.body(
                request,
                as: VerdictsRequest.self,
                bytesMax: FarmLimits.messageBytesMax
            )
            let token = try token(request, context, message.epoch)
            let answers = try await coordinator.report(
                token,
                message.reports,
                by: context.grant
            )
            return try answer(VerdictsReply(answers: answers))
        }
        api.post("leases/:lease/complete") { request, context in
            let message = try await reading.body(
                request,
                as: CompleteRequest.self,
                bytesMax: FarmLimits.messageBytesMax
            )
            let token = try token(request, context, message.epoch)
            let reply = try await coordinator.complete(
                token,
                reports: message.reports,
                evidence: message.evidence,
                by: context.grant
            )
            return try answer(reply)
        }
        api.post("leases/:lease/release") { request, context in
            let message = try await reading.body(request, as: ReleaseRequest.self)
            let token = try token(request, context, message.epoch)
            return try answer(FencedReply(answer: try await coordinator.release(token)))
        }
    }

    /// Returns the lease of a call.
    ///
    /// A lease that the caller was not given counts as unknown.
    private func token(
        _ request: Request,
        _ context: FarmContext,
        _ epoch: Int64
    ) throws -> LeaseToken {
        let id = LeaseID(try context.name("lease"))
        let seal = request.headers[.leaseSeal].flatMap { Digest($0) }
        let named = LeaseToken(id: id, epoch: epoch, seal: seal)
        return sealer.opened(named) ?? LeaseToken(id: id, epoch: LeaseToken.noEpoch)
    }

    private func check(_ name: String, _ what: String) throws {
        guard FleetNames.isUsable(name) else { throw RequestRefusal.badName(what) }
    }
}
