// `/farm`: the page for the farm's operator, and the same for programs.
import FarmAPI
import FarmCore
import FarmReports
import Hummingbird

struct FarmRoutes: Sendable {
    let coordinator: Coordinator
    /// Returns the facts that only the process around the coordinator knows.
    let facts: @Sendable () -> OverviewFacts

    func add(to api: RouterGroup<FarmContext>) {
        api.get("farm") { _, _ in
            try answer(FarmReply(farm: try await coordinator.overview(facts())))
        }
    }

    /// Adds the page, for people who may read.
    func addPage(to router: Router<FarmContext>, _ runs: RunsRoutes) {
        let page = router.group("farm")
            .add(middleware: EntranceMiddleware(entrance: runs.entrance))
            .add(middleware: LeaderMiddleware(proxy: runs.proxy, isOfPages: true))
            .add(middleware: FarmPageMiddleware())
        page.get("") { request, context in
            let farm = try await coordinator.overview(facts())
            let frame = runs.frame(request, try runs.visit(context))
            return PageAnswer.page(
                FarmPage(farm).render(in: frame, events: RunsFrame.farmPath + "/events")
            )
        }
        page.get("events") { request, context in
            try runs.events(of: RunsFrame.farmPath, request, context) { [coordinator, facts] in
                var farm = try await coordinator.overview(facts())
                // The time alone is no news.
                farm.time = ""
                return farm
            }
        }
    }
}

/// Refuses the page about the whole farm to people who may not read, or reach only some pipelines.
private struct FarmPageMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        let grant = context.visit?.grant ?? context.grant
        do {
            try grant.check([.read])
            try grant.checkWholeFarm()
            return try await next(request, context)
        } catch let error as AccessRefusal {
            return try PageAnswer.refusal(error, for: request, back: RunsFrame.runsPath)
        }
    }
}
