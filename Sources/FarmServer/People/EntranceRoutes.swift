// The routes by which people log in and out: a token, a one-time link, a log-out.
//
// Invariants
//   - Each login and log-out is a POST from our own page. Opening a link does not use it up:
//     programs that show previews open links.
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird

struct EntranceRoutes: Sendable {
    let entrance: Entrance
    let reading: RequestReading
    let proxy: LeaderProxy?

    func add(to router: Router<FarmContext>) {
        let pages = router.group().add(middleware: PageMiddleware())
        // Routes that write the file of tokens. A login writes nothing: it is sealed into its
        // cookie.
        let changing = pages.group().add(
            middleware: LeaderMiddleware(proxy: proxy, readsCopy: true, isOfPages: true)
        )
        pages.get("login") { request, _ in
            let back = request.uri.queryParameters["back"].map { String($0) } ?? ""
            return PageAnswer.page(
                EntrancePage.login(back: Entrance.path(back), in: frame(request))
            )
        }
        pages.post("login") { request, context in try await logIn(request, context) }
        changing.post("logout") { request, context in try await logOut(request, context) }
        changing.get("invite/:code") { request, context in
            try await invited(request, context) { code in
                guard let record = try entrance.pages.tokens.invited(by: code) else { return nil }
                return PageAnswer.page(
                    EntrancePage.invitation(
                        record.grant.who,
                        path: request.uri.path,
                        in: frame(request)
                    )
                )
            }
        }
        changing.post("invite/:code") { request, context in
            try PageOrigin.check(request)
            return try await invited(request, context) { code in
                guard let record = try entrance.pages.tokens.accept(code) else { return nil }
                return enter(record, RunsFrame.runsPath, request, context)
            }
        }
        FrameAssets.add(to: pages)
        DocsRoutes.add(to: pages)
    }

    private func frame(_ request: Request) -> RunsFrame {
        RunsFrame(language: request.language, query: request.queryWithoutLanguage)
    }

    // MARK: log in

    private func logIn(_ request: Request, _ context: FarmContext) async throws -> Response {
        try PageOrigin.check(request)
        let form = try await reading.form(request)
        let back = Entrance.path(form["back"])
        do {
            let key = form["key"].trimmingCharacters(in: .whitespacesAndNewlines)
            let record = try entrance.pages.tokens.record(of: key)
            return enter(record, back, request, context)
        } catch is AccessRefusal {
            // Wrong tokens are not counted: many people may come from the address of a proxy, and
            // 256 random bits cannot be guessed.
            let page = EntrancePage.login(.wrongToken, back: back, in: frame(request))
            return PageAnswer.page(page, status: .unauthorized)
        }
    }

    /// Returns the answer to a one-time link, given the link's code to `body`.
    ///
    /// If `body` returns `nil`, the answer says that the link is no longer valid.
    private func invited(
        _ request: Request,
        _ context: FarmContext,
        _ body: (String) throws -> Response?
    ) async throws -> Response {
        if let response = try body(try context.name("code")) { return response }
        let page = EntrancePage.mistake(.linkOver, in: frame(request))
        return PageAnswer.page(page, status: .notFound)
    }

    private func enter(
        _ record: TokenRecord,
        _ place: String,
        _ request: Request,
        _ context: FarmContext
    ) -> Response {
        var random = SystemRandomNumberGenerator()
        let session = PageSession(of: record, now: entrance.pages.clock(), using: &random)
        return entrance.answer(session, to: place, for: request, context)
    }

    // MARK: log out

    private func logOut(_ request: Request, _ context: FarmContext) async throws -> Response {
        try PageOrigin.check(request)
        let form = try await reading.form(request)
        if let visit = try entrance.visit(request, context) {
            let given = Digest(of: Data(form["token"].utf8))
            guard given.isEqualInConstantTime(to: Digest(of: Data(visit.formToken.utf8))) else {
                throw PageRefusal.foreignForm
            }
            if let session = visit.session { try entrance.pages.tokens.logOut(session) }
        }
        return entrance.answer(nil, to: RunsFrame.loginPath, for: request, context)
    }
}
