// Tests of the stand-in with every shape of output and results, and their true endings.
import FarmCore
import FarmTesting

/// A test of the stand-in.
struct KnownTest: Sendable {
    enum Truth: Sendable {
        case passed
        /// The failure's message contains this text.
        case failed(String)
        case skipped(String)
        case crashed
    }

    /// The name without the target, as in the stand-in's project.
    private let name: String
    private let more: String
    private let truth: Truth
    /// Whether the test passes only if failed tests run again.
    private let isRetried: Bool

    private init(
        _ name: String,
        _ more: String = "",
        _ truth: Truth = .passed,
        isRetried: Bool = false
    ) {
        (self.name, self.more, self.truth, self.isRetried) = (name, more, truth, isRetried)
    }

    /// The id that Xcode lists.
    var test: String { "ShopTests/" + (isSwiftTesting ? name : name + "()") }
    /// The name in the stand-in's trace.
    var traced: String { more.contains("\"objc\"") ? "ShopTests/" + name : test }
    var json: String { "{\"test\": \"\(name)\"\(more.isEmpty ? "" : ", " + more)}" }

    private var isSwiftTesting: Bool { name.hasSuffix(")") }
    private var suite: String { name.split(separator: "/").dropLast().joined(separator: "/") }

    /// Returns whether an ending is correct for the test.
    ///
    /// Before Xcode 16 only the console tells a skip's reason, and its line may be lost.
    func isRight(_ ending: TestEnding, isOld: Bool) -> Bool {
        switch (truth, ending) {
        case (.passed, .passed): true
        case (.failed(let words), .failed(let text)): text.contains(words)
        case (.skipped(let words), .skipped(let text)): text == words || (isOld && text.isEmpty)
        // Either the console names the crashed test, or only the bundle does.
        case (.crashed, .errored(let problem)): problem.code == "test-crashed"
        case (.crashed, .failed(let text)): text.contains("Crash: ")
        default: false
        }
    }

    /// Returns all tests that fit, in a random order, but suite by suite as both libraries run
    /// them.
    static func random(
        hasSwiftTesting: Bool,
        isRetried: Bool,
        _ generator: inout SeededGenerator
    ) -> [KnownTest] {
        let fitting = (xctest + swiftTesting).filter {
            (hasSwiftTesting || !$0.isSwiftTesting) && (isRetried || !$0.isRetried)
        }
        let order = Array(Set(fitting.map(\.suite))).sorted().shuffled(using: &generator)
        // A nested suite follows its outer one.
        return fitting.shuffled(using: &generator).enumerated().sorted { left, right in
            let places = [left, right].map { item in
                let top = item.element.suite.split(separator: "/").first.map(String.init) ?? ""
                return (order.firstIndex(of: top) ?? 0, item.element.suite.count, item.offset)
            }
            return places[0] < places[1]
        }.map(\.element)
    }

    private static let half = #"{"print": "half a line", "ends": false}"#
    private static let once =
        #""does": [{"when": {"attempt": 1}, "does": [{"fail": "failed - once"}]}]"#
    private static let wrong = #"{"fail": "XCTAssertTrue failed", "line": 7}"#
    private static let unequal = """
        {"fail": "Expectation failed: a == b", "line": 8, "comments": ["why", "a == b → false"]}
        """
    private static let lines = #""arguments": ["Order(\n  lines: 2\n)", "meet at 5:30"]"#

    private static let xctest = [
        KnownTest("A/testPasses"), KnownTest("A/testPrints", "\"does\": [\(half)]"),
        KnownTest(
            "A/testFails",
            "\"does\": [\(wrong)]",
            .failed("A.swift:7: XCTAssertTrue failed")
        ),
        KnownTest(
            "B/testPrintsAndFails",
            "\"does\": [\(half), \(wrong)]",
            .failed("B.swift:7: XCTAssertTrue failed")
        ),
        KnownTest("A/testSkips", #""does": [{"skip": "not today"}]"#, .skipped("not today")),
        KnownTest("A/testQuotes", #""does": [{"print": "✔ Test plain() passed after lunch."}]"#),
        KnownTest("A/testKnown", #""does": [{"knownIssue": "later"}]"#),
        KnownTest("A/testCrashes", #""does": [{"crash": "Index out of range"}]"#, .crashed),
        KnownTest("B/testOnce", once, isRetried: true), KnownTest("Outer.Inner/testNested"),
        KnownTest(
            "Outer.Deep.Inner/testFails",
            "\"within\": \"OV\", \"does\": [\(wrong)]",
            .failed("XCTAssertTrue failed")
        ),
        KnownTest("Own/testPrivate", "\"private\": true"),
        KnownTest("_TtC9ShopTestsP33_0123456789ABCDEF0123456789ABCDEF5Other/testPrivate"),
        KnownTest("Old/testPasses", "\"objc\": true"),
        KnownTest(
            "Old/testFails",
            #""objc": true, "does": [{"fail": "((1) equal to (2)) failed", "line": 12}]"#,
            .failed("Old.m:12: ((1) equal to (2)) failed")
        ),
    ]

    private static let swiftTesting = [
        KnownTest("S/plain()"), KnownTest("T/plain()"), KnownTest("free()"),
        KnownTest("S/In/deep()"), KnownTest("S/`raw name`()"),
        KnownTest("S/sum()", #""title": "adds up""#), KnownTest("S/prices(_:)", lines),
        KnownTest(
            "S/each(_:)",
            "\(lines), \"does\": [\(unequal)]",
            .failed("S.swift:8: Expectation failed: a == b")
        ),
        KnownTest(
            "S/fails()",
            "\"does\": [\(unequal)]",
            .failed("S.swift:8: Expectation failed: a == b")
        ),
        KnownTest(
            "T/records()",
            #""does": [{"fail": "the cart is empty", "line": 9}]"#,
            .failed("the cart is empty")
        ),
        KnownTest(
            "T/throws()",
            #""does": [{"throw": "no cart"}]"#,
            .failed("Caught error: no cart")
        ),
        KnownTest("T/stops()", #""does": [{"cancel": "not here"}]"#, .skipped("not here")),
        KnownTest("T/off()", #""disabled": "later""#, .skipped("later")),
        KnownTest("T/known()", #""does": [{"knownIssue": "Expectation failed: a"}]"#),
        KnownTest("S/prints()", "\"does\": [\(half)]"),
        KnownTest(
            "T/printsAndFails()",
            "\"does\": [\(half), \(unequal)]",
            .failed("T.swift:8: Expectation failed: a == b")
        ),
        KnownTest("T/crashes()", #""does": [{"crash": "nil"}]"#, .crashed),
        KnownTest("S/once()", once, isRetried: true),
    ]
}
