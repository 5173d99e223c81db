// What every call of the API passes first: who calls and may they, and do both sides speak the
// same version.
import FarmAPI
import FarmCore
import HTTPTypes
import Hummingbird

/// What is known of one call.
struct FarmContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who calls; set by the ``AuthMiddleware``.
    var grant = AccessGrant(name: "", scopes: [])
    /// Who looks at a page; set by the ``EntranceMiddleware``.
    var visit: Visit?
    /// The address of the other end of the connection; of one that another coordinator sent on, that
    /// of its caller.
    var peer: String?
    /// Whether another coordinator sent the call on.
    var isProxied = false
    /// Whether such a caller came over TLS; nil: as this process speaks.
    var speaksTLS: Bool?

    init(source: Source) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }
}

extension HTTPField.Name {
    /// `Routes.versionHeader`; the name is a constant that HTTP allows.
    static let farmVersion = HTTPField.Name(Routes.versionHeader) ?? .userAgent
    /// `Routes.sealHeader`; likewise.
    static let leaseSeal = HTTPField.Name(Routes.sealHeader) ?? .userAgent
}

/// Refuses a call before anything of its body is read.
struct AuthMiddleware: RouterMiddleware {
    let access: any CallAccess
    /// One of them is enough.
    let needs: Set<AccessScope>
    /// Workers and submitters must say their version; people with curl need not.
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
