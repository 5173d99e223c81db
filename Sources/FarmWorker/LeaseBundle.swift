// The files of a job whose work tree is on another machine. The worker downloads them once, unpacks
// them beside the caches, compares them with their digest when a lease begins, and keeps them
// during the lease. Meanwhile the path at which the tests were built is a link to them.
import FarmAPI
import FarmArtifacts
import FarmCore

/// A shard whose paths are those of this machine.
struct LocalShard: Sendable {
    var shard: Shard
    /// Keeps the shard's downloaded files in place while it lives; `nil` if the work tree is on
    /// this machine.
    var files: (any AnyObject & Sendable)?
}

extension LeaseRunner {
    func localShard() async throws -> LocalShard {
        let shard = lease.shard
        guard let digest = BundleRules.bundle(of: shard.prepared) else {
            return LocalShard(shard: shard)
        }
        let bundle: BundleUse
        do {
            bundle = try await bundles.use(digest) { path in
                try await client.download(
                    digest,
                    of: shard.run,
                    toFileAt: path,
                    bytesMax: FarmLimits.bundleBytesMax
                )
            }
        } catch ArtifactError.diskFull(let path) {
            throw WorkerError.scratch(path: path, reason: "no space left")
        }
        guard let path = BundleRules.place(of: shard.prepared) else {
            let local = BundleRules.unpacked(shard, at: bundle.folder)
            return LocalShard(shard: local, files: bundle)
        }
        let place = try await put(bundle, at: path)
        return LocalShard(shard: BundleRules.unpacked(shard, at: path), files: place)
    }

    /// Makes a bundle reachable at the path where its tests were built.
    ///
    /// Leases that need the same path run one after the other: the second waits at most as long as
    /// a shard may run.
    private func put(_ bundle: BundleUse, at path: String) async throws -> BundlePlace {
        let shard = lease.shard
        let proofs = BundleRules.paths(of: shard.prepared)
        let deadline = ContinuousClock.now + .seconds(shard.job.timeouts.shardSeconds)
        while ContinuousClock.now < deadline {
            if let place = try bundles.place(bundle, at: path, proofs: proofs) { return place }
            try await Task.sleep(for: .milliseconds(FarmLimits.treeLookMilliseconds))
        }
        throw BundleError.placeBusy(path)
    }
}
