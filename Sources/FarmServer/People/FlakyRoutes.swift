// `/runs/flaky` and the paths below: the tests that were flaky in the newest runs, with the pictures
// that differed. They only read.
import FarmArtifacts
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird

extension RunsRoutes {
    func addFlaky(to runs: RouterGroup<FarmContext>) {
        runs.get("flaky") { request, context in
            let found = try await flaky(request, context)
            let frame = frame(request, try visit(context))
            return PageAnswer.page(FlakyPages(found, links: Self.links(request)).list(in: frame))
        }
        runs.get("flaky/:test") { request, context in
            let pages = FlakyPages(try await flaky(request, context), links: Self.links(request))
            let frame = frame(request, try visit(context))
            guard let page = pages.page(of: try context.name("test"), in: frame) else {
                throw PageRefusal.noFile
            }
            return PageAnswer.page(page)
        }
        runs.get("flaky/pictures/:picture") { request, context in
            try await picture(request, context)
        }
    }

    private func flaky(_ request: Request, _ context: FarmContext) async throws -> FlakyTests {
        try await coordinator.flaky(
            pipeline: request.uri.queryParameters["pipeline"].map(String.init),
            runs: FarmLimits.runsPerPage,
            reach: try visit(context).grant.reach
        )
    }

    /// Returns a capture that the pages of flaky tests show; no other blob has an address.
    private func picture(_ request: Request, _ context: FarmContext) async throws -> Response {
        let name = try context.name("picture")
        let tests = FlakyPages(try await flaky(request, context), links: Self.links(request)).tests
        guard let digest = Digest(name.hasSuffix(".png") ? String(name.dropLast(4)) : name),
            tests.contains(where: { FlakyPages.pictures(of: $0).contains(digest.description) }),
            let bytes = try await coordinator.blobs.bytes(of: digest)
        else { throw PageRefusal.noFile }
        return PageAnswer.file(bytes, path: name, for: request)
    }

    private static func links(_ request: Request) -> FlakyPages.Links {
        let root = RunsFrame.flakyPath
        let pipeline = request.uri.queryParameters["pipeline"].map {
            "?pipeline=" + RunsQuery.escaped(String($0))
        }
        let query = pipeline ?? ""
        return FlakyPages.Links(
            list: root + query,
            test: { "\(root)/\($0)\(query)" },
            run: { "\(RunsFrame.runsPath)/\(RunsQuery.escaped($0.text))/" },
            picture: { capture in
                Digest(capture).map { "\(root)/pictures/\($0.hex).png\(query)" }
            }
        )
    }
}
