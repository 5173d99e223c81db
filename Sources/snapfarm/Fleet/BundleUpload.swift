// Packs what each job needs elsewhere and sends what the coordinator does not have yet.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation

struct BundleUpload: Sendable {
    /// Absolute.
    let workTree: String
    /// Absolute folders that are never packed.
    let without: [String]
    /// An existing folder for the zips.
    let scratch: String
    let client: CoordinatorClient
    let say: @Sendable (String) -> Void

    /// Sends the bundles of a plan, and writes into it which job has which.
    func send(_ plan: inout Plan) async throws {
        let packer = BundlePacker(workTree: workTree, without: without)
        // All of them before the first is sent: a job that cannot travel costs no upload.
        var packed: [(bundle: PackedBundle, isBuilt: Bool)] = []
        defer {
            for index in plan.jobs.indices {
                try? FileManager.default.removeItem(atPath: zip(index))
            }
        }
        for (index, planned) in plan.jobs.enumerated() {
            packed.append(try pack(planned, with: packer, toFileAt: zip(index)))
        }
        for (index, (bundle, isBuilt)) in packed.enumerated() {
            let planned = plan.jobs[index]
            if try await !client.has(bundle.digest) {
                say(
                    "sending the bundle of \(planned.job.name): \(bundle.files) files, "
                        + "\(bundle.bytes / 1024) KiB"
                )
                try await client.put(fileAt: zip(index), bytes: bundle.bytes, as: bundle.digest)
            }
            plan.jobs[index].prepared = BundleRules.prepared(
                planned.prepared,
                bundle: bundle.digest,
                platform: isBuilt ? BundlePlatform.current : nil,
                workTree: workTree
            )
        }
    }

    private func zip(_ index: Int) -> String { scratch + "/bundle-\(index).zip" }

    /// - Throws: `DiscoveryError`, which names the job whose files are not there.
    private func pack(
        _ planned: PlannedJob,
        with packer: BundlePacker,
        toFileAt path: String
    ) throws -> (bundle: PackedBundle, isBuilt: Bool) {
        let selection = try DriverCatalog.kinds.bundle(of: planned, workTree: workTree)
        do {
            let platform = BundlePlatform.current
            let bundle = try packer.pack(selection, platform: platform, toFileAt: path)
            return (bundle, selection.isBuilt)
        } catch let error as BundleError {
            throw DiscoveryError(job: planned.job.name, cause: Problem(error), exit: error.exit)
        }
    }
}
