// Tests of the rule of changes with made-up explanations; IntruderTests tests it with real pixels.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Changes of a run")
struct RunChangesTests {
    /// A region whose sketch is given by a few numbers.
    struct Look: Sendable {
        var kind = Explanation.Kind.changed
        var x = 10
        var pixels = 40
        var canvas = PixelSize(width: 100, height: 200)
        /// Ink in all parts, before and after.
        var ink: (before: UInt8, after: UInt8) = (100, 50)
        /// The ground's grey, before and after.
        var ground: (before: UInt8, after: UInt8) = (250, 250)
        /// The numbers of further regions with the same look, and of unlisted regions.
        var more = 0
        var unlisted = 0
        var hasSketch = true

        var comparison: Comparison {
            func side(_ ink: UInt8, _ ground: UInt8) -> RegionSketch.Side {
                RegionSketch.Side(
                    ground: [ground, ground, ground, 255],
                    ink: [20, 20, 20, 255],
                    mean: [100, 100, 100, 255],
                    hash: [ink, ground, UInt8(x), 0, 0, 0, 0, 0],
                    parts: [UInt8](repeating: ink, count: 128)
                )
            }
            let sketch = RegionSketch(
                before: side(ink.before, ground.before),
                after: side(ink.after, ground.after)
            )
            let regions = (0...more).map { number in
                Explanation.Region(
                    box: PixelBox(x: x, y: 20 + 30 * number, width: 20, height: 10),
                    pixels: pixels,
                    kind: kind,
                    sketch: hasSketch ? sketch : nil
                )
            }
            let difference = PixelDifference(
                reference: canvas,
                capture: canvas,
                differing: pixels,
                counted: pixels,
                largestDelta: 200,
                clusters: []
            )
            return .different(
                difference.explained(
                    by: Explanation(regions: regions, regionCount: regions.count + unlisted)
                )
            )
        }
    }

    /// Returns the changes among pictures of one screen, each on its own cell.
    private static func changes(
        _ pictures: [(Verdict, Comparison?)],
        edit: (inout SnapshotSummary, Int) -> Void = { _, _ in }
    ) -> [ChangeSummary] {
        var comparisons: [String: Comparison] = [:]
        let rows = pictures.enumerated().map { number, picture in
            var row = SnapshotSummary(
                id: "c\(number)/S/a",
                job: "j",
                cell: "c\(number)",
                suite: "S",
                name: "a",
                identifier: "a",
                test: "t",
                verdict: picture.0,
                capture: "sha256:\(number)",
                words: "\(picture.0)"
            )
            edit(&row, number)
            comparisons[row.id] = picture.1
            return row
        }
        return RunChanges.of(summary(rows), comparisons: comparisons)
    }

    private static func summary(_ rows: [SnapshotSummary]) -> RunSummary {
        var summary = SampleRun.summary()
        summary.snapshots = rows
        summary.cells = []
        return summary
    }

    private static func counts(_ looks: [Look]) -> [Int] {
        changes(looks.map { (.changed, $0.comparison) }).map(\.snapshots.count)
    }

    @Test(
        "two pictures are one change when kind, place and look agree, and nothing is left out",
        arguments: [
            (Look(), Look(), 1),
            (Look(), Look(kind: .text), 2),
            (Look(kind: .moved(dx: 0, dy: 4)), Look(kind: .moved(dx: 0, dy: 4)), 1),
            (Look(kind: .moved(dx: 0, dy: 4)), Look(kind: .moved(dx: 0, dy: -4)), 2),
            (Look(kind: .moved(dx: 0, dy: 4)), Look(kind: .moved(dx: 0, dy: 5)), 2),
            (Look(), Look(x: 11), 2),
            (Look(), Look(more: 1), 2),
            (Look(more: 2), Look(more: 2), 1),
            (Look(unlisted: 1), Look(unlisted: 1), 2),
            (Look(hasSketch: false), Look(hasSketch: false), 2),
            (Look(), Look(ink: (100, 90)), 2),
            (Look(), Look(ground: (250, 230)), 2),
            // On a screen of another size, the place is roughly the same and blended colours differ
            // slightly.
            (Look(), Look(x: 14, canvas: PixelSize(width: 120, height: 240)), 1),
            (Look(), Look(x: 60, canvas: PixelSize(width: 120, height: 240)), 2),
            (Look(), Look(canvas: PixelSize(width: 120, height: 240), ink: (104, 56)), 1),
            (Look(), Look(canvas: PixelSize(width: 120, height: 240), ink: (104, 120)), 2),
        ]
    )
    func pairs(one: Look, other: Look, changes: Int) {
        #expect(Self.counts([one, other]).count == changes)
        #expect(Self.counts([other, one]).count == changes)
    }

    @Test("other words or another appearance join only looks that two cells confirm each")
    func confirmed() {
        let words = Look(ink: (180, 10))
        let dark = Look(ground: (20, 20))
        for other in [words, dark] {
            #expect(Self.counts([Look(), other]) == [1, 1])
            #expect(Self.counts([Look(), Look(), other]) == [2, 1])
            #expect(Self.counts([Look(), other, Look(), other]) == [4])
        }
        // Two equal intruders confirm nothing: the text looked like the others before.
        let intruder = Look(ink: (100, 200))
        #expect(Self.counts([Look(), intruder, Look(), intruder]) == [2, 2])
    }

    @Test("an unrelated change planted in one of 24 cells stands apart")
    func planted() {
        var looks = [Look](repeating: Look(), count: 12)
        looks += [Look](repeating: Look(ground: (20, 20)), count: 12)
        #expect(Self.counts(looks) == [24])
        for intruder in [
            Look(more: 1), Look(ink: (100, 60)), Look(ground: (250, 200)), Look(x: 12),
        ] {
            looks[7] = intruder
            #expect(Self.counts(looks) == [23, 1])
        }
    }

    @Test("pictures without comparison are one change of their verdict; doubt and errors are not")
    func others() {
        func counts(_ verdicts: [Verdict]) -> [Int] {
            Self.changes(verdicts.map { ($0, nil) }).map(\.snapshots.count)
        }
        #expect(counts([.new, .new, .new]) == [3])
        #expect(counts([.missing, .missing]) == [2])
        #expect(counts([.flaky, .flaky]) == [2])
        #expect(counts([.new, .missing, .new]) == [1, 2])
        #expect(counts([.changed, .changed]) == [1, 1])
        #expect(counts([.passed]) == [])
        let errors = Self.changes([(.errored, nil), (.errored, nil), (.errored, nil)]) {
            if $1 == 2 { $0.words = "cut off" }
        }
        #expect(errors.map(\.snapshots.count) == [2, 1])
    }

    @Test("equal pictures against equal references are one change, whatever is known of them")
    func equal() {
        let pictures: [(Verdict, Comparison?)] = [(.changed, nil), (.changed, nil)]
        let same = Self.changes(pictures) { row, _ in
            row.capture = "sha256:a"
            row.reference = "b"
        }
        #expect(same.map(\.snapshots) == [["c0/S/a", "c1/S/a"]])
        let others = Self.changes(pictures) { row, number in
            row.capture = "sha256:a"
            row.reference = "\(number)"
        }
        #expect(others.count == 2)
    }

    @Test("a change has one id in every run, and another for another picture")
    func ids() {
        let pair: [(Verdict, Comparison?)] = [
            (.changed, Look().comparison), (.changed, Look().comparison),
        ]
        let one = Self.changes(pair)
        let other = Self.changes(pair + [(.new, nil)])
        #expect(one.count == 1 && other.count == 2)
        #expect(other.map(\.id).contains(one[0].id))
        #expect(one[0].id.count == 12)
        let changed = Self.changes(pair) { row, _ in row.capture += "x" }
        #expect(changed[0].id != one[0].id)
    }

    @Test("a sketch is read back equal, and what is none is refused")
    func coding() throws {
        let explanation = try #require(Look().comparison.difference?.explanation)
        let bytes = try JSONEncoder().encode(explanation)
        #expect(try JSONDecoder().decode(Explanation.self, from: bytes) == explanation)
        for text in ["\"\"", "\"AAAA\"", "\"?\"", "7"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(RegionSketch.self, from: Data(text.utf8))
            }
        }
    }

    @Test("a summary that says nothing of changes has those that its rows tell")
    func older() {
        let rows = (0..<2).map { number in
            SnapshotSummary(
                id: "c\(number)/S/a",
                job: "j",
                cell: "c\(number)",
                suite: "S",
                name: "a",
                identifier: "a",
                test: "t",
                verdict: .new
            )
        }
        #expect(Self.summary(rows).reviewedChanges.map(\.snapshots.count) == [2])
    }
}
