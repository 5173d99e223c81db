// Chooses the coordinator that answers a call. The leader answers all calls; another coordinator
// answers only some reads, from its copy of the ledger.
// The copy is a moment behind, and a caller must see what it has just written. So reads of the
// state of one run or lease go to the leader, as writes do.
import FarmCore
import HTTPTypes
import Hummingbird

/// Lets this coordinator answer a call, or forwards the call to the leader.
struct LeaderMiddleware: RouterMiddleware {
    /// The proxy that forwards calls to the leader, or `nil` if this coordinator is alone.
    let proxy: LeaderProxy?
    /// Whether this coordinator answers a GET from its copy of the ledger.
    ///
    /// The leader answers it only if the copy refuses it: a run that is not here yet, a file that
    /// only the leader has.
    var readsCopy = false
    /// Whether the group's calls come from browsers.
    ///
    /// A call that changes something must then come from our own page.
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
        // This coordinator makes the browser's next page.
        if isForm { await proxy.leadership.catchUp() }
        return response
    }

    /// Returns this coordinator's answer from its copy, or `nil` if the copy refuses the call.
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
