// What the pictures of a lease are compared with, asked of the coordinator before its tests run, and
// where its framework finds it.
import FarmAPI
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmReferences
import Foundation

/// The references of a lease's cell, or why there are none.
struct ExpectedPictures {
    private(set) var references = CellReferences()
    /// Why they cannot be had: no test runs then.
    private(set) var refusal: Problem?

    /// Asks for them.
    ///
    /// That one run's store is gone is no fault of this worker, which has other runs to work for:
    /// what the coordinator refuses is the lease's error, not the worker's end.
    init(of lease: LeaseRunner) async throws {
        guard lease.lease.shard.job.kind == .snapshot else { return }
        do {
            references = try await lease.references.of(lease.lease.shard, from: lease.client)
        } catch APIError.refused(let problem, _) {
            refusal = problem
        }
    }
}

/// Where the framework of a lease reads its references while its tests run.
struct LaidReferences: Sendable {
    /// Nil where the farm compares.
    private(set) var tree: ReferenceTree?
    /// Nil where nothing lies beside the tests' sources.
    private let borrowed: BorrowedTree?

    /// Lays the references of a `shard` out where its framework looks; its work tree is on this
    /// machine.
    init(
        _ references: CellReferences,
        of shard: Shard,
        in folders: LeaseFolders,
        for lease: LeaseRunner
    ) async throws {
        guard shard.job.kind == .snapshot,
            let layout = (shard.job.framework ?? FrameworkCatalog.unnamed.first)?.references
        else {
            borrowed = nil
            return
        }
        let isJudge = shard.job.judge == .framework && shard.mode == .verify
        switch layout.layout {
        case .lease:
            borrowed = nil
            guard isJudge else { return }
            let folder = folders.places.filled(layout.folder)
            let paths = Self.paths(of: references) { reference in
                [layout.path.write(reference.fields(in: nil))]
            }
            tree = ReferenceTree(folder: folder, references: paths, remedy: layout.remedy)
        case .besideSources:
            let own = try await Self.borrow(shard, layout, folders)
            borrowed = own
            guard isJudge else { return }
            let paths = Self.paths(of: references) { reference in
                let source = String(reference.id.suite.pathParts.first ?? "")
                return own.folders(ofSource: source).map { folder in
                    layout.path.write(reference.fields(in: folder))
                }
            }
            tree = ReferenceTree(
                folder: folders.besideSources,
                references: paths,
                remedy: layout.remedy
            )
        }
        do {
            try await tree?.materialise(from: PictureCache(at: lease.cache), now: Date()) {
                try await lease.client.picture(shard.run, $0)
            }
        } catch {
            try? giveBack()
            throw error
        }
    }

    /// Gives back what was borrowed; the references of a lease stay for its last look at them.
    func giveBack() throws { try borrowed?.giveBack() }

    private static func paths(
        of references: CellReferences,
        _ paths: (Reference) -> [String?]
    ) -> [String: Reference] {
        var result: [String: Reference] = [:]
        for reference in references.references {
            for path in paths(reference).compactMap(\.self) { result[path] = reference }
        }
        return result
    }

    /// Two leases that share a tree run one after the other: the second waits, as long as a shard may
    /// run.
    private static func borrow(
        _ shard: Shard,
        _ layout: FrameworkReferences,
        _ folders: LeaseFolders
    ) async throws -> BorrowedTree {
        let deadline = ContinuousClock.now + .seconds(shard.job.timeouts.shardSeconds)
        while true {
            do {
                return try BorrowedTree(
                    shard.workTree,
                    folders: layout.folder,
                    besideSources: layout.sources,
                    into: folders.besideSources
                )
            } catch BorrowError.busy(let root) {
                guard ContinuousClock.now < deadline else { throw BorrowError.busy(root: root) }
                try await Task.sleep(for: .milliseconds(FarmLimits.treeLookMilliseconds))
            } catch {
                // Half a borrowing is none.
                try? BorrowedTree.putBackLeft(in: shard.workTree)
                throw error
            }
        }
    }
}

extension Reference {
    /// What a pattern of paths needs to know; `folder` is that of the tests' source.
    fileprivate func fields(in folder: String?) -> PictureFields {
        var fields: PictureFields = [.suite: id.suite, .name: id.name]
        if let folder, !folder.isEmpty { fields[.folder] = folder }
        return fields
    }
}
