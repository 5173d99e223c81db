// In which language a person reads the pages: what a link on them asked for (`?lang=ja`), and is kept
// in a cookie so that the next page speaks it, too; else what the browser asks for.
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird

/// Keeps the language that the address of a page asks for.
struct LanguageMiddleware: RouterMiddleware {
    private static let seconds = 365 * 24 * 3600

    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        // Scripts of a page that is open ask in its language, and choose nothing.
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

    /// What the address asks for, else what was kept, else what the browser asks for.
    var language: PageLanguage {
        PageLanguage(
            asked: (askedLanguage ?? keptLanguage)?.rawValue,
            accepted: headers[.acceptLanguage]
        )
    }

    /// All of the address's query but for the language.
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

/// Style and script of the frame around login, lists and refusals, and the icon that browsers ask for:
/// the same for everybody.
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
