// The routes of runs, of their references, and of lists for people.
import FarmAPI
import FarmCore
import Foundation
import Hummingbird
import NIOCore

struct RunRoutes {
    let coordinator: Coordinator
    let reading: RequestReading

    func addSubmitting(to api: RouterGroup<FarmContext>) {
        api.post("runs") { request, context in
            let submit = try await reading.body(
                request,
                as: SubmitRequest.self,
                bytesMax: FarmLimits.messageBytesMax
            )
            var random = SystemRandomNumberGenerator()
            let id = RunID.new(
                now: Int64(Date().timeIntervalSince1970 * 1000),
                using: &random
            )
            let run = try await coordinator.admit(
                submit,
                id: id,
                by: context.grant
            )
            return try answer(SubmitReply(run: run))
        }
        api.post("runs/:run/cancel") { _, context in
            let run = try run(context)
            try await coordinator.cancel(run, by: context.grant.who)
            return try answer(Done())
        }
    }

    /// Adds the route of the list of runs, which a reviewer needs for `--run latest`.
    func addList(to api: RouterGroup<FarmContext>) {
        api.get("runs") { request, context in
            let runs = try await coordinator.runs(
                limit: limit(request),
                reach: context.grant.reach
            )
            return try answer(RunsReply(runs: runs))
        }
    }

    func addLists(to api: RouterGroup<FarmContext>) {
        api.get("flaky") { request, context in
            let pipeline = request.uri.queryParameters[Substring(Routes.pipelineQuery)]
            return try answer(
                try await coordinator.flaky(
                    pipeline: pipeline.map(String.init),
                    runs: limit(request),
                    reach: context.grant.reach
                )
            )
        }
        api.get("workers") { request, _ in
            try answer(WorkersReply(workers: try await coordinator.workers(limit: limit(request))))
        }
    }

    /// Adds the routes of one run's progress and result.
    func addReading(to api: RouterGroup<FarmContext>) {
        api.get("runs/:run") { request, context in
            let run = try run(context)
            let wait = request.uri.queryParameters[Substring(Routes.waitQuery)]
            let progress = try await coordinator.progress(
                run,
                waitSeconds: wait.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } ?? 0
            )
            return try answer(RunReply(run: run, progress: progress))
        }
        api.get("runs/:run/result") { _, context in
            let run = try run(context)
            // Throws for an unknown run, which is not the same as a run without a result.
            _ = try await coordinator.isOpen(run)
            return try answer(ResultReply(judged: try await coordinator.judged(run)))
        }
    }

    func addReferences(to api: RouterGroup<FarmContext>) {
        api.get("references/:run/:cell") { _, context in
            let run = try run(context)
            let cell = CellID(try context.name("cell"))
            if isWorkerOnly(context), !(try await coordinator.isOpen(run)) {
                throw RequestRefusal.notYours("references of a run that has ended")
            }
            let references = try await coordinator.references(run, cell)
            return try answer(ReferencesReply(references: references))
        }
        api.get("pictures/:run/:object") { _, context in
            guard let object = ObjectID(try context.name("object")) else {
                throw RequestRefusal.malformed("the address ends in no Git object id")
            }
            let run = try run(context)
            if isWorkerOnly(context), !(try await coordinator.mayRead(object, of: run)) {
                throw RequestRefusal.notYours("pictures other than references of an open run")
            }
            let bytes = try await coordinator.picture(run, object)
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }

    /// Adds the route of the audit log; `tokens` are those that its entries about tokens name.
    func addAudit(_ tokens: TokenFile?, to api: RouterGroup<FarmContext>) {
        api.get("audit") { request, _ in
            let entries = try await coordinator.auditLog(limit: limit(request), tokens)
            return try answer(AuditReply(entries: entries))
        }
    }

    private func isWorkerOnly(_ context: FarmContext) -> Bool {
        !context.grant.allows([.read, .submit, .review])
    }

    private func run(_ context: FarmContext) throws -> RunID { RunID(try context.name("run")) }

    private func limit(_ request: Request) -> Int {
        let wanted = request.uri.queryParameters[Substring(Routes.limitQuery)].flatMap { Int($0) }
        return min(max(1, wanted ?? 50), FarmLimits.listMax)
    }
}
