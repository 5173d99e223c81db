// The results of a launch's tests in a result bundle, in the form of any Xcode.
import FarmCore
import Foundation

/// One run of a test case, from a result bundle.
struct BundleResult: Equatable, Sendable {
    var test: TestID
    var ending: TestEnding
    var seconds: Double
    var failures: [TestFailure]
    /// The failure of an earlier repetition of a test that passed in the end, or `nil` if there is
    /// none.
    var earlierFailure: String?

    /// Adds another run of the same test; the worse ending counts, unless `hasSucceeded`.
    fileprivate mutating func add(_ other: BundleResult, hasSucceeded: Bool) {
        seconds += other.seconds
        earlierFailure = earlierFailure ?? other.earlierFailure
        switch (ending, other.ending) {
        case (.failed(let text), .passed) where hasSucceeded,
            (.passed, .failed(let text)) where hasSucceeded:
            ending = .passed
            failures = []
            earlierFailure = text
        default:
            ending = ending.worse(than: other.ending)
            failures.add(other.failures)
        }
    }
}

/// The results of one bundle.
struct BundleResults: Equatable, Sendable {
    /// The runs of tests; a test that ran more than once (repetitions, plan configurations) has
    /// several.
    var results: [BundleResult] = []
    /// Failures outside of any test of the launch.
    var outsideTests: [String] = []
    /// The display names of the tests that have one.
    var titles: [TestID: String] = [:]
    /// Whether Xcode reports that the launch succeeded: a test that failed then passed when its
    /// plan ran it again.
    var hasSucceeded = false

    /// The result of each test, with the worst of its endings and all of its failures.
    var byTest: [TestID: BundleResult] {
        results.reduce(into: [:]) { found, result in
            found[result.test]?.add(result, hasSucceeded: hasSucceeded)
            if found[result.test] == nil { found[result.test] = result }
        }
    }

    /// Returns the ending for a result word, or `nil` if the word is unknown.
    static func ending(_ word: String, _ messages: [String]) -> TestEnding? {
        switch word {
        case "Passed", "Success", "Expected Failure": .passed
        case "Skipped": .skipped(skipReason(messages))
        case "Failed", "Failure":
            .failed(messages.isEmpty ? "failed" : messages.joined(separator: "\n"))
        default: nil
        }
    }

    private static func skipReason(_ messages: [String]) -> String {
        guard let first = messages.first else { return "" }
        for lead in ["Test skipped - ", "Test skipped: "] {
            if let range = first.firstRange(of: lead) { return String(first[range.upperBound...]) }
        }
        if first.hasPrefix("Test '"), let range = first.firstRange(of: "' skipped: ") {
            return String(first[range.upperBound...])
        }
        return first
    }
}

extension [TestFailure] {
    /// Appends the failures that are not there yet: a repetition repeats messages.
    mutating func add(_ more: [TestFailure]) {
        var seen = Set(map(\.message))
        for failure in more where seen.insert(failure.message).inserted { append(failure) }
    }
}

/// The tree of `xcresulttool get test-results tests` (Xcode 16 and later).
struct ResultTree: Decodable {
    struct Node: Decodable {
        var name: String
        var nodeType: String
        var nodeIdentifier: String?
        var result: String?
        /// The duration in the form of the machine's language, such as `0,5s`.
        var duration: String?
        var durationInSeconds: Double?
        var children: [Node]?
    }
    var testNodes: [Node]

    /// Returns the results in a tree that xcresulttool has printed as JSON.
    ///
    /// - Throws: `XcodeError.resultsUnreadable` for a text that is no such tree.
    static func results(_ json: Data, _ names: XcodeNames) throws(XcodeError) -> BundleResults {
        guard let tree = try? JSONDecoder().decode(ResultTree.self, from: json) else {
            throw .resultsUnreadable
        }
        var results = BundleResults()
        for node in tree.testNodes { visit(node, target: "", names, into: &results) }
        return results
    }

    private static func visit(
        _ node: Node,
        target: String,
        _ names: XcodeNames,
        into results: inout BundleResults
    ) {
        let isBundle = node.nodeType.hasSuffix("test bundle")
        let target = isBundle ? node.name : target
        if node.nodeType == "Test Case", let path = node.nodeIdentifier,
            let test = names.test(target: target, path: path)
        {
            results.results += runs(of: node, test)
            let function = XcodeTestName.plain(XcodeTestName(test).function)
            if XcodeTestName.plain(node.name) != function { results.titles[test] = node.name }
            return
        }
        // Messages below a test of another launch are kept, but belong to no test.
        if node.nodeType == "Failure Message" { results.outsideTests.append(node.name) }
        for child in node.children ?? [] {
            visit(child, target: target, names, into: &results)
        }
    }

    /// Returns the run of a test in an array, which is empty if the tree has no ending that is
    /// known.
    ///
    /// Between the test and its messages there may be devices, repetitions and arguments.
    private static func runs(of node: Node, _ test: TestID) -> [BundleResult] {
        let messages = self.messages(below: node)
        guard let ending = BundleResults.ending(node.result ?? "", messages) else { return [] }
        let failures: [TestFailure] =
            if case .failed(let text) = ending {
                messages.isEmpty ? [TestFailure(text)] : messages.map { TestFailure($0) }
            } else { [] }
        return [
            BundleResult(
                test: test,
                ending: ending,
                seconds: node.durationInSeconds ?? self.seconds(node.duration),
                failures: failures,
                earlierFailure: ending == .passed ? earlierFailure(below: node) : nil
            )
        ]
    }

    /// Returns the messages of a passed test's failed repetitions, or `nil` if none failed.
    private static func earlierFailure(below node: Node) -> String? {
        let failed = repetitions(below: node).filter { $0.result == "Failed" }
        guard !failed.isEmpty else { return nil }
        let own = failed.flatMap { messages(below: $0) }
        let said = own.isEmpty ? messages(below: node) : own
        return said.isEmpty ? "failed" : said.joined(separator: "\n")
    }

    /// Returns the nodes of all repetitions below a node, on each device and for each argument.
    private static func repetitions(below node: Node) -> [Node] {
        (node.children ?? []).flatMap { child in
            child.nodeType == "Repetition" ? [child] : repetitions(below: child)
        }
    }

    /// Returns the failure messages below a node, each once: repetitions and devices repeat them.
    private static func messages(below node: Node) -> [String] {
        var seen: Set<String> = []
        return (node.children ?? []).flatMap { child in
            child.nodeType == "Failure Message" ? [text(of: child)] : messages(below: child)
        }
        .filter { seen.insert($0).inserted }
    }

    /// Returns a failure message with its place in the source, which is in the message or in a node
    /// below it.
    private static func text(of message: Node) -> String {
        let place = (message.children ?? []).first { $0.nodeType == "Source Code Reference" }?.name
        guard let place, !message.name.hasPrefix(place) else { return message.name }
        return "\(place): \(message.name)"
    }

    /// Returns the seconds of a duration such as `0.5s`, `0,5s` and `4m 34s`.
    static func seconds(_ duration: String?) -> Double {
        (duration ?? "").split(separator: " ").reduce(0) { sum, part in
            let digits = part.prefix { $0.isNumber || $0 == "." || $0 == "," }
            let number = Double(digits.replacing(",", with: ".")) ?? 0
            return switch part.dropFirst(digits.count) {
            case "h": sum + number * 3_600
            case "m", "min": sum + number * 60
            case "ms": sum + number / 1_000
            default: sum + number
            }
        }
    }
}
