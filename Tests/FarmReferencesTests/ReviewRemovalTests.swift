import FarmCore
import FarmReferences
import Foundation
import ReferenceTesting
import Testing

@Suite("Pictures a review takes away")
struct ReviewRemovalTests {
    @Test("a removed name leaves its suite and its record, and all others stay")
    func removal() throws {
        let fixture = try StoreFixture()
        let record = SuiteRecord(
            job: JobName("snap"),
            renderer: ["browser": "1"],
            tests: ["S/a": TestID("ta"), "S/b": TestID("tb")]
        )
        let base = try fixture.record([
            try fixture.recording(
                "c",
                ["S/a": "1", "S/b": "2", "T/x": "3", "U/y": "4"],
                suites: ["S": record]
            )
        ]).pin
        let cell = CellID("c")
        let set = try fixture.record(
            [
                CellRecording(
                    cell: cell,
                    replacesCell: false,
                    pictures: [:],
                    suites: [:],
                    removed: [try id("c", "S/b"), try id("c", "T/x"), try id("c", "V/none")]
                )
            ],
            over: base
        )
        let names = try fixture.store.references(set.pin, cell: cell).map(\.id.text)
        #expect(names == ["c/S/a", "c/U/y"])
        #expect(
            set.outcomes[cell]?.removed.map(\.text) == ["c/S/b", "c/T/x"]
                && set.outcomes[cell]?.changed == [] && set.outcomes[cell]?.added == []
        )
        #expect(set.pin.folders(of: cell)["T"] == nil)
        #expect(set.pin.folders(of: cell)["U"] == base.folders(of: cell)["U"])
        let kept = try fixture.store.suiteRecord(set.pin, cell: cell, folder: "S")
        #expect(kept?.tests == ["S/a": TestID("ta")] && kept?.renderer == ["browser": "1"])
        #expect(try fixture.faults() == [])
    }
}
