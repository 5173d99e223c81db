// Checks every call of the API before its route: the caller's token and scopes, and the version of
// the protocol.
import FarmAPI
import FarmCore
import HTTPTypes
import Hummingbird

/// The facts about one HTTP call that its route and its middleware share.
struct FarmContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The caller's name and scopes; set by the ``AuthMiddleware``.
    var grant = AccessGrant(name: "", scopes: [])
    /// The login of a call for a page, or `nil` if there is none; set by the
    /// ``EntranceMiddleware``.
    var visit: Visit?
    /// The caller's IP address, or `nil` if it is unknown.
    ///
    /// For a call that another coordinator forwarded, the address that this coordinator saw.
    var peer: String?
    /// Whether another coordinator forwarded the call.
    var isProxied = false
    /// Whether the original caller used TLS, or `nil` if this process itself received the call.
    var speaksTLS: Bool?

    init(source: Source) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }
}

extension HTTPField.Name {
    /// The HTTP header `Routes.versionHeader`; HTTP allows its name, so the fallback is never used.
    static let farmVersion = HTTPField.Name(Routes.versionHeader) ?? .userAgent
    /// The HTTP header `Routes.sealHeader`; HTTP allows its name, so the fallback is never used.
    static let leaseSeal = HTTPField.Name(Routes.sealHeader) ?? .userAgent
}

/// Refuses a call without a valid token, scope or version, before any of its body is read.
struct AuthMiddleware: RouterMiddleware {
    let access: any CallAccess
    /// The scopes that allow the call; the caller needs one of them.
    let needs: Set<AccessScope>
    /// Whether a call must name its version of the protocol: programs must, people with curl need
    /// not.
    var requiresVersion = false

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.grant = try access.grant(request.headers[.authorization], needing: needs)
        let version = request.headers[.farmVersion]
        guard version.map(Routes.versionsServed.contains) ?? !requiresVersion else {
            throw RequestRefusal.version(version)
        }
        // A program of version 1 names no run, and would find no blob.
        if !context.grant.reach.isEverything, version == "1" {
            throw RequestRefusal.version(version)
        }
        return try await next(request, context)
    }
}

/// Keeps the caller's address for the audit log.
struct AddressMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        try await CallerAddress.$current.withValue(context.peer ?? "") {
            try await next(request, context)
        }
    }
}

/// Answers a call about a run that its caller does not reach as a call about no run.
///
/// It comes after the ``LeaderMiddleware``: another coordinator may know a run that this one does
/// not have yet.
struct ReachMiddleware: RouterMiddleware {
    let coordinator: Coordinator

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        let grant = context.visit?.grant ?? context.grant
        if !grant.reach.isEverything, context.parameters.get("run") != nil {
            try await coordinator.check(grant.reach, of: RunID(try context.name("run")))
        }
        return try await next(request, context)
    }
}

/// Refuses a call about the whole farm by a caller that reaches only some pipelines.
struct WholeFarmMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        try context.grant.checkWholeFarm()
        return try await next(request, context)
    }
}
