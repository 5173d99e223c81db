// The references of a lease, fetched from the coordinator before its tests run, and their place for
// its framework.
import FarmAPI
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmReferences
import Foundation

/// The references of a lease's cell, or the reason why there are none.
struct ExpectedPictures {
    private(set) var references = CellReferences()
    /// The coordinator's reason for refusing the references, or `nil` if it sent them; with a
    /// reason, no test runs.
    private(set) var refusal: Problem?

    /// Fetches the references of a lease's cell.
    ///
    /// If the coordinator refuses, that is the lease's error and not the worker's end: a missing
    /// store of one run is no fault of the worker, which may work for other runs.
    init(of lease: LeaseRunner) async throws {
        guard lease.lease.shard.job.kind == .snapshot else { return }
        do {
            references = try await lease.references.of(lease.lease.shard, from: lease.client)
        } catch APIError.refused(let problem, _) {
            refusal = problem
        }
    }
}

/// The references of a lease as files where its test framework reads them, while its tests run.
struct CheckedOutReferences: Sendable {
    /// The folder tree of references, or `nil` if the farm compares and not the framework.
    private(set) var tree: ReferenceTree?
    /// The folders borrowed beside the tests' sources, or `nil` if there are none.
    private let borrowed: SourceTreeOverlay?

    /// Puts the references of a `shard` where its test framework looks for them; `tree` is the
    /// folder of its work tree on this machine.
    init(
        _ references: CellReferences,
        of shard: Shard,
        tree workTree: String,
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
            let own = try await Self.borrow(workTree, shard, layout, folders, withTexts: isJudge)
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
            let cache = try PictureCache(
                at: lease.cache,
                placing: lease.isolation == nil ? .linked : .copied
            )
            try await tree?.materialise(from: cache, now: Date()) {
                try await lease.client.picture(shard.run, $0)
            }
        } catch {
            try? giveBack()
            throw error
        }
    }

    /// Puts the borrowed folders back; the references stay in the lease's folder for the last check
    /// of changes.
    func giveBack() throws { try borrowed?.giveBack() }

    private static func paths(
        of references: CellReferences,
        _ paths: (Reference) -> [String?]
    ) -> [String: Reference] {
        var result: [String: Reference] = [:]
        // A framework that judges compares its texts with those of the tree.
        for reference in references.references where !reference.id.isText {
            for path in paths(reference).compactMap(\.self) { result[path] = reference }
        }
        return result
    }

    /// Borrows the reference folders beside the tests' sources.
    ///
    /// A framework that only records finds no text there, so that it writes each anew. Leases that
    /// share a work tree run one after the other: the second waits at most as long as a
    /// shard may run.
    private static func borrow(
        _ workTree: String,
        _ shard: Shard,
        _ layout: FrameworkReferences,
        _ folders: LeaseFolders,
        withTexts: Bool
    ) async throws -> SourceTreeOverlay {
        let deadline = ContinuousClock.now + .seconds(shard.job.timeouts.shardSeconds)
        while true {
            do {
                return try SourceTreeOverlay(
                    workTree,
                    folders: layout.folder,
                    besideSources: layout.sources,
                    into: folders.besideSources,
                    withTexts: withTexts
                )
            } catch BorrowError.busy(let root) {
                guard ContinuousClock.now < deadline else { throw BorrowError.busy(root: root) }
                try await Task.sleep(for: .milliseconds(FarmLimits.treeLookMilliseconds))
            } catch {
                // An incomplete borrowing is undone.
                try? SourceTreeOverlay.putBackLeft(in: workTree)
                throw error
            }
        }
    }
}

extension Reference {
    /// Returns the fields of a path pattern for this reference; `folder` is that of the tests'
    /// source.
    fileprivate func fields(in folder: String?) -> PictureFields {
        var fields: PictureFields = [.suite: id.suite, .name: String(id.file.dropLast(4))]
        if let folder, !folder.isEmpty { fields[.folder] = folder }
        return fields
    }
}
