// Who looks at a coordinator's pages: a browser with the cookie of a login, or whom a trusted proxy
// names. Tokens of programs open no page, and cookies no call of the API.
//
// Invariants
//   - A login is looked up among the tokens at each request: what is revoked ends at once.
//   - A header that names a person is believed from the proxy's address alone, and refused from any
//     other.
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird

/// One person's visit of the pages.
struct Visit: Sendable {
    var grant: AccessGrant
    /// Nil for whom a proxy names: that login is the proxy's, and ends there.
    var session: PageSession?
    /// What each form of this login carries.
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
    /// Whether this process itself speaks TLS.
    let speaksTLS: Bool

    private static let forwardedProtocol = HTTPField.Name("X-Forwarded-Proto") ?? .server

    /// Who asks; nil for nobody.
    ///
    /// - Throws: `ProxyRefusal` for a word that is not the proxy's.
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

    /// Whom a proxy names; nil where nobody is named.
    func proxyGrant(_ request: Request, _ context: FarmContext) throws -> AccessGrant? {
        guard let proxy = pages.proxy, let name = HTTPField.Name(proxy.header) else { return nil }
        return try proxy.grant(peer: context.peer, values: request.headers[values: name])
    }

    // MARK: cookies

    /// Whether the browser speaks TLS, to us or to the proxy.
    private func isSecure(_ request: Request, _ context: FarmContext) -> Bool {
        context.speaksTLS ?? speaksTLS
            || (pages.proxy?.isPeer(context.peer) ?? false)
                && request.headers[Self.forwardedProtocol] == "https"
    }

    /// A browser takes this prefix only from the host itself, over TLS, for all its paths.
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

    /// Sends the browser on with a login, or without one.
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

    /// A path of ours that a browser may be sent to; the list of runs for anything else.
    static func path(_ text: String) -> String {
        let isOurs =
            text.utf8.count <= 2_000 && text.hasPrefix("/") && !text.hasPrefix("//")
            && text.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") }
        return isOurs ? text : "/runs"
    }
}

/// Why a page is not shown.
enum EntranceRefusal: ExplainedError, StatusedRefusal, Hashable {
    case noLogin

    var code: String { "page-no-login" }
    var message: String { "you are not logged in." }
    var remedy: String { "Load the page again, and log in." }
    var exit: ExitCode { .usage }
    var status: Int { 401 }
}
