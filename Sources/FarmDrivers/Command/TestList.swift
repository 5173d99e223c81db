// Reads the list of test cases that a job's `discover` prints: one per line, UTF-8.
import FarmCore
import Foundation

/// The output of `discover`.
package enum TestList {
    /// The test cases in order; blank lines are no tests, and spaces at the ends do not count.
    ///
    /// - Throws: ``DriverError`` for a line that is not UTF-8, too long or holds control
    ///   characters, and for test cases that are listed twice.
    package static func parse(_ bytes: [UInt8]) throws(DriverError) -> [TestID] {
        var tests: [TestID] = []
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false)
            .enumerated()
        {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw .testUnusable(line: index + 1, reason: "is not UTF-8")
            }
            let name = trimmed(text)
            if name.isEmpty { continue }
            guard name.utf8.count <= FarmLimits.testIDBytesMax else {
                throw .testUnusable(
                    line: index + 1,
                    reason: "is longer than \(FarmLimits.testIDBytesMax) bytes"
                )
            }
            guard name.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) else {
                throw .testUnusable(line: index + 1, reason: "holds a control character")
            }
            tests.append(TestID(name.inNormalForm))
        }
        return try unique(tests)
    }

    private static func trimmed(_ text: String) -> String {
        // Visible ASCII at both ends, as nearly always: there is nothing to take off.
        let visible = UInt8(0x21)..<0x7F
        if let first = text.utf8.first, let last = text.utf8.last, visible.contains(first),
            visible.contains(last)
        {
            return text
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func unique(_ tests: [TestID]) throws(DriverError) -> [TestID] {
        var seen: Set<TestID> = []
        var twice: [TestID] = []
        for test in tests where !seen.insert(test).inserted { twice.append(test) }
        guard twice.isEmpty else { throw .duplicateTests(Set(twice).sorted().map(\.text)) }
        return tests
    }
}
