import FarmArtifacts
import FarmCore
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmDrivers

/// Tests of an app that a stand-in for Xcode has built here and whose tests run where there is only
/// its bundle.
@Suite("An app on another machine")
struct BundledAppTests {
    private let mac: StandInMac
    private let folder: TemporaryFolder
    private let driver: XcodeDriver

    init() throws {
        mac = try StandInMac()
        folder = try TemporaryFolder("bundled-app")
        var environment = mac.environment
        environment["SNAPFARM_XCODES"] = mac.folder.file("Applications")
        var timing = XcodeTiming()
        timing.staggerSeconds = 0.01
        driver = XcodeDriver(environment: environment, timing: timing)
        try folder.write("tree/ShopTests/CartTests.swift", "// a test")
        try folder.write(
            "tree/Shop.xcworkspace/standin.json",
            """
            {"app": "Shop", "frameworks": ["ShopKit"], "schemes": {"Shop": {"targets": ["ShopTests"]}},
             "targets": {"ShopTests": {"kind": "unit", "host": "Shop", "tests": [
               "CartTests/testEmpty",
               {"test": "CartTests/testCart", "does": [{"picture": {"with": "pf"}}]}]}}}
            """
        )
    }

    private var workTree: String { folder.file("tree") }

    private var job: Job {
        let settings: [String: JSONValue] = [
            "workspace": "Shop.xcworkspace", "scheme": "Shop", "targets": [], "skip": [],
        ]
        let device = Device(name: "iPhone 16", os: "18.5", width: 393, height: 852, scale: 3)
        var job = Job(
            name: JobName("screens"),
            kind: .snapshot,
            driver: DriverSettings("xcodebuild", settings)
        )
        job.cells = [
            Cell(id: Matrix.cellID(device: device, variant: []), device: device, variant: [])
        ]
        return job
    }

    /// Builds, packs and unpacks the app in a cache, and removes the work tree.
    private func moved(sources: FrameworkReferences?) async throws -> (
        Shard, BundleUse, BundleCache
    ) {
        try FileManager.default.createDirectory(
            atPath: folder.file("scratch"),
            withIntermediateDirectories: true
        )
        let found = try await driver.discover(
            job: job,
            workTree: workTree,
            scratch: folder.file("scratch")
        )
        var selection = try XcodeKind().bundle(
            job,
            XcodeSettings(workspace: "Shop.xcworkspace", scheme: "Shop"),
            prepared: found.prepared,
            workTree: workTree
        )
        selection.sources = sources
        let zip = folder.file("b.zip")
        let packed = try BundlePacker(workTree: workTree).pack(
            selection,
            platform: "here",
            toFileAt: zip
        )
        let cache = BundleCache(folder: folder.file("cache"), platform: "here")
        let use = try await cache.use(packed.digest) { path in
            try FileManager.default.copyItem(atPath: zip, toPath: path)
        }
        try FileManager.default.removeItem(atPath: workTree)
        let shard = Shard(
            run: RunID("run"),
            mode: .record,
            job: job,
            cell: job.cells[0],
            tests: found.tests,
            prepared: BundleRules.prepared(
                found.prepared,
                bundle: packed.digest,
                workTree: workTree
            ),
            workTree: ""
        )
        return (shard, use, cache)
    }

    private func folders() throws -> LeaseFolders {
        let folders = LeaseFolders(in: folder.file("lease"))
        for path in [folders.captures, folders.failureDiffs, folders.snapshotArtifacts] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        return folders
    }

    private func endings(of shard: Shard, _ folders: LeaseFolders) async throws -> [String:
        TestEnding]
    {
        let endings = Mutex<[String: TestEnding]>([:])
        try await driver.run(shard, folders: folders) { event in
            guard case .finished(let result) = event else { return }
            endings.withLock { $0[result.test.text] = result.ending }
        }
        await driver.shutDown()
        return endings.withLock { $0 }
    }

    @Test("is run from its bundle alone, with the links and programs of its frameworks")
    func runs() async throws {
        let (moved, use, _) = try await moved(sources: nil)
        var shard = moved
        shard.tests = [TestID("ShopTests/CartTests/testEmpty()")]
        let endings = try await endings(
            of: BundleRules.unpacked(shard, at: use.folder),
            folders()
        )
        #expect(endings == ["ShopTests/CartTests/testEmpty()": .passed])
        withExtendedLifetime(use) {}
    }

    @Test("writes pictures beside its sources, at the path that it was built at")
    func besideSources() async throws {
        let sources = FrameworkReferences(
            layout: .besideSources,
            sources: ".swift",
            folder: "__Snapshots__",
            path: try PicturePattern("{name}.png"),
            remedy: ""
        )
        let (shard, use, cache) = try await moved(sources: sources)
        let folders = try folders()
        let place = try #require(try cache.place(use, at: workTree, proofs: []))
        let borrowed = try SourceTreeOverlay(
            workTree,
            folders: "__Snapshots__",
            besideSources: ".swift",
            into: folders.besideSources
        )
        _ = try await endings(of: BundleRules.unpacked(shard, at: workTree), folders)
        let picture = "/ShopTests/__Snapshots__/CartTests/testCart.1.png"
        #expect(FileManager.default.fileExists(atPath: folders.lease + "/tree" + picture))
        try borrowed.giveBack()
        withExtendedLifetime(place) {}
    }
}
