// What every request passes that may be a person's: a header that names one is refused unless the
// trusted proxy sent it, and pages are shown to people who are logged in.
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird

/// Refuses the word of a stranger about who looks, on whatever path.
struct ProxyMiddleware: RouterMiddleware {
    let entrance: Entrance

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        _ = try entrance.proxyGrant(request, context)
        return try await next(request, context)
    }
}

/// Lets people with a login pass; the others log in first.
struct EntranceMiddleware: RouterMiddleware {
    let entrance: Entrance

    private static let site = HTTPField.Name("Sec-Fetch-Site") ?? .origin

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        do {
            guard let visit = try entrance.visit(request, context) else {
                return try stranger(request)
            }
            let needed: Set<AccessScope> = [.read, .review]
            guard visit.grant.allows(needed) else {
                throw AccessRefusal.scope(
                    name: visit.grant.name,
                    has: visit.grant.scopes.map(\.rawValue).sorted(),
                    needs: needed.map(\.rawValue).sorted()
                )
            }
            var context = context
            context.visit = visit
            return try await next(request, context)
        } catch let error as any ExplainedError {
            return try PageAnswer.refusal(error, for: request, back: nil)
        }
    }

    private func stranger(_ request: Request) throws -> Response {
        let isPage =
            request.method == .get && request.headers[.accept]?.contains("text/html") == true
        guard isPage else { throw EntranceRefusal.noLogin }
        let path = Entrance.path(request.uri.string)
        let frame = RunsFrame(language: request.language)
        // A link in a mail or a chat: the browser keeps the cookie back until our own page asks.
        if request.headers[Self.site] == "cross-site" {
            return PageAnswer.page(EntrancePage.again(path, in: frame))
        }
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~/")
        let back = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        return PageAnswer.redirect(RunsFrame.loginPath + "?back=" + back)
    }
}
