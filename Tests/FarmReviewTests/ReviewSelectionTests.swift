// Tests of a review's `--select`.
import FarmCore
import Testing

@testable import FarmReview

@Suite("Selecting pictures of a run")
struct ReviewSelectionTests {
    private let cell = Cell(
        id: CellID("Phone_dark"),
        device: nil,
        variant: [VariantValue(axis: "appearance", value: "dark")]
    )

    @Test(
        "the same key twice means either, different keys mean both",
        arguments: [
            (["job=snap"], true), (["job=unit"], false), (["job=unit", "job=sn*"], true),
            (["snapshot=Phone_dark/Login/*"], true), (["snapshot=*/start"], true),
            (["suite=Login", "verdict=new"], false), (["suite=Login", "verdict=changed"], true),
            (["appearance=dark", "test=login/start"], true), (["appearance=light"], false),
            (["cell=Phone*"], true), ([], true),
        ]
    )
    func takes(_ words: [String], _ isTaken: Bool) throws {
        let picture = ReviewPicture(
            id: try SnapshotID(cell: cell.id, suite: "Login", name: "start"),
            job: JobName("snap"),
            test: TestID("login/start"),
            verdict: .changed,
            testVerdict: nil,
            capture: nil
        )
        let selection = try ReviewSelection(words: words, axes: ["appearance"])
        #expect(selection.takes(picture, on: cell) == isTaken)
    }

    @Test("an unknown key is refused, and a picture without a test matches no test")
    func unknown() throws {
        #expect(throws: Selection.Mistake.self) {
            try ReviewSelection(words: ["colour=red"], axes: [])
        }
        let picture = ReviewPicture(
            id: try SnapshotID(cell: cell.id, suite: "Login", name: "start"),
            job: JobName("snap"),
            test: nil,
            verdict: .new,
            testVerdict: nil,
            capture: nil
        )
        let selection = try ReviewSelection(words: ["test=*"], axes: [])
        #expect(!selection.takes(picture, on: cell))
    }
}
