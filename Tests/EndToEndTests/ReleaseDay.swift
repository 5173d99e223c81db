// The release day of an app: a store with the references of two releases, whose pins are tagged in
// the main repository. Sets and journal are written as imports, approvals and record runs do it.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmRun

/// A project with 60 screens on four cells, and the tags v5.1 and v5.2.
struct ReleaseDay {
    static let screens = 60
    /// The number of pictures that differ between the releases.
    static let changed = 9
    /// The picture of this screen is no PNG, so that reading it would be an error.
    static let unreadable = "screen-59"

    let project: ReferencesProject
    /// The ids of the cells: light and dark, English and Japanese.
    let cells: [String]
    /// The paths of the never accepted pictures, sorted.
    let neverAccepted: [String]

    static let pipeline = """
        version: 1
        name: scooter
        references: {store: ../store.git, pin: snapfarm.refs}
        devices: [{name: Phone, width: 8, height: 8, scale: 1}]
        variants: {appearance: [light, dark], locale: [ja, en]}
        jobs:
          screens: {kind: snapshot, driver: command, discover: cat scenes, run: sh test.sh}
        """

    init() throws {
        project = try ReferencesProject()
        try project.folder.write("main/app.yaml", Self.pipeline)
        let source = try PipelineSource(file: project.main + "/app.yaml")
        cells = source.pipeline.jobs.flatMap(\.cells).map(\.id.text)
        let store = try ReferenceStore.create(at: project.store)

        var pictures: [String: Data] = [:]
        for screen in 0..<Self.screens {
            let name = String(format: "screen-%02d", screen)
            for cell in cells {
                pictures["\(cell)/Ride/\(name)"] =
                    name == Self.unreadable
                    ? Data("no picture \(cell)".utf8)
                    : Project.png(shade: UInt8(screen), width: 6 + screen, height: 12)
            }
        }
        let old = try Self.record(pictures, over: ReferencePin(), in: store)
        try Self.note(
            old,
            since: ReferencePin(),
            JournalNote(recorder: "Ada", reason: "first import"),
            in: store
        )
        try Self.release(old, "v5.1", project)

        let light = Project.png(shade: 200, width: 6, height: 12)
        let approved = try Self.record(
            Dictionary(
                uniqueKeysWithValues: cells.map { ("\($0)/Ride/screen-00", light) }
                    + cells.prefix(3).map { ("\($0)/Ride/screen-01", light) }
            ),
            over: old,
            in: store
        )
        try Self.note(
            approved,
            since: old,
            JournalNote(
                change: "#412",
                run: "r-approved",
                recorder: "Ben <ben@example.org>",
                reason: "wider <buttons>"
            ),
            in: store
        )
        let open = [cells[0], cells[3]].map { "\($0)/Ride/screen-02" }
        let new = try Self.record(
            Dictionary(uniqueKeysWithValues: open.map { ($0, light) }),
            over: approved,
            in: store
        )
        try Self.note(
            new,
            since: approved,
            JournalNote(run: "r-recorded", recorder: LogEntry.recordRun),
            in: store
        )
        neverAccepted = open.map { $0 + ".png" }.sorted()
        try Self.release(new, "v5.2", project)
    }

    /// Runs `snapfarm compare` in the main repository.
    func compare(_ words: String...) throws -> ProcessEnding {
        try project.program(in: "main").run(["compare"] + words)
    }

    /// Returns a file of the report `out`.
    func file(_ name: String) throws -> String {
        try String(contentsOfFile: project.main + "/out/" + name, encoding: .utf8)
    }

    private static func record(
        _ pictures: [String: Data],
        over base: ReferencePin,
        in store: ReferenceStore
    ) throws -> ReferencePin {
        var bytes: [ObjectID: Data] = [:]
        var byCell: [CellID: [SnapshotID: RecordedPicture]] = [:]
        for (path, data) in pictures {
            let id = try #require(SnapshotID(exactly: path))
            let object = ObjectID(ofBlob: data)
            bytes[object] = data
            byCell[id.cell, default: [:]][id] = RecordedPicture(objectID: object)
        }
        return try store.record(
            base: base,
            recordings: byCell.map {
                CellRecording(cell: $0, replacesCell: false, pictures: $1, suites: [:])
            }
        ) { try #require(bytes[$0.objectID]) }.pin
    }

    private static func note(
        _ pin: ReferencePin,
        since base: ReferencePin,
        _ note: JournalNote,
        in store: ReferenceStore
    ) throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        try store.appendJournal(of: pin, since: base, note: note, now: now)
    }

    private static func release(
        _ pin: ReferencePin,
        _ tag: String,
        _ project: ReferencesProject
    ) throws {
        try project.folder.write("main/snapfarm.refs", pin.text)
        try project.commit(tag)
        try project.git("tag", tag)
    }
}
