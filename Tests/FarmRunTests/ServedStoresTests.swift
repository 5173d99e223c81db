// Tests of the note that keeps a run's references from being pruned, if the store cannot write it.
import FarmCore
import FarmReferences
import FarmServer
import FarmTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import FarmRun

@Suite("The stores of a coordinator")
struct ServedStoresTests {
    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
    }

    @Test("a use that cannot be noted is said with its cause, and noted once that is mended")
    func noted() throws {
        let folder = try TemporaryFolder("stores")
        let store = try ReferenceStore.create(at: folder.file("store.git"))
        let bytes = Data("PNG".utf8)
        let picture = RecordedPicture(objectID: ObjectID(ofBlob: bytes))
        let recorded = try store.record(
            base: ReferencePin(),
            recordings: [
                CellRecording(
                    cell: CellID("A"),
                    replacesCell: true,
                    pictures: [try SnapshotID(cell: CellID("A"), suite: "S", name: "one"): picture],
                    suites: [:]
                )
            ]
        ) { _ in bytes }
        try folder.write("farm.yaml", "version: 1\ndata: state\nstores: {p: store.git}\n")
        let configuration = try CoordinatorConfiguration(file: folder.file("farm.yaml"), data: nil)
        let said = Lines()
        let log = EventLog(format: .text) { line in said.lines.withLock { $0.append(line) } }
        let stores = try ServedStores(configuration, [:], Logger(label: "test") { _ in log })
        let job = Job(
            name: JobName("snap"),
            kind: .snapshot,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            cells: [Cell(id: CellID("A"), device: nil, variant: [])]
        )
        let plan = Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: recorded.pin,
            jobs: [PlannedJob(job: job, tests: [TestID("t")], prepared: [:])],
            workTree: "/"
        )

        // With a file at this path, no reference can be created below it.
        try folder.write("store.git/refs/snapfarm/used", "")
        #expect(try stores.store(for: plan) != nil)
        let line = try #require(said.all.first)
        #expect(
            said.all.count == 1 && line.contains("a prune may take"),
            "\(line)"
        )
        #expect(line.contains("refs/snapfarm/used"), "\(line)")

        try FileManager.default.removeItem(atPath: folder.file("store.git/refs/snapfarm/used"))
        #expect(try stores.store(for: plan) != nil)
        #expect(said.all.count == 1)
        let days = try FileManager.default.subpathsOfDirectory(
            atPath: folder.file("store.git/refs/snapfarm/used")
        )
        #expect(days.contains { $0.hasSuffix(recorded.set.hex) }, "\(days)")
    }
}
