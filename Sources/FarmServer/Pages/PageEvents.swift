// Server-sent events of a page (HTML standard, "Server-sent events"): `changed` without data whenever
// the page's script is to ask again, and once when it begins to listen. What changed is found by looking, so that other processes and
// other hosts of the same ledger are heard of, too; a form of this process only makes it look at once.
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// What a listener compares: it is another value whenever the page is another one.
private struct PageState: Equatable {
    var decided: Int64
    var state: RunState
    var counts: VerdictCounts

    init(_ desk: any ReviewDesk) async throws {
        let summary = try await desk.summary()
        decided = try await desk.decided().number
        state = summary.state
        counts = summary.counts
    }
}

enum PageEvents {
    private static let changed = "event: changed\ndata:\n\n"

    /// A stream that lasts until the browser leaves or the host stops.
    static func response(of page: OpenedPage, _ life: PageLife) -> Response {
        response(of: page.root, life) { try await PageState(page.desk) }
    }

    /// The same for any page: `look` gives another value whenever it is another one.
    static func response<State: Equatable & Sendable>(
        of page: String,
        _ life: PageLife,
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
        // Browsers ask again after so many milliseconds where the host went away.
        try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
        var known = try await look()
        var said = ContinuousClock.now
        // The page may be older than this look: it was made before the browser listened, or the
        // line was broken since.
        try await writer.write(ByteBuffer(string: changed))
        while try await isTimeToLook(wakes) {
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

    /// Waits for a word or the time to look by itself; false where the host stops.
    private static func isTimeToLook(_ wakes: AsyncStream<Void>) async throws -> Bool {
        do {
            return try await cancelWhenGracefulShutdown {
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        for await _ in wakes { return true }
                        return false
                    }
                    group.addTask {
                        try await Task.sleep(for: .seconds(FarmLimits.pageLookSeconds))
                        return true
                    }
                    defer { group.cancelAll() }
                    return try await group.next() ?? false
                }
            }
        } catch is CancellationError {
            return false
        }
    }
}
