// What people decide about the pictures of a run. Who decided is who the token belongs to, whatever
// the caller says.
import FarmAPI
import FarmCoordinator
import FarmCore
import Hummingbird

struct DecisionRoutes {
    let coordinator: Coordinator
    let reading: RequestReading

    func addReading(to api: RouterGroup<FarmContext>) {
        api.get("runs/:run/decisions") { _, context in
            let run = RunID(try context.name("run"))
            return try answer(
                DecisionsReply(decisions: try await coordinator.decisions(about: run))
            )
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
            try await coordinator.decide(decide, about: run, by: context.grant.who)
            return try answer(Done())
        }
    }
}
