// The bundles of a plan: packs the files that each job needs on another machine, and uploads those
// that the coordinator does not have.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation

struct BundleUpload: Sendable {
    /// The absolute path of the work tree.
    let workTree: String
    /// The absolute paths of folders that are never packed.
    let without: [String]
    /// The path of an existing folder for the zips.
    let scratch: String
    let client: CoordinatorClient
    let say: @Sendable (String) -> Void

    /// Uploads the bundles of a plan, and notes in the plan which job has which bundle.
    ///
    /// - Throws: ``DiscoveryError`` with the name of a job whose files are missing or too many.
    func send(_ plan: inout Plan) async throws {
        let packer = BundlePacker(workTree: workTree, without: without)
        // Lists the files of all jobs before it packs any, so that errors come early.
        let contents = try plan.jobs.map { job in
            try Self.naming(job) { try packer.contents(of: selection(of: job)) }
        }
        // Packs all bundles before it sends the first, so that a failing job costs no upload.
        var packed: [PackedBundle] = []
        defer {
            for index in plan.jobs.indices {
                try? FileManager.default.removeItem(atPath: zip(index))
            }
        }
        for (index, job) in plan.jobs.enumerated() {
            packed.append(
                try Self.naming(job) {
                    try packer.pack(
                        contents[index],
                        platform: BundlePlatform.current,
                        toFileAt: zip(index)
                    )
                }
            )
        }
        for (index, bundle) in packed.enumerated() {
            let planned = plan.jobs[index]
            try await send(bundle, of: planned, at: zip(index))
            let isBuilt = contents[index].isBuilt
            plan.jobs[index].prepared = BundleRules.prepared(
                planned.prepared,
                bundle: bundle.digest,
                platform: isBuilt ? BundlePlatform.current : nil,
                workTree: workTree,
                needsPlace: isBuilt && contents[index].hasSources
            )
        }
    }

    private func send(
        _ bundle: PackedBundle,
        of planned: PlannedJob,
        at path: String
    ) async throws {
        guard try await !client.has(bundle.digest) else { return }
        let files = bundle.files == 1 ? "1 file" : "\(bundle.files) files"
        say(
            "sending the bundle of \(planned.job.name): \(files), "
                + "\(bundle.bytes / 1024) KiB"
        )
        try await client.put(fileAt: path, bytes: bundle.bytes, as: bundle.digest)
    }

    private func zip(_ index: Int) -> String { scratch + "/bundle-\(index).zip" }

    private func selection(of planned: PlannedJob) throws -> BundleSelection {
        let selection = try DriverCatalog.kinds.bundle(of: planned, workTree: workTree)
        return BundleRules.completed(selection, for: planned.job)
    }

    private static func naming<Value>(
        _ planned: PlannedJob,
        _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as BundleError {
            throw DiscoveryError(job: planned.job.name, cause: Problem(error), exit: error.exit)
        }
    }
}
