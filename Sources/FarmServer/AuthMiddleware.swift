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
        return try await next(request, context)
    }
}
