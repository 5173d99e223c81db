// Whose call it is that another coordinator sent on. That one has seen the caller's address and how
// the connection was protected, and says so under the key that all coordinators of a ledger share.
//
// Invariants
//   - A word that is not sealed is believed in nothing: the call counts as its sender's.
//   - A call is sent on once: who gets it and does not lead refuses it.
import FarmAPI
import FarmCore
import HTTPTypes
import Hummingbird

extension HTTPField.Name {
    /// `Routes.proxiedHeader`; the name is a constant that HTTP allows.
    static let proxied = HTTPField.Name(Routes.proxiedHeader) ?? .userAgent
}

enum ProxiedCaller {
    /// What goes to the leader: the caller's address, and whether it came over TLS.
    static func sealed(_ context: FarmContext, speaksTLS: Bool, by sealer: SessionSealer) -> String
    {
        let isSecure = context.speaksTLS ?? speaksTLS
        return sealer.sealedCall("\(context.peer ?? "")~\(isSecure ? "https" : "http")")
    }

    /// Takes over what the other coordinator saw.
    static func open(_ header: String, by sealer: SessionSealer, into context: inout FarmContext) {
        context.isProxied = true
        guard let text = sealer.openedCall(header), let end = text.lastIndex(of: "~") else {
            return
        }
        context.peer = end == text.startIndex ? nil : String(text[..<end])
        context.speaksTLS = text[text.index(after: end)...] == "https"
    }
}

/// Knows a call that another coordinator sent on, before anything asks who calls.
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
