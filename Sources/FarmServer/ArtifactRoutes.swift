// The routes that download the artifacts of a finished run, in whole or in parts.
import FarmAPI
import FarmCore
import Foundation
import HTTPTypes
import Hummingbird
import Logging

struct ArtifactRoutes {
    let artifacts: any RunArtifacts
    let logger: Logger

    func add(to api: RouterGroup<FarmContext>) {
        api.get("runs/:run/artifacts") { _, context in
            let views = try await artifacts.artifacts(of: RunID(try context.name("run")))
            return try answer(
                ArtifactsReply(
                    artifacts: views.map {
                        ArtifactSummary(name: $0.name, bytes: $0.bytes, sha256: $0.sha256.hex)
                    }
                )
            )
        }
        api.get("runs/:run/artifacts/:name") { request, context in
            let name = try context.name("name")
            let views = try await artifacts.artifacts(of: RunID(try context.name("run")))
            guard let view = views.first(where: { $0.name == name }) else {
                throw RequestRefusal.notFound("artifact \(name)")
            }
            return try await send(view, request)
        }
    }

    private func send(_ view: ArtifactView, _ request: Request) async throws -> Response {
        var headers: HTTPFields = [
            .contentType: "application/octet-stream", .acceptRanges: "bytes",
            .eTag: "\"\(view.sha256.hex)\"",
        ]
        let range = try ByteRange.parse(request.headers[.range], size: view.bytes)
        if let range {
            headers[.contentRange] =
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(view.bytes)"
        }
        let whole = range ?? 0..<view.bytes
        return Response(
            status: range == nil ? .ok : .partialContent,
            headers: headers,
            body: try await PiecewiseBody.of(whole, logger, read: view.read)
        )
    }
}
