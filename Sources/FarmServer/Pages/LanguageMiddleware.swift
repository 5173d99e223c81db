// The language of a person's pages. A link on a page chooses it (`?lang=ja`), and a cookie keeps it
// for the next page. Without either, the browser's preference counts.
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird

/// Stores the language of a page's address in a cookie.
struct LanguageMiddleware: RouterMiddleware {
    private static let seconds = 365 * 24 * 3600

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        // Scripts of an open page ask in its language; that is no new choice.
        guard request.method == .get, request.headers[.accept]?.contains("text/html") == true,
            let asked = request.askedLanguage, asked != request.keptLanguage
        else { return response }
        let cookie =
            "\(Request.languageCookie)=\(asked.rawValue); Path=/; Max-Age=\(Self.seconds); "
            + "HttpOnly; SameSite=Lax"
        response.headers.append(HTTPField(name: .setCookie, value: cookie))
        return response
    }
}

extension Request {
    fileprivate static let languageCookie = "snapfarm_language"

    /// The language of the page: that of the address, else of the cookie, else the browser's
    /// preference.
    var language: PageLanguage {
        PageLanguage(
            asked: (askedLanguage ?? keptLanguage)?.rawValue,
            accepted: headers[.acceptLanguage]
        )
    }

    /// The query of the request's address, without the language.
    var queryWithoutLanguage: String {
        (uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix("lang=") }
            .joined(separator: "&")
    }

    fileprivate var askedLanguage: PageLanguage? {
        uri.queryParameters["lang"].flatMap { PageLanguage(rawValue: String($0)) }
    }

    fileprivate var keptLanguage: PageLanguage? {
        cookies[Self.languageCookie].flatMap { PageLanguage(rawValue: $0.value) }
    }
}

/// The style, script and icon of the pages around a run; they are the same for every visitor.
enum FrameAssets {
    static func add(to group: RouterGroup<FarmContext>) {
        group.get("assets/runs.css") { request, _ in
            PageAnswer.asset(RunsFrame.style, type: "text/css", for: request)
        }
        group.get("assets/runs.js") { request, _ in
            PageAnswer.asset(RunsFrame.script, type: "text/javascript", for: request)
        }
        group.get("favicon.ico") { request, _ in
            PageAnswer.asset(RunsFrame.icon, type: "image/svg+xml", for: request)
        }
    }
}
