// Packs what each job needs elsewhere and sends what the coordinator does not have yet.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
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
        let selections = try plan.jobs.map { planned in
            try BundleRules.selection(
                of: planned.job,
                prepared: planned.prepared,
                pages: WebDriverDriver.pages(of: planned.job, workTree: workTree),
                workTree: workTree
            )
        }
        for (index, selection) in selections.enumerated() {
            let planned = plan.jobs[index]
            let zip = scratch + "/bundle-\(index).zip"
            defer { try? FileManager.default.removeItem(atPath: zip) }
            let bundle = try packer.pack(
                selection,
                platform: BundlePlatform.current,
                toFileAt: zip
            )
            if try await !client.has(bundle.digest) {
                say(
                    "sending the bundle of \(planned.job.name): \(bundle.files) files, "
                        + "\(bundle.bytes / 1024) KiB"
                )
                try await client.put(fileAt: zip, bytes: bundle.bytes, as: bundle.digest)
            }
            plan.jobs[index].prepared = BundleRules.prepared(
                planned.prepared,
                bundle: bundle.digest,
                platform: selection.isBuilt ? BundlePlatform.current : nil,
                workTree: workTree
            )
        }
    }
}
