// Reads the output of swift-corelibs-xctest (XCTest 6.3, PrintObserver.swift):
//   Test Case 'Class.method' started at 2026-11-21 08:31:59.151
//   /path/File.swift:5: error: Class.method : XCTAssertEqual failed: … (more lines may follow)
//   /path/File.swift:6: Class.method : Test skipped - reason
//   Test Case 'Class.method' passed (0.005 seconds)          | failed | skipped
// A test may print anything in between, even half a line before one of these, so a line counts only
// if it fits the running test.
import FarmCore

/// Reads the console of one XCTest process.
package struct XCTestConsole: Sendable {
    /// The most further lines of a failure's message; they look like any other output of the test.
    private static let continuationLinesMax = 20

    private let tests: [String: TestID]
    private var running: (name: String, test: TestID)?
    private var last: (name: String, test: TestID)?
    /// The failures as text for people; `told` has them as data for comparisons.
    private var failures: [String] = []
    private var told: [TestFailure] = []
    private var continuation = 0
    private var skipReason = ""
    private var output = OutputTail()

    /// The end of the output since the last test began, without XCTest's own lines.
    package var lastOutput: String { output.text }

    /// Creates a reader; no two of the `tests` that may run have the same class and method name.
    init(tests: [TestID]) {
        self.tests = Dictionary(
            tests.map { (SwiftTestName($0).consoleName, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns the events of one line, given without its end.
    package mutating func feed(_ line: String) -> [ProgramEvent] {
        if let range = line.lastRange(of: "Test Case '") {
            let rest = line[range.upperBound...]
            if let quote = rest.firstIndex(of: "'") {
                let name = String(rest[..<quote])
                let tail = rest[rest.index(after: quote)...]
                if tail.hasPrefix(" started at "), let test = tests[name] {
                    return start(name, test)
                }
                if let current = running ?? last, current.name == name, let end = Self.ending(tail)
                {
                    return [finish(current, end)]
                }
            }
        }
        output.append(Array((line + "\n").utf8))
        if running != nil { note(line) }
        return []
    }

    private mutating func start(_ name: String, _ test: TestID) -> [ProgramEvent] {
        running = (name, test)
        failures = []
        told = []
        continuation = 0
        skipReason = ""
        output = OutputTail()
        return [.started(test)]
    }

    private mutating func finish(
        _ current: (name: String, test: TestID),
        _ end: (word: Substring, seconds: Double)
    ) -> ProgramEvent {
        last = current
        running = nil
        let ending: TestEnding =
            switch end.word {
            case "passed": .passed
            case "skipped": .skipped(skipReason)
            default: .failed(failures.isEmpty ? "failed" : failures.joined(separator: "\n"))
            }
        return .ended(
            current.test,
            ending,
            seconds: end.seconds,
            output: output.text,
            failures: told.isEmpty && end.word == "failed" ? [TestFailure("failed")] : told
        )
    }

    private mutating func note(_ line: String) {
        guard let name = running?.name else { return }
        if let range = line.range(of: ": error: \(name) : ") {
            failures.append(Self.place(line[..<range.lowerBound]) + line[range.upperBound...])
            told.append(TestFailure(String(line[range.upperBound...])))
            continuation = Self.continuationLinesMax
        } else if let range = line.range(of: ": \(name) : Test skipped") {
            let reason = line[range.upperBound...]
            skipReason = String(reason.hasPrefix(" - ") ? reason.dropFirst(3) : reason)
            continuation = 0
        } else if continuation > 0, !failures.isEmpty {
            failures[failures.count - 1] += "\n" + line
            told[told.count - 1].detail += line + "\n"
            continuation -= 1
        }
    }

    /// Returns the beginning of a failure's text: `File.swift:5: ` for `/path/File.swift:5`.
    private static func place(_ path: Substring) -> String {
        path.split(separator: "/").last.map { $0.hasPrefix("<") ? "" : "\($0): " } ?? ""
    }

    /// Returns word and seconds, such as `passed` and 0.005 for ` passed (0.005 seconds)`, or
    /// `nil`.
    private static func ending(_ tail: Substring) -> (word: Substring, seconds: Double)? {
        let words = tail.split(separator: " ")
        guard words.count == 3, ["passed", "failed", "skipped"].contains(words[0]),
            words[1].hasPrefix("("), words[2].hasPrefix("seconds)")
        else { return nil }
        return (words[0], Double(words[1].dropFirst()) ?? 0)
    }
}

extension StringProtocol {
    /// Returns the range of the last occurrence of `text`, or `nil` if there is none.
    fileprivate func lastRange(of text: String) -> Range<Index>? {
        ranges(of: text).last
    }

    fileprivate func range(of text: String) -> Range<Index>? {
        ranges(of: text).first
    }
}
