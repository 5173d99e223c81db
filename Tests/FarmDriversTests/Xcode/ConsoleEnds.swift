// A short form of the endings of tests in a console.
import FarmCore

@testable import FarmDrivers

/// Returns a short text for the ending of each test, followed by the tests that still run.
func consoleEnds(_ lines: [String], _ tests: [String]) -> [String] {
    var console = XcodeConsole(XcodeNames(tests.map { TestID($0) }))
    var running: Set<TestID> = []
    var ends: [String] = []
    for event in lines.flatMap({ console.feed($0) }) {
        switch event {
        case .started(let test): running.insert(test)
        case .left(let test): running.remove(test)
        case .ended(let test, let ending, _, _, let failures):
            running.remove(test)
            let words = failures.map { $0.message + ($0.detail.isEmpty ? "" : "|" + $0.detail) }
            ends.append("\(test.text) \(ending.brief) \(words.joined(separator: ";"))".trimmed)
        default: break
        }
    }
    return ends + running.map { "\($0.text) runs" }.sorted()
}

extension TestEnding {
    /// The ending in one word, with the reason of a skip.
    var brief: String {
        switch self {
        case .failed: "failed"
        case .skipped(let reason): "skipped \(reason)"
        default: text
        }
    }
}

extension String {
    /// The text without spaces and line breaks at its end.
    var trimmed: String { String(reversed().drop { $0 == " " || $0 == "\n" }.reversed()) }
}
