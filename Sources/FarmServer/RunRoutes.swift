// Runs, blobs and references.
import FarmAPI
import FarmArtifacts
import FarmCoordinator
import FarmCore
import Foundation
import Hummingbird
import NIOCore

struct RunRoutes {
    let coordinator: Coordinator

    func add(to api: RouterGroup<FarmContext>) {
        addRuns(to: api)
        addBlobs(to: api)
        addReferences(to: api)
    }

    private func addRuns(to api: RouterGroup<FarmContext>) {
        api.post("runs") { request, _ in
            let submit = try await body(request, as: SubmitRequest.self)
            return try answer(SubmitReply(run: try await coordinator.submit(submit)))
        }
        api.get("runs/:run") { request, context in
            let run = RunID(try context.parameters.require("run"))
            let wait = request.uri.queryParameters[Substring(Routes.waitQuery)]
            let progress = try await coordinator.progress(
                run,
                waitSeconds: wait.flatMap { Double($0) } ?? 0
            )
            return try answer(RunReply(run: run, progress: progress))
        }
        api.get("runs/:run/result") { _, context in
            let run = RunID(try context.parameters.require("run"))
            return try answer(ResultReply(judged: try await coordinator.judged(run)))
        }
        api.post("runs/:run/cancel") { _, context in
            try await coordinator.cancel(RunID(try context.parameters.require("run")))
            return try answer(Done())
        }
    }

    private func addBlobs(to api: RouterGroup<FarmContext>) {
        api.put("blobs/:digest") { request, context in
            let digest = try digest(context)
            guard !coordinator.blobs.contains(digest) else { return try answer(Done()) }
            let upload = try coordinator.blobs.begin(bytesMax: FarmLimits.blobBytesMax)
            for try await chunk in request.body {
                try upload.append(Data(chunk.readableBytesView))
            }
            try upload.finish(expecting: digest)
            return try answer(Done())
        }
        api.get("blobs/:digest") { _, context in
            let bytes = try coordinator.blobs.read(try digest(context))
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }

    private func addReferences(to api: RouterGroup<FarmContext>) {
        api.get("references/:run/:cell") { _, context in
            let run = RunID(try context.parameters.require("run"))
            let escaped: String = try context.parameters.require("cell")
            let cell = CellID(escaped.removingPercentEncoding ?? escaped)
            let references = try await coordinator.references(run, cell)
            return try answer(ReferencesReply(references: references))
        }
        api.get("pictures/:run/:object") { _, context in
            guard let object = ObjectID(try context.parameters.require("object")) else {
                throw HTTPError(.badRequest, message: "not an object id")
            }
            let bytes = try coordinator.picture(object)
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }

    private func digest(_ context: FarmContext) throws -> Digest {
        guard let digest = Digest(try context.parameters.require("digest")) else {
            throw HTTPError(.badRequest, message: "not a digest")
        }
        return digest
    }
}
