// Which coordinator answers a call. While this one leads: this one. While another leads: that one,
// but for reads that the copy here answers as well. A caller must see what it has just written, and
// the copy is a moment behind; so what one run or lease is at goes to the leader as the writes do.
import FarmCore
import HTTPTypes
import Hummingbird

/// Answers here, or sends the call on to the leader.
struct LeaderMiddleware: RouterMiddleware {
    /// Nil: this coordinator is alone.
    let proxy: LeaderProxy?
    /// Whether a GET is answered from the copy, and from the leader only where the copy refuses it:
    /// a run that is not here yet, a file that only the leader has.
    var readsCopy = false
    /// Whether the calls are a browser's: what changes something comes from a page of ours.
    var isOfPages = false

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        guard let proxy else { return try await next(request, context) }
        let leader = proxy.leadership.leader
        if leader == .me { return try await next(request, context) }
        guard !context.isProxied else { throw LeaderRefusal.loop }
        if readsCopy, request.method == .get, proxy.leadership.canRead {
            if let response = try await read(request, context, next) { return response }
            return try await proxy.send(request, context, to: leader)
        }
        let isForm = isOfPages && request.method != .get
        if isForm { try PageOrigin.check(request) }
        let response = try await proxy.send(request, context, to: leader, isForm: isForm)
        // The page that the browser loads next is made here.
        if isForm { await proxy.leadership.catchUp() }
        return response
    }

    /// What the copy answers; nil where it refuses.
    private func read(
        _ request: Request,
        _ context: FarmContext,
        _ next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response? {
        do {
            let response = try await next(request, context)
            return response.status.code < 400 ? response : nil
        } catch is any ExplainedError {
            return nil
        }
    }
}
