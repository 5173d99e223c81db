// Identifies the visitors of a coordinator's pages: by the cookie of a login, or by the name that a
// trusted proxy sends. Tokens of programs open no page, and cookies open no call of the API.
//
// Invariants
//   - Each request looks up its login among the tokens: a revoked token ends its logins at once.
//   - A header that names a person is accepted from the proxy's address only, and refused from any
//     other address.
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird

/// The login of one person at the pages.
struct Visit: Sendable {
    var grant: AccessGrant
    /// The session of the login, or `nil` for a person that a proxy names: the proxy keeps that
    /// login and ends it.
    var session: PageSession?
    /// The secret in each form of this login.
    var formToken: String

    var visitor: PageVisitor {
        PageVisitor(
            person: grant.who,
            mayDecide: grant.allows([.review]),
            formToken: formToken
        )
    }
}

struct Entrance: Sendable {
    let pages: ServedPages
    let sealer: SessionSealer
    /// Whether this process itself serves over TLS.
    let speaksTLS: Bool

    private static let forwardedProtocol = HTTPField.Name("X-Forwarded-Proto") ?? .server

    /// Returns the login of a request, or `nil` if the request has none.
    ///
    /// - Throws: `ProxyRefusal` for an identity header that the proxy did not send.
    func visit(_ request: Request, _ context: FarmContext) throws -> Visit? {
        if let grant = try proxyGrant(request, context) {
            return Visit(
                grant: grant,
                session: nil,
                formToken: sealer.formToken("person \(grant.who)")
            )
        }
        guard let value = cookie(request, context), let session = sealer.opened(value),
            let record = try pages.tokens.record(of: session)
        else { return nil }
        return Visit(
            grant: record.grant,
            session: session,
            formToken: sealer.formToken("session \(session.id)")
        )
    }

    /// Returns the access of the person that the proxy names, or `nil` if the proxy names none.
    func proxyGrant(_ request: Request, _ context: FarmContext) throws -> AccessGrant? {
        guard let proxy = pages.proxy, let name = HTTPField.Name(proxy.header) else { return nil }
        return try proxy.grant(peer: context.peer, values: request.headers[values: name])
    }

    // MARK: cookies

    /// Returns whether the browser speaks TLS, to this process or to the proxy.
    private func isSecure(_ request: Request, _ context: FarmContext) -> Bool {
        context.speaksTLS ?? speaksTLS
            || (pages.proxy?.isPeer(context.peer) ?? false)
                && request.headers[Self.forwardedProtocol] == "https"
    }

    /// Returns the name of the login's cookie.
    ///
    /// A browser accepts `__Host-` only from the host itself, over TLS, for all paths.
    private func cookieName(_ request: Request, _ context: FarmContext) -> String {
        isSecure(request, context) ? "__Host-snapfarm" : "snapfarm"
    }

    private func cookie(_ request: Request, _ context: FarmContext) -> String? {
        let name = cookieName(request, context)
        for header in request.headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else {
                    continue
                }
                return String(parts[1])
            }
        }
        return nil
    }

    /// Returns a redirect of the browser that sets the cookie of a login; without a session, the
    /// redirect removes the cookie.
    func answer(
        _ session: PageSession?,
        to place: String,
        for request: Request,
        _ context: FarmContext
    ) -> Response {
        let value = session.map { sealer.sealed($0) } ?? ""
        let seconds = session.map { max(0, ($0.ends - $0.began) / 1000) } ?? 0
        let secure = isSecure(request, context) ? "; Secure" : ""
        var response = PageAnswer.redirect(place)
        response.headers[values: .setCookie] = [
            "\(cookieName(request, context))=\(value); Path=/; HttpOnly; SameSite=Strict; "
                + "Max-Age=\(seconds)\(secure)"
        ]
        return response
    }

    /// Returns `text` if it is a path of ours that a browser may be sent to, else the list of runs.
    static func path(_ text: String) -> String {
        let isOurs =
            text.utf8.count <= 2_000 && text.hasPrefix("/") && !text.hasPrefix("//")
            && text.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") }
        return isOurs ? text : "/runs"
    }
}

/// The reason why a page is not shown to a visitor.
enum EntranceRefusal: ExplainedError, StatusedRefusal, Hashable {
    case noLogin

    var code: String { "page-no-login" }
    var message: String { "you are not logged in." }
    var remedy: String { "Load the page again, and log in." }
    var exit: ExitCode { .usage }
    var status: Int { 401 }
}
