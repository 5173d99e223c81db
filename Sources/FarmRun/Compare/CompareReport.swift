// The standard output of a comparison: lines for people, one JSON document, or one JSON answer for
// each request. Rows are written as they come, so memory does not grow with the list.
import FarmCore
import Foundation

/// Buffered standard output that throws if a write fails.
struct OutputChannel {
    private static let roomBytes = 64 << 10
    private var bytes: [UInt8] = []

    mutating func print(_ text: String) throws(CompareError) {
        bytes += text.utf8
        if bytes.count >= Self.roomBytes { try flush() }
    }

    mutating func flush() throws(CompareError) {
        var done = 0
        while done < bytes.count {
            let wrote = bytes.withUnsafeBytes { buffer in
                write(STDOUT_FILENO, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if wrote < 0, errno == EINTR { continue }
            guard wrote > 0 else { throw .writing("standard output") }
            done += wrote
        }
        bytes.removeAll(keepingCapacity: true)
    }

    var isEmpty: Bool { bytes.isEmpty }
}

/// The output format of a comparison.
package enum CompareFormat: Sendable {
    /// A line for each pair that does not match, and a line with the totals.
    case text
    /// A single JSON document with all pairs.
    case json
    /// A JSON document for each pair.
    case answers
    /// Only the totals; broken pairs go to standard error.
    case quiet
    /// Nothing: the caller prints a result of its own.
    case silent
}

/// Prints the findings of a comparison.
struct CompareReport {
    let format: CompareFormat
    let listsAll: Bool
    let origin: PicturePair.Origin
    private var output = OutputChannel()
    private var hasRows = false
    private let encoder = JSONEncoder()

    init(format: CompareFormat, listsAll: Bool, origin: PicturePair.Origin) {
        self.format = format
        self.listsAll = listsAll
        self.origin = origin
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Whether printed output is still waiting in the buffer.
    var isWaiting: Bool { !output.isEmpty }

    mutating func begin(policy: ComparisonPolicy) throws {
        guard format == .json else { return }
        try output.print(
            "{\n  \"schemaVersion\": 1,\n  \"policy\": \(try json(policy.name.rawValue)),\n  \"pairs\": ["
        )
    }

    mutating func add(_ finding: Finding) throws {
        switch format {
        case .text:
            guard listsAll || !finding.verdict.matches else { return }
            try output.print(finding.line + "\n")
        case .json:
            guard listsAll || !finding.verdict.isIdentical else { return }
            try output.print((hasRows ? ",\n    " : "\n    ") + (try row(finding)))
            hasRows = true
        case .answers:
            try output.print(try row(finding) + "\n")
            try output.flush()
        case .silent: return
        case .quiet:
            if finding.verdict == .broken { Console.say(finding.line) }
        }
    }

    mutating func end(
        _ totals: CompareTotals,
        neverAccepted: Int,
        others: OtherNames
    ) throws {
        switch format {
        case .text, .quiet:
            try output.print(totals.words(neverAccepted: neverAccepted) + "\n")
        case .json:
            try output.print(
                (hasRows ? "\n  ],\n" : "],\n")
                    + "  \"others\": \(try json(others)),\n  \"totals\": \(try json(totals)),\n"
                    + "  \"exitCode\": \(totals.exit.rawValue)\n}\n"
            )
        case .answers, .silent: break
        }
        try output.flush()
    }

    mutating func flush() throws { try output.flush() }

    private func row(_ finding: Finding) throws -> String {
        try json(
            FindingRow(finding: finding, origin: origin, isAnswer: format == .answers)
        )
    }

    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
