// What the pictures of a lease are compared with, asked of the coordinator before its tests run.
import FarmAPI
import FarmCore
import FarmDrivers
import FarmReferences
import Foundation

/// The references of a lease's cell, or why there are none.
struct ExpectedPictures {
    private(set) var references = CellReferences()
    /// Where a framework reads them; nil where the farm compares.
    private(set) var tree: ReferenceTree?
    /// Why they cannot be had: no test runs then.
    private(set) var refusal: Problem?

    /// Asks for them, and puts them where a framework looks.
    ///
    /// That one run's store is gone is no fault of this worker, which has other runs to work for:
    /// what the coordinator refuses is the lease's error, not the worker's end.
    init(of lease: LeaseRunner, in folders: LeaseFolders) async throws {
        let (shard, client) = (lease.lease.shard, lease.client)
        guard shard.job.kind == .snapshot else { return }
        do {
            references = try await lease.references.of(shard, from: client)
            guard shard.job.judge == .framework, shard.mode == .verify else { return }
            let tree = ReferenceTree(folder: folders.references + "_64", references: references)
            try await tree.materialise(from: PictureCache(at: lease.cache), now: Date()) {
                try await client.picture(shard.run, $0)
            }
            self.tree = tree
        } catch APIError.refused(let problem, _) {
            refusal = problem
        }
    }
}
