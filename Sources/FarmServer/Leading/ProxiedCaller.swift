// The original caller of a call that another coordinator sent on. That coordinator saw the caller's
// address and whether it used TLS, and seals both with the key that all coordinators of a ledger
// share.
//
// Invariants
//   - A header without a valid seal is ignored: the call counts as its sender's.
//   - A call is sent on only once: a coordinator that gets it and does not lead refuses it.
import FarmAPI
import FarmCore
import HTTPTypes
import Hummingbird

extension HTTPField.Name {
    /// The HTTP header `Routes.proxiedHeader`; HTTP allows its name, so the fallback is never used.
    static let proxied = HTTPField.Name(Routes.proxiedHeader) ?? .userAgent
}

enum ProxiedCaller {
    /// Returns the value of the sealed header for the leader: the caller's address, and whether it
    /// used TLS.
    static func sealed(_ context: FarmContext, speaksTLS: Bool, by sealer: SessionSealer) -> String
    {
        let isSecure = context.speaksTLS ?? speaksTLS
        return sealer.sealedCall("\(context.peer ?? "")~\(isSecure ? "https" : "http")")
    }

    /// Marks the call in `context` as forwarded; takes the caller's address and TLS from a header
    /// with a valid seal.
    static func open(_ header: String, by sealer: SessionSealer, into context: inout FarmContext) {
        context.isProxied = true
        guard let text = sealer.openedCall(header), let end = text.lastIndex(of: "~") else {
            return
        }
        context.peer = end == text.startIndex ? nil : String(text[..<end])
        context.speaksTLS = text[text.index(after: end)...] == "https"
    }
}

/// Recognises a call that another coordinator forwarded, before other middleware looks at its
/// caller.
struct ProxiedMiddleware: RouterMiddleware {
    let sealer: SessionSealer

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        guard let header = request.headers[.proxied] else {
            return try await next(request, context)
        }
        var context = context
        ProxiedCaller.open(header, by: sealer, into: &context)
        return try await next(request, context)
    }
}
