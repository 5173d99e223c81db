// Server-sent events of a page (HTML standard, "Server-sent events"). An event `changed` without
// data makes the page's script ask again; the first one is sent at once. The server looks for
// changes regularly, so it also finds those of other processes and hosts of the same ledger. A form
// of this process only starts the next look at once.
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The state of a run that its page shows: it differs whenever the page differs.
private struct PageState: Equatable {
    var decided: Int64
    var state: RunState
    var counts: VerdictCounts
    var look: String

    init(_ desk: any ReviewSource) async throws {
        let summary = try await desk.summary()
        decided = try await desk.decided().number
        state = summary.state
        counts = summary.counts
        look = HTMLReport.look(of: summary)
    }
}

enum PageEvents {
    private static let changed = "event: changed\ndata:\n\n"

    /// Returns the event stream of a run's page, which lasts until the browser leaves or the host
    /// stops.
    static func response(of page: OpenedPage, _ life: PageHub) -> Response {
        response(of: page.root, life) { try await PageState(page.newest?() ?? page.desk) }
    }

    /// Returns the event stream of any page.
    ///
    /// `look` returns another value whenever the page differs.
    static func response<State: Equatable & Sendable>(
        of page: String,
        _ life: PageHub,
        look: @escaping @Sendable () async throws -> State
    ) -> Response {
        var headers = PageAnswer.common
        headers[.contentType] = "text/event-stream"
        headers[.cacheControl] = "no-store"
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { writer in
                try await life.listening(to: page) { wakes in
                    try await write(look, wakes, &writer)
                }
                try await writer.finish(nil)
            }
        )
    }

    private static func write<State: Equatable & Sendable>(
        _ look: @Sendable () async throws -> State,
        _ wakes: AsyncStream<Void>,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        // The browser reconnects after this many milliseconds if the host went away.
        try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
        var known = try await look()
        var said = ContinuousClock.now
        // The page may be older than this look: it was made before the browser listened, or the
        // connection broke since then.
        try await writer.write(ByteBuffer(string: changed))
        let (turns, turn) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            // Read by one task to its end: a stream ends for good when its reader is cancelled.
            group.addTask { for await _ in wakes { turn.yield() } }
            group.addTask {
                while true {
                    try await Task.sleep(for: .seconds(FarmLimits.pageLookSeconds))
                    turn.yield()
                }
            }
            group.addTask {
                try? await gracefulShutdown()
                turn.finish()
            }
            for await _ in turns {
                let now = try await look()
                if now != known {
                    known = now
                    said = .now
                    try await writer.write(ByteBuffer(string: changed))
                } else if said + .seconds(FarmLimits.pageHeartbeatSeconds) < .now {
                    said = .now
                    try await writer.write(ByteBuffer(string: ":\n\n"))
                }
            }
        }
    }
}
