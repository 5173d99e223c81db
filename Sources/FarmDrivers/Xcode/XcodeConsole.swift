// Reads what xcodebuild prints while tests run. XCTest:
//   Test Suite 'CartTests' started at 2026-…
//   Test Case '-[App.CartTests testEmpty]' started.
//   /path/File.swift:12: error: -[App.CartTests testEmpty] : XCTAssertTrue failed - why
//   /path/File.swift:12: -[App.CartTests testEmpty] : Test skipped - why
//   Test Case '-[App.CartTests testEmpty]' passed (0.123 seconds).          | failed | skipped
//   Test case 'CartTests.testEmpty()' passed on 'Clone 1 of …' (0.123 seconds)
//   Restarting after unexpected exit, crash, or test timeout in -[CartTests testEmpty]; summary …
// Swift Testing, behind a sign that differs between systems:
//   ◇ Suite CartSuite started.
//   ◇ Test empty() started.
//   ✘ Test empty() recorded an issue at File.swift:13:22: Expectation failed: …
//   ✘ Test empty() failed after 0.001 seconds with 1 issue.                  | passed | skipped
// A test may print anything in between, so a line counts only when it names a test of the launch.
// The result bundle says more; this says it at once, and also when the bundle is lost.
import FarmCore

/// One thing that a line says.
enum XcodeEvent: Equatable, Sendable {
    /// Something of the tests has started: Xcode got through to them.
    case began
    case started(TestID)
    case ended(TestID, TestEnding, seconds: Double, output: String, failures: [TestFailure])
    /// The process of the tests has died and starts again; nil: nobody knows which test it was.
    case crashed(TestID?)
    case signature(FailureSignature)
}

/// The console of one launch.
struct XcodeConsole: Sendable {
    private static let continuationLinesMax = 20

    private let names: XcodeNames
    private var running: [TestID] = []
    private var ended: Set<TestID> = []
    private var suite: String?
    private var failures: [TestID: [TestFailure]] = [:]
    private var skipReasons: [TestID: String] = [:]
    private var continued: TestID?
    private var continuation = 0
    private var output = OutputTail()

    init(_ names: XcodeNames) { self.names = names }

    /// Takes one line without its end.
    mutating func feed(_ line: String) -> [XcodeEvent] {
        if let events = testCase(line) ?? swiftTesting(line) { return events }
        if line.hasPrefix("Test Suite '"), line.contains("' started at ") { return [.began] }
        if let signature = FailureSignature.met(by: line) {
            guard signature.action == .blame else {
                note(line)
                return [.signature(signature)]
            }
            return [crash(line)]
        }
        note(line)
        return []
    }

    // MARK: XCTest

    private mutating func testCase(_ line: String) -> [XcodeEvent]? {
        for lead in ["Test Case '", "Test case '"] {
            guard let range = line.ranges(of: lead).last else { continue }
            let rest = line[range.upperBound...]
            guard let quote = rest.firstIndex(of: "'"),
                let test = names.test(console: rest[..<quote])
            else { continue }
            let tail = rest[rest.index(after: quote)...]
            if tail.hasPrefix(" started") { return start(test) }
            if let end = Self.ending(tail) { return [finish(test, end.word, end.seconds)] }
        }
        return nil
    }

    /// `passed` and 0.123 of ` passed (0.123 seconds).` and ` passed on 'iPhone' (0.123 seconds)`.
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
        return .crashed(culprit)
    }

    // MARK: Swift Testing

    private mutating func swiftTesting(_ line: String) -> [XcodeEvent]? {
        // A sign of one character, then spaces.
        guard let space = line.firstIndex(of: " "),
            line.distance(from: line.startIndex, to: space) == 1
        else { return nil }
        let text = line[space...].drop { $0 == " " }
        if text.hasPrefix("Suite "), text.hasSuffix(" started.") {
            suite = String(text.dropFirst("Suite ".count).dropLast(" started.".count))
            return [.began]
        }
        guard text.hasPrefix("Test ") else { return nil }
        let rest = text.dropFirst("Test ".count)
        // A display name may hold any of the words, and so may the text of an issue.
        let quoted = rest.hasPrefix("\"") ? rest.dropFirst().firstRange(of: "\" ") : nil
        let tail = rest[(quoted?.lowerBound ?? rest.startIndex)...]
        for word in [" recorded an issue", " started", " passed", " failed", " skipped"] {
            guard let range = tail.firstRange(of: word),
                let test = function(rest[..<range.lowerBound])
            else { continue }
            return events(test, word, rest[range.upperBound...])
        }
        return text.hasPrefix("Test run started") ? [.began] : nil
    }

    private mutating func events(
        _ test: TestID,
        _ word: String,
        _ tail: Substring
    ) -> [XcodeEvent] {
        switch word {
        case " started": return start(test)
        case " recorded an issue":
            let text = tail.firstRange(of: " at ").map { tail[$0.upperBound...] } ?? tail
            failures[test, default: []].append(TestFailure(Self.issue(text)))
            continued = nil
            return []
        case " skipped":
            let reason = tail.drop { ": .\"".contains($0) }
            skipReasons[test] = String(reason.hasSuffix("\"") ? reason.dropLast() : reason)
            return [finish(test, "skipped", 0)]
        default:
            let number = tail.firstRange(of: "after ").flatMap {
                tail[$0.upperBound...].split(separator: " ").first
            }
            let seconds = number.flatMap { Double($0) } ?? 0
            return [finish(test, word.dropFirst(), seconds)]
        }
    }

    /// `File.swift:13: text` of `File.swift:13:22: text`.
    private static func issue(_ text: Substring) -> String {
        let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, Int(parts[1]) != nil, Int(parts[2]) != nil else {
            return String(text)
        }
        return "\(parts[0]):\(parts[1]):\(parts[3])"
    }

    /// Swift Testing names no suite: the one that started last decides between equals.
    private func function(_ name: Substring) -> TestID? {
        let found = names.tests(function: Self.withoutCases(name))
        if found.count <= 1 { return found.first }
        let inSuite = found.filter { XcodeTestName($0).suites.last == suite }
        return (inSuite.isEmpty ? found : inSuite).first { !ended.contains($0) }
    }

    /// `each(_:)` of `each(_:) with 3 test cases`, and a display name whatever it holds.
    private static func withoutCases(_ name: Substring) -> Substring {
        guard name.hasPrefix("\"") else {
            return name.firstRange(of: " with ").map { name[..<$0.lowerBound] } ?? name
        }
        guard !name.hasSuffix("\""), let range = name.ranges(of: "\" with ").last else {
            return name
        }
        return name[...range.lowerBound]
    }

    // MARK: what it adds up to

    private mutating func start(_ test: TestID) -> [XcodeEvent] {
        guard !running.contains(test) else { return [] }
        running.append(test)
        // Another plan configuration runs it once more: its failures add up.
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
        ended.insert(test)
        continued = nil
        let told = failures.removeValue(forKey: test) ?? []
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
            // Nobody can tell whose line is whose while others run.
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
            // A message may have more lines; they cannot be told from what the test prints.
            told[last].detail += line + "\n"
            failures[test] = told
            continuation -= 1
        }
    }
}
