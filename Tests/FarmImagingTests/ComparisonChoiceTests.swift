// Tests of the pure parts of a comparison: the choice of a policy, and the text of a difference.
import FarmCore
import Testing

@Suite("Globs")
struct GlobTests {
    @Test(
        "names: the whole text must match, and a star crosses slashes",
        arguments: [
            ("*_12.2_*", "iPhone-X_12.2_dark", true), ("*_12.2_*", "iPhone-X_13.1_dark", false),
            ("Login", "LoginTests", false), ("Login*", "LoginTests", true), ("*", "", true),
            ("", "", true), ("", "a", false), ("?", "é", true), ("?", "👩‍👩‍👧", true), ("?", "", false),
            ("a*b*c", "a/x/b/y/c", true), ("a*b*c", "a/x/c/y/b", false), ("**", "a/b", true),
            ("caf\u{65}\u{301}", "café", true), ("?/?", "a/b", true), ("???", "a/b", true),
            ("[ab]", "a", false), ("[ab]", "[ab]", true),
        ]
    )
    func text(pattern: String, name: String, matches: Bool) {
        #expect(Glob(pattern, mode: .text).matches(name) == matches)
    }

    @Test(
        "paths: a star stays within a component, two stars cross them",
        arguments: [
            ("captures/**/*.png", "captures/a.png", true),
            ("captures/**/*.png", "captures/a/b/c.png", true),
            ("captures/**/*.png", "captures/a/b/c.json", false),
            ("captures/**/*.png", "other/captures/a.png", false),
            ("captures/*.png", "captures/a/b.png", false), ("*.png", "a/b.png", false),
            ("**/*.png", "b.png", true), ("**/*.png", "a/b.png", true), ("a?b", "a/b", false),
            ("**/b", "ab", false), ("a/**/b", "a/b", true), ("a/**/b", "a/x/yb", false),
            ("a/**/b", "ab", false), ("a/**", "a/b/c", true), ("a/**", "a", false),
            ("**", "a/b", true), ("a**b", "a/x/b", true), ("x/***/y", "x/1/2/y", true),
        ]
    )
    func paths(pattern: String, path: String, matches: Bool) {
        #expect(Glob(pattern, mode: .path).matches(path) == matches)
    }

    @Test("a pattern of many stars ends soon on a text that does not match")
    func hostile() {
        let pattern = String(repeating: "a*", count: 60) + "b"
        let text = String(repeating: "a", count: 400)
        // A backtracking matcher would practically never end.
        #expect(!Glob(pattern, mode: .text).matches(text))
        #expect(!Glob(String(repeating: "**/", count: 40) + "b", mode: .path).matches(text))
        // The longest pattern and name that a plan may combine.
        let letters = String(repeating: "a", count: FarmLimits.testIDBytesMax)
        for start in ["*", "a*", "?*", "a"] {
            let count = FarmLimits.patternBytesMax / start.count - 1
            let pattern = String(repeating: start, count: count) + "b"
            #expect(!Glob(pattern, mode: .text).matches(letters))
        }
    }

    @Test("a pattern matches a name exactly where trying every way of it finds one")
    func exhaustive() {
        /// Returns every text of these letters up to a length.
        func texts(_ letters: [Character], _ most: Int) -> [[Character]] {
            var all: [[Character]] = [[]]
            var last = all
            for _ in 0..<most {
                last = last.flatMap { text in letters.map { text + [$0] } }
                all += last
            }
            return all
        }
        func matches(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            let rest = pattern.dropFirst()
            if first == "*", matches(rest, text) { return true }
            guard let letter = text.first else { return false }
            if first == "*" { return matches(pattern, text.dropFirst()) }
            return (first == "?" || first == letter) && matches(rest, text.dropFirst())
        }
        let names = texts(["a", "b"], 5)
        for pattern in texts(["a", "b", "?", "*"], 4) {
            let glob = Glob(String(pattern), mode: .text)
            for name in names {
                let expected = matches(pattern[...], name[...])
                #expect(glob.matches(String(name)) == expected, "\(pattern) \(name)")
            }
        }
    }
}

@Suite("The choice of a policy")
struct ComparisonChoiceTests {
    private let loose = ComparisonPolicy.fb(perPixelTolerance: 0.02, overallTolerance: 0)
    private let looser = ComparisonPolicy.pointFree(precision: 0.9)

    private func override(
        _ subject: ComparisonRules.Override.Subject,
        _ pattern: String,
        _ policy: ComparisonPolicy
    ) -> ComparisonRules.Override {
        ComparisonRules.Override(subject: subject, pattern: pattern, policy: policy)
    }

    @Test("without an override that names the picture, the job's policy stands")
    func plain() throws {
        let id = try SnapshotID(cell: CellID("iPhone-8_13.1"), suite: "Login", name: "empty")
        let rules = ComparisonRules(
            policy: looser,
            overrides: [override(.cells, "iPad*", loose)]
        )
        #expect(rules.choice(for: id).policy == looser)
        #expect(ComparisonRules().choice(for: id).policy == .visible())
    }

    @Test("cells, suites and snapshots are matched against their own text, the last wins")
    func overrides() throws {
        let id = try SnapshotID(cell: CellID("iPhone-X_12.2"), suite: "Pay/Card", name: "empty")
        for (subject, pattern) in [
            (ComparisonRules.Override.Subject.cells, "*_12.2"), (.suites, "Pay/Card"),
            (.snapshots, "Pay/Card/empty"), (.snapshots, "*/empty"),
        ] {
            let rules = ComparisonRules(overrides: [override(subject, pattern, loose)])
            #expect(rules.choice(for: id).policy == loose, "\(subject) \(pattern)")
        }
        for (subject, pattern) in [
            (ComparisonRules.Override.Subject.cells, "Pay*"), (.suites, "Pay"),
            (.snapshots, "empty"),
        ] {
            let rules = ComparisonRules(overrides: [override(subject, pattern, loose)])
            #expect(rules.choice(for: id).policy == .visible(), "\(subject) \(pattern)")
        }
        let both = [override(.cells, "*", loose), override(.suites, "*", looser)]
        #expect(ComparisonRules(overrides: both).choice(for: id).policy == looser)
        #expect(ComparisonRules(overrides: both.reversed()).choice(for: id).policy == loose)
    }
}

extension ComparisonChoiceTests {
    @Test("what any override that names the picture ignores is ignored, and the policy stays")
    func ignored() throws {
        let boxes = (0..<4).map { PixelBox(x: $0, y: 0, width: 1, height: 1) }
        func ignoring(_ pattern: String, _ index: Int) -> ComparisonRules.Override {
            ComparisonRules.Override(
                subject: .suites,
                pattern: pattern,
                policy: nil,
                ignored: IgnoredRegions(boxes: [boxes[index]])
            )
        }
        let rules = ComparisonRules(
            policy: .exact,
            ignored: IgnoredRegions(boxes: [boxes[0]]),
            overrides: [
                ComparisonRules.Override(
                    subject: .cells,
                    pattern: "*",
                    policy: .pointFree(precision: 0.9)
                ),
                ignoring("Log*", 1), ignoring("Pay*", 2), ignoring("*in", 3),
            ]
        )
        let id = try SnapshotID(cell: CellID("any"), suite: "Login", name: "empty")
        #expect(
            rules.choice(for: id)
                == ComparisonChoice(
                    .pointFree(precision: 0.9),
                    ignored: [boxes[0], boxes[1], boxes[3]]
                )
        )
    }
}

@Suite("Differences in words")
struct DifferenceWordsTests {
    private func words(
        _ differing: Int,
        of size: PixelSize,
        regions: Int = 2,
        capture: PixelSize? = nil
    ) -> String {
        let box = PixelBox(x: 0, y: 0, width: 1, height: 1)
        return PixelDifference(
            reference: size,
            capture: capture ?? size,
            differing: differing,
            counted: differing,
            largestDelta: 87,
            clusters: Array(repeating: box, count: regions)
        ).words
    }

    @Test("pixels, share, delta and regions in one line")
    func line() {
        let size = PixelSize(width: 750, height: 1_334)
        #expect(
            words(1_234, of: size)
                == "1,234 of 1,000,500 pixels (0.12 %) differ, largest delta 87, 2 regions"
        )
        #expect(
            words(1, of: size, regions: 1)
                == "1 of 1,000,500 pixels (< 0.01 %) differs, largest delta 87, 1 region"
        )
        #expect(words(1_000_499, of: size).contains("(> 99.99 %)"))
        #expect(words(1_000_500, of: size).contains("(100 %)"))
        #expect(words(9, of: size, regions: 16).hasSuffix("at least 16 regions"))
    }

    @Test("a verdict that imitates what is not public says so, with its numbers or its sizes")
    func approximate() {
        let size = PixelSize(width: 750, height: 1_334)
        for capture in [size, PixelSize(width: 9, height: 9)] {
            var difference = PixelDifference(
                reference: size,
                capture: capture,
                differing: 9,
                counted: 9,
                largestDelta: 87,
                clusters: []
            )
            let plain = difference.words
            difference.caveat = .approximate
            #expect(difference.words == plain + " (approximate)")
        }
    }

    @Test("a difference of sizes is told by the sizes")
    func sizes() {
        let size = PixelSize(width: 750, height: 1_334)
        let other = PixelSize(width: 750, height: 1_340)
        #expect(words(9, of: size, capture: other) == "750×1334 became 750×1340")
    }

    @Test(
        "thousands are grouped by commas",
        arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")]
    )
    func grouped(number: Int, text: String) {
        #expect(number.grouped == text)
    }
}
