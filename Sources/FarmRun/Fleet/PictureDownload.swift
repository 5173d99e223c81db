// The download of a remote run's pictures and logs into this machine's blob store. The output
// folder is then written in the same way as after a local run.
import FarmAPI
import FarmArtifacts
import FarmCore
import Foundation

struct PictureDownload: Sendable {
    let run: RunID
    let client: CoordinatorClient
    let blobs: BlobStore

    /// A blob or a reference to fetch.
    private enum Wanted: Hashable, Sendable {
        case blob(Digest)
        /// A picture of the reference store, by its Git blob id.
        case reference(ObjectID)
    }

    /// Fetches the run's pictures and logs that this machine lacks into the blob store.
    func complete(_ judged: inout JudgedRun) async throws {
        var wanted: Set<Wanted> = []
        let verdicts = Dictionary(
            judged.summary.snapshots.map { ($0.id, $0.verdict) },
            uniquingKeysWith: { first, _ in first }
        )
        for (id, sources) in judged.pictures {
            if let capture = sources.capture, !blobs.contains(capture) {
                let isReference = sources.captureIsReference ? sources.reference : nil
                wanted.insert(isReference.map { .reference($0) } ?? .blob(capture))
            }
            for digest in [sources.referenceBlob, sources.diff].compactMap({ $0 })
            where !blobs.contains(digest) {
                wanted.insert(.blob(digest))
            }
            if verdicts[id]?.isAsExpected != true, sources.referenceBlob == nil,
                let object = sources.reference
            {
                wanted.insert(.reference(object))
            }
        }
        for digest in judged.logs.values where !blobs.contains(digest) {
            wanted.insert(.blob(digest))
        }
        let references = try await fetch(wanted)
        for (id, sources) in judged.pictures where sources.referenceBlob == nil {
            guard let object = sources.reference, let digest = references[object] else { continue }
            judged.pictures[id]?.referenceBlob = digest
        }
    }

    /// Fetches several blobs and references at a time, and returns the digests of the references by
    /// id.
    private func fetch(_ wanted: Set<Wanted>) async throws -> [ObjectID: Digest] {
        var references: [ObjectID: Digest] = [:]
        var rest = Array(wanted)[...]
        try await withThrowingTaskGroup(of: (ObjectID, Digest)?.self) { group in
            func begin() {
                guard let next = rest.popFirst() else { return }
                group.addTask { try await fetch(next) }
            }
            for _ in 0..<FarmLimits.downloadsAtOnce { begin() }
            while let fetched = try await group.next() {
                if let (object, digest) = fetched { references[object] = digest }
                begin()
            }
        }
        return references
    }

    private func fetch(_ wanted: Wanted) async throws -> (ObjectID, Digest)? {
        switch wanted {
        case .blob(let digest):
            let bytes = try await client.blob(digest, of: run)
            let upload = try blobs.begin(bytesMax: FarmLimits.blobBytesMax)
            try upload.append(bytes)
            try upload.finish(expecting: digest)
            return nil
        case .reference(let object):
            let bytes = try await client.picture(run, object)
            guard ObjectID(ofBlob: bytes) == object else {
                throw TransferError.damaged(Digest(of: bytes))
            }
            return (object, try blobs.put(bytes))
        }
    }
}
