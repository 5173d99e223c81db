// `/runs` and the paths below: the list, a run that is still open, and the page of each run.
import FarmCore
import FarmLedger
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird

struct RunsRoutes: Sendable {
    let coordinator: Coordinator
    let entrance: Entrance
    let reading: RequestReading
    let proxy: LeaderProxy?

    private var pages: ServedPages { entrance.pages }

    func add(to router: Router<FarmContext>) {
        router.get("") { _, _ in PageAnswer.redirect(RunsFrame.runsPath) }
        let runs = router.group("runs").add(middleware: EntranceMiddleware(entrance: entrance))
            .add(middleware: LeaderMiddleware(proxy: proxy, readsCopy: true, isOfPages: true))
            .add(middleware: ReachMiddleware(coordinator: coordinator))
        runs.get("") { request, context in try await list(request, context) }
        runs.get("events") { request, context in
            let query = try RunsQuery(request, reach: try visit(context).grant.reach)
            return try events(of: RunsFrame.runsPath, request, context) { [coordinator] in
                try await coordinator.rows(query.ledger(limit: FarmLimits.runsPerPage))
            }
        }
        runs.get(":run/progress") { request, context in try await progress(request, context) }
        runs.get(":run/progress/events") { request, context in
            let run = try run(context)
            let path = Self.path(run) + "/progress"
            return try events(of: path, request, context) { [coordinator] in
                try await coordinator.progress(run)
            }
        }
        addFlaky(to: runs)
        PageRoutes(reading: reading, life: pages.life, clock: pages.clock) { request, context in
            let run = try run(context)
            return OpenedPage(
                desk: try await pages.desks.desk(of: run),
                visitor: try visit(context).visitor,
                root: Self.path(run),
                runs: RunsFrame.runsPath
            )
        }.add(to: runs.group(":run"))
    }

    private func run(_ context: FarmContext) throws -> RunID { RunID(try context.name("run")) }

    func visit(_ context: FarmContext) throws -> Visit {
        guard let visit = context.visit else { throw EntranceRefusal.noLogin }
        return visit
    }

    func frame(_ request: Request, _ visit: Visit) -> RunsFrame {
        RunsFrame(
            language: request.language,
            person: visit.grant.who,
            formToken: visit.session == nil ? nil : visit.formToken,
            query: request.queryWithoutLanguage
        )
    }

    /// Returns the path of a run's page, without a slash at its end.
    private static func path(_ run: RunID) -> String {
        RunsFrame.runsPath + "/" + RunsQuery.escaped(run.text)
    }

    // MARK: pages

    private func list(_ request: Request, _ context: FarmContext) async throws -> Response {
        let query = try RunsQuery(request, reach: try visit(context).grant.reach)
        let rows = try await coordinator.rows(query.ledger(limit: FarmLimits.runsPerPage + 1))
        let shown = rows.prefix(FarmLimits.runsPerPage)
        let next = rows.count > shown.count ? shown.last.map { RunsQuery.text($0) } : nil
        let page = RunsPage(
            rows: shown.map { RunsPage.Row($0) },
            filter: query.filter,
            next: next,
            isNewest: query.before == nil
        )
        let events = RunsFrame.runsPath + "/events" + query.text
        return PageAnswer.page(page.render(in: frame(request, try visit(context)), events: events))
    }

    private func progress(_ request: Request, _ context: FarmContext) async throws -> Response {
        let run = try run(context)
        let record = try await coordinator.record(of: run)
        let progress = try await coordinator.progress(run)
        guard progress.state == .running else {
            return PageAnswer.redirect(Self.path(run) + "/")
        }
        let page = ProgressPage(
            run: run.text,
            pipeline: record.facts.pipeline,
            branch: record.facts.branch,
            progress: progress,
            reasons: try await coordinator.whyOpen(run, progress),
            seconds: Double(pages.clock() - record.startedAt) / 1000
        )
        let markup = page.render(
            in: frame(request, try visit(context)),
            page: Self.path(run) + "/",
            events: Self.path(run) + "/progress/events"
        )
        return PageAnswer.page(markup)
    }

    func events<State: Equatable & Sendable>(
        of page: String,
        _ request: Request,
        _ context: FarmContext,
        look: @escaping @Sendable () async throws -> State
    ) throws -> Response {
        try pages.life.checkRoom()
        return PageEvents.response(of: page, pages.life) { [entrance] in
            // A visitor who logged out gets no more events.
            guard try entrance.visit(request, context) != nil else {
                throw EntranceRefusal.noLogin
            }
            return try await look()
        }
    }
}

/// The part of the list of runs that a browser asks for.
struct RunsQuery: Sendable {
    var before: RunQuery.Place?
    /// The filter's names and values, in the order of the page.
    var filter: [(name: String, value: String)] = []
    /// The pipelines whose runs the visitor may see.
    let reach: PipelineReach

    init(_ request: Request, reach: PipelineReach) throws {
        self.reach = reach
        let queries = request.uri.queryParameters
        for name in ["pipeline", "branch"] {
            guard let value = queries[Substring(name)], !value.isEmpty else { continue }
            filter.append((name: name, value: String(value)))
        }
        guard let text = queries["before"] else { return }
        let parts = text.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let started = Int64(parts[0]) else {
            throw RequestRefusal.badName("before")
        }
        before = RunQuery.Place(started: started, id: RunID(String(parts[1])))
    }

    func ledger(limit: Int) -> RunQuery {
        RunQuery(
            limit: limit,
            before: before,
            pipeline: filter.first { $0.name == "pipeline" }?.value,
            branch: filter.first { $0.name == "branch" }?.value,
            reach: reach
        )
    }

    /// The filter as a query of an address; empty for all runs.
    var text: String {
        let words = filter.map { "\($0.name)=\(Self.escaped($0.value))" }
        return words.isEmpty ? "" : "?" + words.joined(separator: "&")
    }

    /// Returns the position of a run in the list, in the form of the query `before`.
    static func text(_ row: RunRow) -> String { "\(row.started)~\(row.id)" }

    /// Returns `text` percent-escaped as one part of an address.
    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private static let plain = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"
    )
}

extension RunsPage.Row {
    fileprivate init(_ row: RunRow) {
        self.init(
            id: row.id.text,
            pipeline: row.facts.pipeline,
            branch: row.facts.branch,
            commit: row.facts.commit,
            pullRequest: row.facts.pullRequest,
            state: row.state,
            started: ISO8601.text(row.started),
            planned: row.planned,
            done: row.done,
            bad: row.bad,
            startedBy: row.facts.startedBy ?? "",
            problem: row.problem?.message
        )
    }
}
