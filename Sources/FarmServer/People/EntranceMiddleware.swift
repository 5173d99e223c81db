// Checks requests of people. A header that names a person is refused unless the trusted proxy sent
// it, and pages are shown only after a login.
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird

/// Refuses, on every path, a header that names a person if the trusted proxy did not send it.
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

/// Lets people with a login pass, and sends all others to the login page.
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
            try visit.grant.check([.read, .review])
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
        // For a link in a mail or a chat, the browser holds the cookie back until our own page
        // asks.
        if request.headers[Self.site] == "cross-site" {
            return PageAnswer.page(EntrancePage.again(path, in: frame))
        }
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~/")
        let back = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        return PageAnswer.redirect(RunsFrame.loginPath + "?back=" + back)
    }
}
