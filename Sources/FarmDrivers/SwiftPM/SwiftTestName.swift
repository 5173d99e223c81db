// The names of test cases in Swift's two test frameworks, as `swift test list` prints them:
//   XCTest         Module.Class/method
//   Swift Testing  Module.Suite/Nested/function(label:)     Module.function()
// Swift Testing's names may contain anything between backticks, even slashes and dots.
import FarmCore

/// The parts of a test case's id.
package struct SwiftTestName: Hashable, Sendable {
    /// `Module.Suite/Nested`, or the module for a function outside any suite.
    package let suite: String
    /// The method or function.
    package let function: String
    package let isSwiftTesting: Bool

    init(_ test: TestID) {
        let text = test.text
        let cut =
            Self.lastOutsideBackticks("/", in: text) ?? Self.firstOutsideBackticks(".", in: text)
        suite = cut.map { String(text[..<$0]) } ?? ""
        function = cut.map { String(text[text.index(after: $0)...]) } ?? text
        isSwiftTesting = text.hasSuffix(")")
    }

    /// The test's name on XCTest's console: its class without module and enclosing types, and its
    /// method.
    package var consoleName: String {
        (suite.split(separator: ".").last.map(String.init) ?? suite) + "." + function
    }

    /// The suite as a folder's path; a slash inside a raw name becomes a hyphen.
    package var folder: String {
        var isRaw = false
        return String(
            suite.map { character in
                if character == "`" { isRaw.toggle() }
                return isRaw && character == "/" ? "-" : character
            }
        )
    }

    private static func lastOutsideBackticks(_ wanted: Character, in text: String) -> String.Index?
    {
        outsideBackticks(wanted, in: text).last
    }

    private static func firstOutsideBackticks(_ wanted: Character, in text: String) -> String.Index?
    {
        outsideBackticks(wanted, in: text).first
    }

    private static func outsideBackticks(_ wanted: Character, in text: String) -> [String.Index] {
        var isRaw = false
        return text.indices.filter { index in
            if text[index] == "`" { isRaw.toggle() }
            return !isRaw && text[index] == wanted
        }
    }
}

/// Selects tests of a test program by its command line.
package enum SwiftTestSelection {
    /// The most bytes of one argument; Linux allows 128 KiB.
    private static let argumentBytesMax = 60_000
    /// The most bytes of all arguments of one process, well below the 2 MiB that Linux allows.
    private static let argumentsBytesMax = 400_000

    /// Groups tests by the process that runs them: few enough for a command line and, for XCTest,
    /// no two that its console cannot tell apart.
    package static func groups(_ tests: [TestID]) -> [[TestID]] {
        var groups: [[TestID]] = []
        var bytes = 0
        var names: Set<String> = []
        let limit =
            tests.first.map { SwiftTestName($0).isSwiftTesting } == true
            ? argumentsBytesMax : argumentBytesMax
        for test in tests {
            let name = SwiftTestName(test)
            // Escaping at most doubles a name.
            let size = 2 * test.text.utf8.count + 2
            let isClash = !name.isSwiftTesting && names.contains(name.consoleName)
            if groups.isEmpty || bytes + size > limit || isClash {
                groups.append([])
                bytes = 0
                names = []
            }
            groups[groups.count - 1].append(test)
            bytes += size
            names.insert(name.consoleName)
        }
        return groups
    }

    /// Returns the argument with which XCTest runs exactly these tests, in an array.
    static func xctestArguments(_ tests: [TestID]) -> [String] {
        [tests.map(\.text).joined(separator: ",")]
    }

    /// Returns regular expressions for `--filter` that match exactly these tests.
    ///
    /// Swift Testing matches a filter anywhere in `<id>/<file>:<line>:<column>`, and every filter
    /// against every test of the program. So there is one filter per suite, which fails early for
    /// all other suites.
    package static func swiftTestingArguments(_ tests: [TestID]) -> [String] {
        var order: [String] = []
        var bySuite: [String: [String]] = [:]
        for test in tests {
            let name = SwiftTestName(test)
            let separator = test.text.dropFirst(name.suite.count).prefix(1)
            let head = escaped(name.suite + separator)
            if bySuite[head] == nil { order.append(head) }
            bySuite[head, default: []].append(escaped(name.function))
        }
        var arguments: [String] = []
        for head in order {
            for part in split(bySuite[head] ?? []) {
                arguments += ["--filter", "^\(head)(?:\(part.joined(separator: "|")))/[^/]*$"]
            }
        }
        return arguments
    }

    private static func split(_ functions: [String]) -> [[String]] {
        var parts: [[String]] = []
        var bytes = 0
        for function in functions {
            if parts.isEmpty || bytes + function.utf8.count > argumentBytesMax {
                parts.append([])
                bytes = 0
            }
            parts[parts.count - 1].append(function)
            bytes += function.utf8.count + 1
        }
        return parts
    }

    /// Returns the text as a literal of Swift's regular expressions.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if #"\^$.|?*+()[]{}/-#&~"#.contains(character) { result += "\\" }
            result.append(character)
        }
    }
}
