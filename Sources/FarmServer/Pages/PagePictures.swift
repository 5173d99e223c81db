// The routes of a run's page that show pictures and their origin: thumbnails, the reason why a
// picture is the reference, and the catalogue of a set. They only read.
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird

struct PagePictures: Sendable {
    /// Returns the run's page and the visitor of a request; refuses a visitor who may not see the
    /// run.
    let open: @Sendable (Request, FarmContext) async throws -> OpenedPage

    func add(to pages: RouterGroup<FarmContext>) {
        pages.get("thumbs/**") { request, context in try await thumbnail(request, context) }
        pages.get("baseline") { request, context in try await baseline(request, context) }
        pages.get("catalogue") { request, context in try await catalogue(request, context) }
        pages.get("catalogue/style.css") { request, context in
            _ = try await open(request, context)
            return PageAnswer.asset(CataloguePage.style, type: "text/css", for: request)
        }
        pages.get("catalogue/catalogue.js") { request, context in
            _ = try await open(request, context)
            return PageAnswer.asset(CataloguePage.script, type: "text/javascript", for: request)
        }
        for (folder, form) in [("pictures", PictureForm.whole), ("thumbs", .thumbnail)] {
            pages.get(RouterPath("catalogue/\(folder)/:name")) { request, context in
                try await reference(request, context, as: form)
            }
        }
    }

    private func thumbnail(_ request: Request, _ context: FarmContext) async throws -> Response {
        let page = try await open(request, context)
        let path = context.restOfPath
        guard PagePath.isSafe(path), let bytes = try await page.desk.thumbnail(ofFile: path) else {
            throw PageRefusal.noFile
        }
        return PageAnswer.file(bytes, path: path, for: request)
    }

    private func baseline(_ request: Request, _ context: FarmContext) async throws -> Response {
        let page = try await open(request, context)
        let asked = request.uri.queryParameters["snapshot"].map(String.init) ?? ""
        let summary = try await page.desk.summary()
        guard let id = SnapshotID(exactly: asked), let place = summary.place(of: asked) else {
            throw PageRefusal.noFile
        }
        let markup = HTMLReport.baseline(
            try await page.desk.baseline(of: id),
            of: summary.snapshots[place],
            in: summary,
            addresses: page.addresses(canJudge: false),
            language: request.language
        )
        return PageAnswer.page(markup)
    }

    private func catalogue(_ request: Request, _ context: FarmContext) async throws -> Response {
        let page = try await open(request, context)
        let asked = request.uri.queryParameters["set"].map(String.init) ?? ""
        guard let found = try await page.desk.catalogue(ofSet: asked.isEmpty ? nil : asked) else {
            throw PageRefusal.noStore
        }
        return PageAnswer.page(
            CataloguePage.render(
                found,
                addresses: page.addresses(canJudge: false),
                language: request.language
            )
        )
    }

    private func reference(
        _ request: Request,
        _ context: FarmContext,
        as form: PictureForm
    ) async throws -> Response {
        let page = try await open(request, context)
        let name = try context.name("name")
        guard name.hasSuffix(".png"), let object = ObjectID(name.dropLast(4)),
            let bytes = try await page.desk.reference(object, as: form)
        else { throw PageRefusal.noFile }
        var response = PageAnswer.file(bytes, path: name, for: request)
        // The address contains the picture's object id, so its bytes never change.
        response.headers[.cacheControl] = "private, max-age=31536000, immutable"
        return response
    }
}

extension RunSummary {
    fileprivate func place(of snapshot: String) -> Int? {
        snapshots.firstIndex { $0.id == snapshot }
    }
}
