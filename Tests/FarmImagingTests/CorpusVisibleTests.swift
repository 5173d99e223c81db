// Tests of our default policy on the real pairs of the corpus: every pair that differs fails,
// except those listed here, each checked by eye. The table of missed pairs by tool is
// docs/comparison-misses.md, written by these tests.
import FarmCore
import Foundation
import Testing

@testable import FarmImaging

@Suite(
    "The default policy on real pictures",
    .enabled(if: Corpus.isThere, "the corpus is missing: \(Corpus.folder)")
)
struct CorpusVisibleTests {
    enum Reason: String {
        /// No channel differs by more than one step.
        case noise = "largest channel delta 1"
        /// Stored values of translucent pixels differ by more, but blended ones do not.
        case blended = "largest blended delta 1"
        /// All other pixels are anti-aliasing of the same shape.
        case antiAliasing = "anti-aliasing by shape"
    }

    /// Real pairs that the default lets pass, with a description of their visible difference.
    static let excused: [(id: String, reason: Reason, seen: String)] = [
        ("d0069", .blended, "3 pixels of round leaf edges at alpha 7 to 39, by 1 of alpha"),
        ("d0082", .blended, "1 pixel at the rim of a stroke, alpha 3 became 4"),
        ("d0088", .noise, "1 pixel at the rim of a stroke by one step"),
        ("d0094", .noise, "1 pixel at the rim of a disc by one step"),
        ("d0098", .noise, "7 pixels at the edges of letters by one step"),
        ("d0100", .blended, "2 pixels of a slanted edge at alpha 21 and 47, by 1 of alpha"),
        ("d0105", .noise, "6 pixels at the rim of a disc by one step"),
        ("d0115", .noise, "41 pixels at the rim of a switch by one step"),
        ("d0118", .noise, "a dashed ring by one step"),
        ("d0122", .noise, "41 pixels at the rim of a switch by one step"),
        ("d0125", .blended, "8 pixels of a white circle's rim, alpha 1 became 0"),
        ("d0131", .antiAliasing, "272 pixels of a ring's edge, its coverage by at most 2 %"),
        ("d0137", .blended, "edges of translucent shapes, by 1 of alpha or one blended step"),
        ("d0162", .noise, "all text one step darker, 194 became 193"),
        ("d0186", .blended, "nothing: the colour of transparent pixels, black became grey"),
    ]

    struct Seen {
        var id: String
        var ours: Comparison
        var counted: CountedPixels
        /// The policies that miss the pair's difference, by their names in the table.
        var missedBy: Set<String>
    }

    @Test("every real pair that differs fails, but for those listed with their reason")
    func real() async throws {
        let corpus = try Corpus()
        let pairs = corpus.pairs.filter {
            $0.origin == "git-history" && corpus.expected[$0.id]?.verdict == "different"
        }
        #expect(pairs.count == 141)
        let seen = try await withThrowingTaskGroup(of: Seen.self) { group in
            for pair in pairs { group.addTask { try look(pair, corpus) } }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.id < $1.id }
        }
        #expect(seen.filter(\.ours.matches).map(\.id) == Self.excused.map(\.id))
        for (id, reason, _) in Self.excused {
            let pair = try #require(seen.first { $0.id == id })
            #expect(pair.counted.changed == 0, "\(id)")
            switch reason {
            case .noise: #expect(pair.ours.difference?.largestDelta ?? 255 <= 2, "\(id)")
            case .blended:
                #expect(pair.counted.noise > 0 && pair.counted.antiAliased == 0, "\(id)")
            case .antiAliasing: #expect(pair.counted.antiAliased > 0, "\(id)")
            }
        }
        try expectDocument(CorpusMisses.document(seen, Self.excused), "comparison-misses.md")
    }

    private func look(_ pair: Corpus.Pair, _ corpus: Corpus) throws -> Seen {
        let expected = try #require(corpus.expected[pair.id])
        let reference = try PNGDecoder.decode(corpus.bytes(pair.a))
        let capture = try PNGDecoder.decode(corpus.bytes(pair.b))
        let result = PictureComparer.compare(
            reference: reference,
            capture: capture,
            policy: .visible()
        )
        let counted = CountedPixels(reference, capture, noise: 1, antiAliasing: true)
        return Seen(
            id: pair.id,
            ours: result,
            counted: counted,
            missedBy: CorpusMisses.missed(expected, reference, capture)
        )
    }

    @Test("a pair whose pixels are equal never fails")
    func equal() throws {
        let corpus = try Corpus()
        let pairs = corpus.pairs.filter { corpus.expected[$0.id]?.verdict == "pixel-equal" }
        #expect(pairs.count == 179)
        for pair in pairs {
            let result = try PictureComparer.compare(
                reference: corpus.bytes(pair.a),
                capture: corpus.bytes(pair.b),
                policy: .visible()
            )
            #expect(result.matches && result.difference == nil, "\(pair.id)")
        }
    }
}

/// The table of real pairs that each tool misses.
enum CorpusMisses {
    /// Tools with results in expected.json; frameworks without them are computed by our own
    /// arithmetic.
    private static let rows: [(key: String, words: String)] = [
        ("pixelmatch-7", "pixelmatch 7.2.0, threshold 0.1 (its default)"),
        ("pixelmatch-5", "pixelmatch 5.3.0, threshold 0.1 (its default)"),
        ("odiff", "odiff 4.5.0, threshold 0.1 (its default)"),
        ("odiff-aa", "odiff 4.5.0, threshold 0.1, `--antialiasing`"),
        ("fb-0.02", "iOSSnapshotTestCase, perPixelTolerance 0.02"),
        ("fb-ov0.001", "iOSSnapshotTestCase, overallTolerance 0.001"),
        ("fb-ov0.01", "iOSSnapshotTestCase, overallTolerance 0.01"),
        ("pf-0.999", "swift-snapshot-testing, precision 0.999"),
        ("pf-0.99", "swift-snapshot-testing, precision 0.99"),
        ("pf-0.95", "swift-snapshot-testing, precision 0.95"),
        ("pf-perceptual", "swift-snapshot-testing, perceptualPrecision 0.98 (approximate)"),
        ("paparazzi", "Paparazzi, maxPercentDifference 0.01 (its default)"),
        ("roborazzi", "Roborazzi, maxDistance 0.007 (its default)"),
    ]

    static func missed(
        _ expected: Corpus.Expected,
        _ reference: Bitmap,
        _ capture: Bitmap
    ) -> Set<String> {
        var missed: Set<String> = []
        func note(_ key: String, _ isMissed: Bool?) { if isMissed == true { missed.insert(key) } }
        note("pixelmatch-7", expected.pixelmatch7?["t0.1_aa_detection"]?.number == 0)
        note("pixelmatch-5", expected.pixelmatch5?["t0.1_aa_detection"]?.number == 0)
        note("odiff", expected.odiff?["t0.1"]?.number == 0)
        note("odiff-aa", expected.odiff?["t0.1_antialiasing"]?.number == 0)
        note("fb-0.02", expected.exact?.fb.pass["pp0.02_ov0"])
        note("fb-ov0.001", expected.exact?.fb.pass["pp0_ov0.001"])
        note("fb-ov0.01", expected.exact?.fb.pass["pp0_ov0.01"])
        for precision in ["0.999", "0.99", "0.95"] {
            note("pf-\(precision)", expected.exact?.pointFree.pass[precision])
        }
        for (key, policy) in [
            ("pf-perceptual", .pointFree(precision: 1, perceptualPrecision: 0.98)),
            ("paparazzi", .paparazzi(maxPercentDifference: 0.01)),
            ("roborazzi", .roborazzi(maxDistance: 0.007, threshold: 0)),
        ] as [(String, ComparisonPolicy)] {
            let judged = PolicyArithmetic.judge(reference, capture, differing: 1, policy: policy)
            note(key, judged.allowed)
        }
        return missed
    }

    static func document(
        _ seen: [CorpusVisibleTests.Seen],
        _ excused: [(id: String, reason: CorpusVisibleTests.Reason, seen: String)]
    ) -> String {
        func line(_ words: String, _ misses: Int) -> String {
            let tenths = (misses * 1_000 + seen.count / 2) / seen.count
            return "| \(words) | \(misses) | \(tenths / 10).\(tenths % 10) % |\n"
        }
        var text = """
            # What each comparison misses

            The corpus holds \(seen.count) pairs of consecutive versions of one reference picture, \
            from the histories of open-source projects, that have one size and differ in at \
            least one pixel. Somebody committed each second version, so each pair is a change that \
            somebody had to see. "Missed" means that the comparison calls the two alike.

            Written by `CorpusVisibleTests`; `SNAPFARM_UPDATE_GOLDEN=1` writes it anew.

            | comparison | missed | share |
            | --- | --- | --- |

            """
        text += line("**`visible`, our default**", seen.count { $0.ours.matches })
        for (key, words) in rows {
            text += line(words, seen.count { $0.missedBy.contains(key) })
        }
        text += """

            ## What our default lets pass

            Each was looked at, enlarged. A channel's delta of 1 is what `noise: 0` would count, \
            so is a blended delta; anti-aliasing is what `antiAliasing: counted` would count.

            | pair | reason | what is to be seen |
            | --- | --- | --- |

            """
        for (id, reason, seen) in excused {
            text += "| \(id) | \(reason.rawValue) | \(seen) |\n"
        }
        return text
    }
}

/// Compares a document in docs/ with its expected text; `SNAPFARM_UPDATE_GOLDEN=1` writes it.
private func expectDocument(_ text: String, _ name: String) throws {
    let path = (Corpus.repository as NSString).appendingPathComponent("docs/" + name)
    if ProcessInfo.processInfo.environment["SNAPFARM_UPDATE_GOLDEN"] == "1" {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    let committed = try String(contentsOfFile: path, encoding: .utf8)
    #expect(committed == text, "Run: SNAPFARM_UPDATE_GOLDEN=1 swift test --filter CorpusVisible")
}
