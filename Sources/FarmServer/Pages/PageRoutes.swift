// The routes of one run's page, the same for `snapfarm review` and for a coordinator. The host
// provides the visitor and the run; rules of FarmCore decide what a form does.
//
// Invariants
//   - Every request that changes something is a POST from our own page with its visitor's form
//     token.
//   - No body is read before the visitor is known to have the right to decide.
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird

struct PageRoutes: Sendable {
    let reading: RequestReading
    let life: PageHub
    /// Returns the time in milliseconds since 1970.
    let clock: @Sendable () -> Int64
    /// Judges the run again, so that ``open`` returns the judgement from then on; `nil` if the host
    /// cannot.
    var judge: (@Sendable () async throws -> Void)? = nil
    /// Returns the run's page and the visitor of a request; refuses a visitor who may not see the
    /// run.
    let open: @Sendable (Request, FarmContext) async throws -> OpenedPage

    /// Adds the routes of a run's page: the page at the group's own path, the others below it.
    func add(to group: RouterGroup<FarmContext>) {
        let pages = group.group().add(middleware: PageMiddleware())
        pages.get("") { request, context in try await page(request, context) }
        pages.get("page.css") { request, context in
            _ = try await open(request, context)
            return PageAnswer.asset(HTMLReport.style, type: "text/css", for: request)
        }
        pages.get("page.js") { request, context in
            _ = try await open(request, context)
            return PageAnswer.asset(HTMLReport.script, type: "text/javascript", for: request)
        }
        pages.get("files/**") { request, context in try await file(request, context) }
        pages.get("decisions") { request, context in try await decisions(request, context) }
        pages.post("decisions") { request, context in try await decide(request, context) }
        pages.post("publish") { request, context in try await publish(request, context) }
        if let judge {
            pages.post("judge") { request, context in
                let (page, form) = try await form(request, context)
                try await judge()
                let notice = HTMLReport.judgedAgain(in: request.language)
                return try done(notice, "", page, form, request)
            }
        }
        PagePictures(open: open).add(to: pages)
        pages.get("events") { request, context in
            let page = try await open(request, context)
            try life.checkRoom()
            return PageEvents.response(of: page, life)
        }
    }

    // MARK: reading

    private func page(_ request: Request, _ context: FarmContext) async throws -> Response {
        let page = try await open(request, context)
        let notice = life.takeNotice(for: page.visitor, of: page.root)
        let markup = HTMLReport.render(
            try await page.desk.run(),
            review: try await review(page, notice: notice),
            language: request.language,
            query: try query(request.uri.query)
        )
        return PageAnswer.page(markup)
    }

    private func decisions(_ request: Request, _ context: FarmContext) async throws -> Response {
        let page = try await open(request, context)
        let text = HTMLReport.decisions(
            try await page.desk.run(),
            review: try await review(page, notice: ""),
            language: request.language,
            query: try query(request.uri.query)
        )
        return PageAnswer.json(Data(text.utf8))
    }

    /// Parses the query of an address, the `text` behind its `?`.
    private func query(_ text: String?) throws -> PageQuery {
        PageQuery(try PageForm((text ?? "").utf8).fields)
    }

    private func review(_ page: OpenedPage, notice: String) async throws -> PageReview {
        let pin = try await page.desk.pinToCommit()
        return PageReview(
            addresses: page.addresses(canJudge: judge != nil),
            decisions: try await page.desk.decided().book,
            person: page.visitor.person,
            mayDecide: page.visitor.mayDecide,
            cannotPublish: try await page.desk.cannotPublish(),
            pin: pin,
            formToken: page.visitor.formToken,
            notice: notice
        )
    }

    private func file(_ request: Request, _ context: FarmContext) async throws -> Response {
        let page = try await open(request, context)
        let path = context.restOfPath
        guard PagePath.isSafe(path), let bytes = try await page.desk.file(path) else {
            throw PageRefusal.noFile
        }
        return PageAnswer.file(bytes, path: path, for: request)
    }

    // MARK: deciding

    private func decide(_ request: Request, _ context: FarmContext) async throws -> Response {
        let (page, form) = try await form(request, context)
        let run = try await page.desk.run()
        let book = try await page.desk.decided().book
        let wanted = try wanted(form, run, book, by: page.visitor.person)
        let decisions = try DecisionRules.decisions(
            wanted,
            about: run.summary,
            after: book,
            by: page.visitor.person,
            now: clock()
        )
        if !decisions.isEmpty { try await page.desk.add(decisions) }
        let notice = HTMLReport.decided(
            wanted.kind,
            decisions.count,
            removed: decisions.count { $0.capture == nil },
            in: request.language
        )
        return try done(notice, "", page, form, request)
    }

    /// Returns the pictures that a form selects.
    ///
    /// They are those of its changes, snapshots and causes; with `shown`, all that its filter selects; with
    /// `when`, all that its person accepted at that time.
    private func wanted(
        _ form: PageForm,
        _ run: PageRun,
        _ book: DecisionBook,
        by person: String
    ) throws -> DecisionForm {
        var changes = form[all: "change"]
        var snapshots = form[all: "snapshot"]
        if !form["shown"].isEmpty {
            let open = OpenChanges(try query(form["all"]), of: run, book)
            guard open.digest.hex == form["shown"] else { throw PageRefusal.othersShown }
            (changes, snapshots) = (open.changes, open.snapshots)
        }
        if !form["when"].isEmpty {
            let when = form["when"]
            snapshots = AcceptedTogether.snapshots(of: run, book, by: person, at: when)
        }
        // The id of a change says which pictures it shows; those of pictures and causes do not.
        let shown = form["run"]
        if !shown.isEmpty, shown != run.summary.run.id,
            !form[all: "snapshot"].isEmpty || !form[all: "cause"].isEmpty
        {
            throw PageRefusal.othersShown
        }
        return try DecisionForm(
            kind: form["kind"],
            changes: changes,
            snapshots: snapshots,
            causes: form[all: "cause"],
            reason: form["kind"] == "commented" ? form["comment"] : form["reason"]
        )
    }

    private func publish(_ request: Request, _ context: FarmContext) async throws -> Response {
        let (page, form) = try await form(request, context)
        if let obstacle = try await page.desk.cannotPublish() {
            throw PageRefusal.cannotPublish(obstacle)
        }
        let done = try await page.desk.publish(by: page.visitor.person, now: clock())
        let notice = HTMLReport.published(done, in: request.language)
        return try self.done(notice, done.pin?.command ?? "", page, form, request)
    }

    /// Reads a form that comes from our own page and from a visitor who may decide.
    private func form(
        _ request: Request,
        _ context: FarmContext
    ) async throws -> (OpenedPage, PageForm) {
        try PageOrigin.check(request)
        let page = try await open(request, context)
        guard page.visitor.mayDecide else { throw PageRefusal.mayNotDecide }
        let form = try await reading.form(request)
        let (ours, given) = (page.visitor.formToken, form["token"])
        let isOurs = Digest(of: Data(ours.utf8))
            .isEqualInConstantTime(to: Digest(of: Data(given.utf8)))
        guard isOurs, !ours.isEmpty else { throw PageRefusal.foreignForm }
        return (page, form)
    }

    private func done(
        _ notice: String,
        _ command: String,
        _ page: OpenedPage,
        _ form: PageForm,
        _ request: Request
    ) throws -> Response {
        life.wake(page.root)
        if PageAnswer.isForScript(request) {
            let answer = ["notice": notice, "command": command]
            return PageAnswer.json(try JSONEncoder().encode(answer))
        }
        life.keep(
            command.isEmpty ? notice : notice + "\n" + command,
            for: page.visitor,
            of: page.root
        )
        // The browser returns to the part of the page that the form was on.
        let shown = request.headers[.referer].flatMap {
            URLComponents(string: $0)?.percentEncodedQuery
        }
        let query = (try? query(shown))?.text ?? ""
        let place = page.root + "/" + (query.isEmpty ? "" : "?" + query)
        return PageAnswer.redirect(place + PagePath.fragment(form["back"]))
    }
}

extension OpenedPage {
    func addresses(canJudge: Bool) -> PageReview.Addresses {
        PageReview.Addresses(
            files: root + "/files/",
            decisions: root + "/decisions",
            publish: root + "/publish",
            judge: canJudge ? root + "/judge" : nil,
            events: root + "/events",
            style: root + "/page.css",
            script: root + "/page.js",
            runs: runs,
            baseline: root + "/baseline",
            catalogue: root + "/catalogue/",
            thumbnails: root + "/thumbs/"
        )
    }
}

extension FarmContext {
    /// The part of the path that `**` matched.
    ///
    /// A name that contains a slash becomes two parts.
    var restOfPath: String {
        parameters.getCatchAll().map { $0.removingPercentEncoding ?? String($0) }
            .joined(separator: "/")
    }
}

/// Turns the errors of a page's routes into answers for browsers.
struct PageMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: FarmContext,
        next: (Request, FarmContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any ExplainedError {
            return try PageAnswer.refusal(error, for: request, back: PagePath.page(of: request))
        }
    }
}

/// Checks paths and fragments that callers send.
enum PagePath {
    /// Returns whether a path is relative, without empty parts, `.`, `..`, backslashes and control
    /// characters.
    static func isSafe(_ path: String) -> Bool {
        let parts = path.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        )
        return path.utf8.count <= FarmLimits.picturePathBytesMax
            && path.utf8.allSatisfy { $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: "\\") }
            && parts.allSatisfy { part in
                !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
            }
    }

    /// Returns the fragment `#back` of an address, or an empty text if our pages have no such name.
    static func fragment(_ back: String) -> String {
        let isName =
            !back.isEmpty && back.utf8.count <= fragmentBytesMax
            && back.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":")]
                        .contains(byte)
            }
        return isName ? "#" + back : ""
    }

    /// Returns the path of the page that a refused form leads back to, or `nil` unless it is a
    /// POST.
    static func page(of request: Request) -> String? {
        guard request.method == .post else { return nil }
        let path = request.uri.path
        return path.lastIndex(of: "/").map { String(path[...$0]) }
    }

    private static let fragmentBytesMax = 200
}
