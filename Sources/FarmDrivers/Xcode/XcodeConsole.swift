// Reads the output of xcodebuild while tests run. XCTest:
//   Test Suite 'CartTests' started at 2026-…
//   Test Case '-[App.CartTests testEmpty]' started.
//   /path/File.swift:12: error: -[App.CartTests testEmpty] : XCTAssertTrue failed - why
//   /path/File.swift:12: -[App.CartTests testEmpty] : Test skipped - why
//   Test Case '-[App.CartTests testEmpty]' passed (0.123 seconds).          | failed | skipped
//   Test case 'CartTests.testEmpty()' passed on 'Clone 1 of …' (0.123 seconds)
//   Restarting after unexpected exit, crash, or test timeout in -[CartTests testEmpty]; summary …
// Swift Testing: SwiftTestingLine.swift.
// A test may print anything in between, so a line counts only if it names a test of the launch. The
// result bundle has more; the console has it at once, and even if the bundle is lost.
import FarmCore

/// An event that a line of the console reports.
enum XcodeEvent: Equatable, Sendable {
    /// A suite or a test has started: Xcode has reached the tests.
    case began
    case started(TestID)
    case ended(TestID, TestEnding, seconds: Double, output: String, failures: [TestFailure])
    /// The test no longer runs, and the console has not shown its ending: the result bundle has it.
    case left(TestID)
    /// The process of the tests has died and starts again; the test is the one that the line names,
    /// or `nil`.
    case crashed(TestID?)
    case signature(FailureSignature)
}

/// Reads the console of one launch.
struct XcodeConsole: Sendable {
    private static let continuationLinesMax = 20

    private let names: XcodeNames
    private var running: [TestID] = []
    /// The running test of XCTest, which runs one after the other, or `nil` if none runs.
    private var runningCase: TestID?
    private var ended: Set<TestID> = []
    private var suite: String?
    private var failures: [TestID: [TestFailure]] = [:]
    private var skipReasons: [TestID: String] = [:]
    private var continued: TestID?
    private var continuation = 0
    /// An issue of Swift Testing whose text may go on in the next lines, or `nil` if there is none.
    private var openIssue: OpenIssue?
    private var output = OutputTail()
    /// The lines that look like a test's and were not understood: their number, and the first of
    /// them.
    private(set) var strangeLines: (count: Int, first: String) = (0, "")

    private struct OpenIssue {
        var test: TestID
        var hasPlace: Bool
        var linesLeft = XcodeConsole.continuationLinesMax
    }

    init(_ names: XcodeNames) { self.names = names }

    /// Returns the events of one line, given without its end.
    mutating func feed(_ line: String) -> [XcodeEvent] {
        if let events = testCase(line) ?? swiftTesting(line) { return events }
        if let events = suite(line) { return events }
        if let signature = FailureSignature.met(by: line) {
            guard signature.action == .blame else {
                note(line)
                return [.signature(signature)]
            }
            return [crash(line)]
        }
        if !continueIssue(line) { note(line) }
        return []
    }

    /// Reads a line about XCTest's suites: once the next one starts or the last one ends, no test
    /// of XCTest runs.
    private mutating func suite(_ line: String) -> [XcodeEvent]? {
        guard line.hasPrefix("Test Suite '") || line.hasPrefix("Test suite '") else { return nil }
        guard line.contains("' started ") else {
            return line.contains("' passed at ") || line.contains("' failed at ")
                ? [leaveCase()].compactMap { $0 } : nil
        }
        return [leaveCase(), .began].compactMap { $0 }
    }

    /// Ends the test of XCTest that still counts as running, if any: its end was in a line that was
    /// not understood.
    private mutating func leaveCase() -> XcodeEvent? {
        guard let test = runningCase else { return nil }
        runningCase = nil
        running.removeAll { $0 == test }
        return .left(test)
    }

    // MARK: XCTest

    private mutating func testCase(_ line: String) -> [XcodeEvent]? {
        for lead in ["Test Case '", "Test case '"] {
            guard let range = line.ranges(of: lead).last else { continue }
            let rest = line[range.upperBound...]
            guard let quote = rest.firstIndex(of: "'") else { continue }
            let tail = rest[rest.index(after: quote)...]
            let end = Self.ending(tail)
            guard end != nil || tail.hasPrefix(" started") else {
                if line.hasPrefix(lead) { countStrange(line) }
                continue
            }
            guard let test = names.test(console: rest[..<quote]) else {
                countStrange(line)
                continue
            }
            if let end { return [finish(test, end.word, end.seconds)] }
            let left = test == runningCase ? nil : leaveCase()
            runningCase = test
            return [left].compactMap { $0 } + start(test)
        }
        return nil
    }

    private mutating func countStrange(_ line: String) {
        if strangeLines.count == 0 { strangeLines.first = line }
        strangeLines.count += 1
    }

    /// Returns word and seconds, or `nil`: `passed` and 0.123 for ` passed (0.123 seconds).` and `
    /// passed on 'iPhone' (0.123 seconds)`.
    private static func ending(_ tail: Substring) -> (word: Substring, seconds: Double)? {
        guard let word = tail.split(separator: " ", maxSplits: 1).first,
            ["passed", "failed", "skipped"].contains(word),
            let open = tail.lastIndex(of: "("),
            let number = tail[tail.index(after: open)...].split(separator: " ").first
        else { return nil }
        return (word, Double(number) ?? 0)
    }

    private mutating func crash(_ line: String) -> XcodeEvent {
        let named = line.ranges(of: " in ").last.flatMap { range -> TestID? in
            let rest = line[range.upperBound...]
            let name = rest.firstIndex(of: ";").map { rest[..<$0] } ?? rest
            return names.test(console: name)
        }
        let culprit = named ?? (running.count == 1 ? running[0] : nil)
        if let culprit { ended.insert(culprit) }
        running = []
        runningCase = nil
        return .crashed(culprit)
    }

    // MARK: Swift Testing

    private mutating func swiftTesting(_ line: String) -> [XcodeEvent]? {
        guard let found = SwiftTestingLine.read(line, test: { function($0) }) else {
            if SwiftTestingLine.looksLikeTest(line) { countStrange(line) }
            return nil
        }
        openIssue = nil
        switch (found.sentence, found.test) {
        case (.started, let test?): return start(test)
        case (.issue(let text, let hasPlace), let test?):
            failures[test, default: []].append(TestFailure(text))
            openIssue = OpenIssue(test: test, hasPlace: hasPlace)
            continued = nil
            return []
        case (.ended(let word, let seconds, let reason), let test?):
            if word == "skipped" { skipReasons[test] = reason }
            return [finish(test, word, seconds)]
        case (.suiteStarted(let name), _): suite = name
        case (.runEnded, _):
            let left = running.filter { $0 != runningCase }
            running.removeAll { left.contains($0) }
            return left.map(XcodeEvent.left)
        default: break
        }
        return [.began]
    }

    /// Takes a line that belongs to the issue above it: the rest of an argument before the issue's
    /// place, or a comment.
    ///
    /// - Returns: Whether the line is one.
    private mutating func continueIssue(_ line: String) -> Bool {
        guard let issue = openIssue, let last = failures[issue.test]?.indices.last else {
            return false
        }
        if !issue.hasPlace, issue.linesLeft > 0 {
            openIssue?.linesLeft -= 1
            guard let text = SwiftTestingLine.placed(line) else { return true }
            failures[issue.test]?[last].message = text
            openIssue?.hasPlace = true
            return true
        }
        guard let text = SwiftTestingLine.detail(line) else {
            openIssue = nil
            return false
        }
        // "Issue recorded" explains nothing; the comment below it is the test's own text.
        if failures[issue.test]?[last].message.hasSuffix(": Issue recorded") == true {
            failures[issue.test]?[last].message.removeLast("Issue recorded".count)
            failures[issue.test]?[last].message += text
        } else {
            failures[issue.test]?[last].detail += text + "\n"
        }
        return true
    }

    /// Returns the test of the launch with a function's name, or `nil` if there is none.
    ///
    /// Swift Testing names no suite, so the suite that started last decides between equals.
    private func function(_ name: Substring) -> TestID? {
        let found = names.tests(function: name)
        if found.count <= 1 { return found.first }
        let inSuite = found.filter { XcodeTestName($0).suites.last == suite }
        return (inSuite.isEmpty ? found : inSuite).first { !ended.contains($0) }
    }

    // MARK: what it adds up to

    private mutating func start(_ test: TestID) -> [XcodeEvent] {
        guard !running.contains(test) else { return [] }
        running.append(test)
        // Another plan configuration may run the test once more; the failures then add up.
        continued = nil
        if running.count == 1 { output = OutputTail() }
        return [.began, .started(test)]
    }

    private mutating func finish(
        _ test: TestID,
        _ word: some StringProtocol,
        _ seconds: Double
    ) -> XcodeEvent {
        running.removeAll { $0 == test }
        if runningCase == test { runningCase = nil }
        ended.insert(test)
        continued = nil
        var told: [TestFailure] = []
        told.add(failures.removeValue(forKey: test) ?? [])
        let ending: TestEnding =
            switch String(word) {
            case "passed": .passed
            case "skipped": .skipped(skipReasons[test] ?? "")
            default:
                .failed(told.isEmpty ? "failed" : told.map(\.message).joined(separator: "\n"))
            }
        let isBad = if case .failed = ending { true } else { false }
        return .ended(
            test,
            ending,
            seconds: seconds,
            // The output of tests in parallel is mixed.
            output: running.isEmpty ? output.text : "",
            failures: isBad ? (told.isEmpty ? [TestFailure("failed")] : told) : []
        )
    }

    private mutating func note(_ line: String) {
        output.append(Array((line + "\n").utf8))
        if let range = line.firstRange(of: ": error: "),
            let colon = line[range.upperBound...].firstRange(of: " : "),
            let test = names.test(console: line[range.upperBound..<colon.lowerBound])
        {
            let place = line[..<range.lowerBound].split(separator: "/").last ?? ""
            let text = "\(place.hasPrefix("<") ? "" : "\(place): ")\(line[colon.upperBound...])"
            failures[test, default: []].append(TestFailure(text))
            (continued, continuation) = (test, Self.continuationLinesMax)
        } else if let range = line.firstRange(of: " : Test skipped"),
            let start = line[..<range.lowerBound].firstRange(of: ": -["),
            let test = names.test(
                console: line[line.index(start.lowerBound, offsetBy: 2)..<range.lowerBound]
            )
        {
            let reason = line[range.upperBound...]
            skipReasons[test] = String(reason.hasPrefix(" - ") ? reason.dropFirst(3) : reason)
        } else if let test = continued, continuation > 0, var told = failures[test],
            let last = told.indices.last
        {
            // A message may have more lines; they look like any other output of the test.
            told[last].detail += line + "\n"
            failures[test] = told
            continuation -= 1
        }
    }
}
