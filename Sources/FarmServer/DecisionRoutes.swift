// The routes of decisions about a run's pictures. The caller's token names the person, whatever the
// request says.
import FarmAPI
import FarmCore
import Hummingbird

struct DecisionRoutes {
    let coordinator: Coordinator
    /// The desks that check whether a reference set has published pictures; `nil` if this
    /// coordinator cannot check that.
    let desks: (any ReviewSources)?
    let reading: RequestReading

    func addReading(to api: RouterGroup<FarmContext>) {
        api.get("runs/:run/decisions") { request, context in
            let run = RunID(try context.name("run"))
            let asked = request.uri.queryParameters[Substring(Routes.afterQuery)]
            let number = max(0, asked.flatMap { Int64($0) } ?? 0)
            return try answer(try await coordinator.decisions(about: run, after: number))
        }
    }

    func addDeciding(to api: RouterGroup<FarmContext>) {
        api.post("runs/:run/decisions") { request, context in
            let run = RunID(try context.name("run"))
            let decide = try await reading.body(
                request,
                as: DecideRequest.self,
                bytesMax: FarmLimits.messageBytesMax
            )
            if decide.kind == .published { try await check(decide, about: run) }
            try await coordinator.decide(decide, about: run, by: context.grant.who)
            return try answer(Done())
        }
    }

    /// Checks that the set that the caller names really has the pictures.
    ///
    /// - Throws: `CoordinatorError.notPublished` if it has not.
    private func check(_ decide: DecideRequest, about run: RunID) async throws {
        guard let desks, let set = decide.set,
            try await desks.isPublished(decide.snapshots, of: run, in: set)
        else { throw CoordinatorError.notPublished(run) }
    }
}
