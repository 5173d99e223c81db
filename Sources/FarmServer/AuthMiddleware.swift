// Checks every call of the API before its route: the caller's token and scopes, and the version of
// the protocol.
import FarmAPI
import FarmCore
import HTTPTypes
import Hummingbird

/// The facts about one call.
struct FarmContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The caller's name and scopes; set by the ``AuthMiddleware``.
    var grant = AccessGrant(name: "", scopes: [])
    /// The visit of a page; set by the ``EntranceMiddleware``.
    var visit: Visit?
    /// The caller's IP address.
    ///
    /// For a call that another coordinator sent on, the address that it saw.
    var peer: String?
    /// Whether another coordinator sent the call on.
    var isProxied = false
    /// Whether the original caller used TLS, or `nil` if this process itself received the call.
    var speaksTLS: Bool?

    init(source: Source) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }
}

extension HTTPField.Name {
    /// `Routes.versionHeader`; the name is a constant that HTTP allows.
    static let farmVersion = HTTPField.Name(Routes.versionHeader) ?? .userAgent
    /// `Routes.sealHeader`; this name is a constant, too.
    static let leaseSeal = HTTPField.Name(Routes.sealHeader) ?? .userAgent
}

/// Refuses a call before any of its body is read.
struct AuthMiddleware: RouterMiddleware {
    let access: any CallAccess
    /// The caller needs one of these scopes.
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
