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
    /// The folder on this machine that the tests see at the shard's work tree, or `nil` if it is the
    /// work tree itself.
    var tree: String?
    /// Whether other leases may use the shard's files at the same time.
    var isShared = false
}

extension LeaseRunner {
    func localShard() async throws -> LocalShard {
        let shard = lease.shard
        guard let digest = BundleRules.bundle(of: shard.prepared) else {
            // The submitter chose the path: it may be any folder of this machine.
            guard isolation == nil else {
                let fact = "isolated tests have only files that came in a bundle"
                throw BundleError.place(shard.workTree, fact: fact)
            }
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
            return LocalShard(shard: local, files: bundle, isShared: bundle.isShared)
        }
        guard isolation == nil else {
            // Isolated tests see the bundle at this path, where nothing is made on this machine. No
            // folder of the lease may lie below: tests can write the bundle, and what they put in
            // the way of that folder would lead out of their view.
            guard path.isAbsolutePath, ZipPaths.isSafe(String(path.dropFirst())),
                BundleRules.relative(scratch, to: path) == nil
            else { throw BundleError.place(path, fact: "that is no path for a bundle") }
            return LocalShard(
                shard: BundleRules.unpacked(shard, at: path),
                files: bundle,
                tree: bundle.folder,
                isShared: bundle.isShared
            )
        }
        let place = try await put(bundle, at: path)
        return LocalShard(
            shard: BundleRules.unpacked(shard, at: path),
            files: place,
            isShared: bundle.isShared
        )
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
