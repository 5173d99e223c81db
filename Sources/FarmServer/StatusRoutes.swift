// The routes for monitors, outside the API: whether the process is there, whether it works, its
// metrics.
import FarmCore
import FarmLedger
import HTTPTypes
import Hummingbird
import NIOCore

struct StatusRoutes {
    let coordinator: Coordinator
    let access: any CallAccess
    let metrics: ServerMetrics
    /// Returns facts about the data folder for the metrics; `nil` leaves them out.
    let upkeep: (@Sendable () -> UpkeepFacts)?
    /// This coordinator's view of the leader, or `nil` if it is alone.
    let leadership: (any Leadership)?

    func add(to router: Router<FarmContext>) {
        router.get("healthz") { _, _ in "ok\n" }
        router.get("readyz") { _, _ in await readiness() }
        router.group("metrics").add(middleware: AuthMiddleware(access: access, needs: [.read]))
            .add(middleware: WholeFarmMiddleware())
            .get { _, _ in try await numbers() }
    }

    /// Answers "ready" if the coordinator is not stopping and the ledger answers.
    private func readiness() async -> Response {
        guard !coordinator.isStopping else { return unready("stopping\n") }
        do {
            _ = try await coordinator.openRuns()
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "ready\n")))
        } catch {
            return unready("the ledger does not answer\n")
        }
    }

    private func unready(_ text: String) -> Response {
        Response(
            status: .serviceUnavailable,
            headers: [.contentType: "text/plain"],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }

    private func numbers() async throws -> Response {
        var text = MetricsText.render(
            calls: metrics.now,
            ledger: try await coordinator.counts(),
            unjudged: coordinator.unjudgedCount,
            commits: coordinator.commits.now,
            upkeep: upkeep?()
        )
        text += (leadership?.facts ?? LeadershipFacts(leads: true)).text()
        text += LaunchMetrics.render(coordinator.launches.launchers)
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }
}
