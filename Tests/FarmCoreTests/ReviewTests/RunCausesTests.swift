// Tests of the rule of causes with made-up facts; CauseIntruderTests tests it with real pixels.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Causes of a run")
struct RunCausesTests {
    /// The facts of one changed picture.
    struct Facts: Sendable {
        var screen = "a"
        /// The red of a colour that became another one, for each recolouring.
        var recoloured: [UInt8] = []
        /// The contents of regions, each a number and a place.
        var regions: [(content: UInt8, y: Int)] = []
        /// The places and distances by which rows moved.
        var shifts: [Explanation.RowShift] = []
        var kind = Explanation.Kind.changed
        var width = 100
        var unlisted = 0
        var hasSketch = true
        /// The changes of elements, or `nil` if nothing is known about them.
        var elements: [ElementChange]?

        var comparison: Comparison {
            let own = regions.map { region in
                Explanation.Region(
                    box: PixelBox(x: 10, y: region.y, width: 20, height: 10),
                    pixels: 40,
                    kind: kind,
                    sketch: hasSketch ? sketch(region.content) : nil
                )
            }
            let size = PixelSize(width: width, height: 200)
            var explanation = Explanation(regions: own, regionCount: own.count + unlisted)
            explanation.elements = elements
            if !recoloured.isEmpty || !shifts.isEmpty {
                explanation.parts = Explanation.Parts(
                    shifts: shifts.isEmpty ? nil : shifts,
                    recolourings: recoloured.map {
                        .init(from: Colour($0, 0, 0), to: Colour(0, 0, $0), pixels: 50)
                    },
                    rest: own,
                    restCount: own.count + unlisted
                )
            }
            let difference = PixelDifference(
                reference: size,
                capture: size,
                differing: 40,
                counted: 40,
                largestDelta: 200,
                clusters: []
            )
            return .different(difference.explained(by: explanation))
        }

        /// Contents over 50 look quite different from the others, like other words.
        private func sketch(_ content: UInt8) -> RegionSketch {
            let ink: UInt8 = content > 50 ? 250 : 100
            func side(_ ink: UInt8, _ hash: UInt8) -> RegionSketch.Side {
                RegionSketch.Side(
                    ground: [250, 250, 250, 255],
                    ink: [20, 20, 20, 255],
                    mean: [100, 100, 100, 255],
                    hash: [hash, content, ink, 0, 0, 0, 0, 0],
                    parts: [UInt8](repeating: ink, count: 128)
                )
            }
            return RegionSketch(before: side(ink, 1), after: side(ink, 2))
        }
    }

    /// `drawn` are the pictures that another renderer only drew differently.
    private static func judged(
        _ pictures: [Facts],
        drawn: [SnapshotID: RendererChange] = [:]
    ) -> RunSummary {
        var summary = SampleRun.summary()
        summary.cells = []
        var comparisons: [String: Comparison] = [:]
        summary.snapshots = pictures.enumerated().map { number, facts in
            let row = SnapshotSummary(
                id: "c\(number)/S/\(facts.screen)",
                job: "j",
                cell: "c\(number)",
                suite: "S",
                name: facts.screen,
                identifier: facts.screen,
                test: facts.screen,
                verdict: .changed,
                capture: "sha256:\(number)"
            )
            comparisons[row.id] = facts.comparison
            return row
        }
        RunCauses.add(to: &summary, comparisons: comparisons, drawn: drawn)
        return summary
    }

    @Test("a picture that is only drawn differently has that cause alone, and confirms no other")
    func drawnDifferently() throws {
        let record = SuiteRecord(job: JobName("j"), renderer: ["browser": "1"], tests: [:])
        let after = ["browser": "2"]
        let change = try #require(RendererChange(of: record, job: JobName("j"), after: after))
        func drawn(_ id: String) throws -> [SnapshotID: RendererChange] {
            [try #require(SnapshotID(exactly: id)): change]
        }
        let pictures = ["a", "b", "c", "d"].map { Facts(screen: $0, recoloured: [9]) }
        let three = Self.judged(pictures, drawn: try drawn("c3/S/d"))
        #expect(three.causes?.map(\.pictures) == [1, 3])
        #expect(three.causes?.first?.words == "drawn by another renderer: browser 1 became 2")
        #expect(three.snapshots.map { $0.causes?.count } == [1, 1, 1, 1])
        #expect(three.snapshots[3].causes == [three.causes?.first?.id].compactMap(\.self))
        // The colour of a single picture is no cause, although one that is drawn differently has it.
        let one = Self.judged(Array(pictures[2...]), drawn: try drawn("c1/S/d"))
        #expect(one.causes?.map(\.pictures) == [1])
        #expect(one.snapshots.map(\.isExplained) == [false, true])
    }

    /// Returns the number of pictures of each cause, and which pictures are explained.
    private static func shape(_ pictures: [Facts]) -> (causes: [Int], explained: [Bool]) {
        let summary = judged(pictures)
        return (summary.causes?.map(\.pictures) ?? [], summary.snapshots.map(\.isExplained))
    }

    @Test(
        "pictures share a cause when a fact is exactly equal, whatever the screen",
        arguments: [
            ([Facts(recoloured: [9]), Facts(screen: "b", recoloured: [9])], [2], [true, true]),
            ([Facts(recoloured: [9]), Facts(screen: "b", recoloured: [8])], [], [false, false]),
            (
                [Facts(regions: [(1, 20)]), Facts(screen: "b", regions: [(1, 90)])], [2],
                [true, true]
            ),
            (
                [Facts(regions: [(1, 20)]), Facts(screen: "b", regions: [(2, 20)])], [],
                [false, false]
            ),
            (
                [Facts(regions: [(1, 20)], kind: .text), Facts(regions: [(1, 20)])], [],
                [false, false]
            ),
            // No cause explains a fact that only one picture has.
            (
                [Facts(recoloured: [9]), Facts(recoloured: [9], regions: [(1, 20)])], [2],
                [true, false]
            ),
            ([Facts(recoloured: [9]), Facts(recoloured: [9], unlisted: 1)], [2], [true, false]),
            (
                [
                    Facts(recoloured: [9]),
                    Facts(recoloured: [9], regions: [(1, 20)], hasSketch: false),
                ], [2], [true, false]
            ),
            // Several causes explain a picture together.
            (
                [
                    Facts(recoloured: [9]), Facts(recoloured: [9], regions: [(1, 20)]),
                    Facts(screen: "b", regions: [(1, 20)]),
                ], [2, 2], [true, true, true]
            ),
            // Facts that the same pictures have are one cause.
            (
                [Facts(recoloured: [9, 8]), Facts(screen: "b", recoloured: [8, 9])], [2],
                [true, true]
            ),
        ]
    )
    func table(pictures: [Facts], causes: [Int], explained: [Bool]) {
        for order in [pictures, pictures.reversed()] {
            let shape = Self.shape(order)
            #expect(shape.causes == causes)
            #expect(shape.explained.count { $0 } == explained.count { $0 })
        }
        #expect(Self.shape(pictures).explained == explained)
    }

    @Test("looks of one region of a screen are one cause if two pictures confirm each")
    func looks() {
        let english = Facts(regions: [(1, 20)])
        let japanese = Facts(regions: [(60, 20)])
        #expect(Self.shape([english, english, japanese, japanese]).causes == [4])
        #expect(Self.shape([english, english, japanese]).causes == [2])
        #expect(Self.shape([english, english, japanese]).explained == [true, true, false])
        // Two regions of one picture are never looks of one.
        let both = Facts(regions: [(1, 20), (60, 36)])
        let one = Facts(regions: [(1, 20)])
        #expect(Self.shape([both, both, one]).causes == [3, 2])
    }

    @Test("a region that one picture shows belongs to the cause of its screen's that it looks like")
    func alike() {
        let phone = Facts(regions: [(1, 20)])
        // Nearly the same shapes on another device.
        let tablet = Facts(regions: [(2, 20)], width: 101)
        #expect(Self.shape([phone, phone, tablet]).causes == [3])
        #expect(Self.shape([phone, phone, tablet]).explained == [true, true, true])
        // Nothing confirms the look of either.
        #expect(Self.shape([phone, tablet]).causes == [])
        // Another screen, or other shapes, or a second region.
        var others = [tablet, Facts(regions: [(60, 20)], width: 101), tablet]
        others[0].screen = "b"
        others[2].regions.append((70, 150))
        for other in others {
            #expect(Self.shape([phone, phone, other]).explained == [true, true, false])
        }
    }

    @Test("pictures are explained by moves only if another one has all their shifts")
    func moves() {
        func moved(_ shifts: [(row: Int, by: Int)], screen: String = "a") -> Facts {
            Facts(screen: screen, shifts: shifts.map { .init(row: $0.row, by: $0.by) })
        }
        // The same distance in two layouts is one cause.
        let (one, two) = (moved([(56, 6)]), moved([(40, 6)], screen: "b"))
        #expect(Self.shape([one, one, two, two]).causes == [4])
        #expect(Self.shape([one, one, two]).explained == [true, true, false])
        // One more shift by the same distance is a fault.
        let twice = moved([(56, 6), (90, 6)])
        #expect(Self.shape([one, one, twice]).explained == [true, true, false])
        // A picture that moved by two distances shows both causes.
        let both = moved([(56, 6), (90, -1)])
        #expect(Self.shape([one, one, both, both]).causes == [4, 2])
        let summary = Self.judged([one, one, both, both])
        #expect(summary.causes?.map(\.words) == ["moved 6 px down", "moved 1 px up"])
    }

    @Test("a cause says what changed, on how many screens, and shows a picture of each look")
    func words() throws {
        let summary = Self.judged([
            Facts(recoloured: [9], regions: [(1, 20)]), Facts(screen: "b", recoloured: [9]),
            Facts(recoloured: [9], regions: [(1, 20)]),
        ])
        let causes = try #require(summary.causes)
        #expect(causes.map(\.words) == ["recoloured #090000 → #000009", "changed"])
        #expect(causes.map(\.screens) == [2, 1])
        #expect(causes.map(\.shown) == [["c1/S/b"], ["c0/S/a"]])
        #expect(summary.genuineCauses == causes)
        #expect(summary.pictures(explainedBy: [causes[0].id]) == ["c1/S/b"])
        #expect(summary.pictures(explainedBy: Set(causes.map(\.id))).count == 3)
        var forged = summary
        forged.snapshots[0].causes = [causes[1].id]
        #expect(forged.genuineCauses.map(\.id) == [causes[1].id])
    }

    @Test("a cause names the elements of its colours and regions that its pictures share")
    func elements() throws {
        let button = ElementChange(
            selector: ".btn",
            property: "background-color",
            before: "#090000",
            after: "#000009",
            count: 3,
            regions: [0]
        )
        let heading = ElementChange(
            selector: "h1",
            property: "text",
            before: "a",
            after: "b",
            regions: [0]
        )
        let alone = ElementChange(
            selector: "p",
            property: "color",
            before: "#090000",
            after: "#000009"
        )
        let summary = Self.judged([
            Facts(recoloured: [9], regions: [(1, 20)], elements: [button, heading]),
            Facts(recoloured: [9], regions: [(1, 20)], elements: [heading, button]),
            Facts(screen: "b", recoloured: [9], elements: [button, alone]),
        ])
        let causes = try #require(summary.causes)
        let lines = causes.map { $0.elements.map(ElementChange.lines) }
        #expect(
            lines == [
                [".btn background-color #090000 → #000009 (9 elements)"],
                [#"h1 text "a" → "b" (2 elements)"#],
            ]
        )
    }

    @Test("a move names the elements that changed in no region")
    func movedElements() throws {
        let header = ElementChange(
            selector: "header",
            property: "padding",
            before: "12px",
            after: "15px",
            regions: []
        )
        let heading = ElementChange(
            selector: "h1",
            property: "text",
            before: "a",
            after: "b",
            regions: [0]
        )
        let picture = Facts(
            regions: [(1, 20)],
            shifts: [.init(row: 56, by: 6)],
            elements: [header, heading]
        )
        var other = picture
        other.screen = "b"
        other.regions = []
        other.elements = [header]
        let causes = try #require(Self.judged([picture, picture, other]).causes)
        let lines = causes.map { $0.elements.map(ElementChange.lines) }
        #expect(
            lines == [
                ["header padding 12px → 15px (3 elements)"], [#"h1 text "a" → "b" (2 elements)"#],
            ]
        )
    }

    @Test("a cause of pictures whose elements are all equal says so, and of unknown ones nothing")
    func equalElements() throws {
        for (second, words) in [([], ["no element differs"]), (nil, nil)]
            as [([ElementChange]?, [String]?)]
        {
            let summary = Self.judged([
                Facts(regions: [(1, 20)], elements: []),
                Facts(screen: "b", regions: [(1, 20)], elements: second),
            ])
            let cause = try #require(summary.causes?.first)
            #expect(cause.elements.map(ElementChange.lines) == words)
            #expect(PictureCause.all(of: summary).first?.elements == words ?? [])
        }
    }

    @Test("in 500 random runs, exactly the pictures are explained whose facts all are shared")
    func property() {
        var random = SeededGenerator.announced("RunCausesTests.property", usual: 7)
        for _ in 0..<500 {
            let pictures = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                Facts(
                    screen: ["a", "b", "c"].randomElement(using: &random) ?? "a",
                    recoloured: (UInt8(1)...3).filter { _ in Bool.random(using: &random) },
                    regions: (1...3).filter { _ in Bool.random(using: &random) }
                        .map { (UInt8($0), Int($0) * 50) },
                    unlisted: Int.random(in: 0...4, using: &random) == 0 ? 1 : 0
                )
            }
            func facts(_ one: Facts) -> Set<String> {
                Set(one.recoloured.map { "r\($0)" } + one.regions.map { "c\($0.content)" })
            }
            let expected = pictures.enumerated().map { number, picture in
                let others = pictures.enumerated().filter { $0.offset != number }
                let shared = others.reduce(into: Set<String>()) { $0.formUnion(facts($1.element)) }
                let own = facts(picture)
                return !own.isEmpty && own.isSubset(of: shared) && picture.unlisted == 0
            }
            let summary = Self.judged(pictures)
            #expect(summary.snapshots.map(\.isExplained) == expected)
            let named = Set(summary.snapshots.flatMap { $0.causes ?? [] })
            #expect(named == Set((summary.causes ?? []).map(\.id)))
            for cause in summary.causes ?? [] {
                #expect(cause.pictures == summary.picturesByCause[cause.id]?.count)
                #expect(cause.pictures > 1 && !cause.shown.isEmpty)
            }
        }
    }

    @Test("the causes of 10,000 pictures on 60 cells take seconds, not minutes")
    func large() {
        let pictures = (0..<10_000).map { number in
            let (screen, cell) = (number / 60, number % 60)
            return Facts(
                screen: "s\(screen)",
                recoloured: [UInt8(1 + cell % 2)],
                regions: [(UInt8(cell), 20), (UInt8(100 + screen % 100), 120)]
            )
        }
        let clock = ContinuousClock()
        let start = clock.now
        let summary = Self.judged(pictures)
        let took = clock.now - start
        print("causes of 10,000 pictures: \(summary.causes?.count ?? 0) in \(took)")
        #expect(summary.snapshots.allSatisfy { $0.isExplained })
        // A release build needs a second; a debug build on a busy machine far more.
        #expect(took < .seconds(120))
    }
}
