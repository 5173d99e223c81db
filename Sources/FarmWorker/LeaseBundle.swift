// The files of a job whose work tree is on another machine: fetched once, unpacked beside the
// caches, and kept while the lease lasts.
import FarmAPI
import FarmArtifacts
import FarmCore

extension LeaseRunner {
    /// The shard as the driver shall run it here, and what keeps its files in place.
    func shardWithFiles() async throws -> (shard: Shard, files: BundleUse?) {
        let shard = lease.shard
        guard let digest = BundleRules.bundle(of: shard.prepared) else { return (shard, nil) }
        do {
            let files = try await bundles.use(digest) { path in
                try await client.download(
                    digest,
                    toFileAt: path,
                    bytesMax: FarmLimits.bundleBytesMax
                )
            }
            return (BundleRules.unpacked(shard, at: files.folder), files)
        } catch ArtifactError.diskFull(let path) {
            throw WorkerError.scratch(path: path, reason: "no space left")
        }
    }
}
