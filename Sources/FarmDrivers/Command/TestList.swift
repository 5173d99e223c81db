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
            if let name = plain(line) {
                tests.append(TestID(name))
                continue
            }
            guard let text = String(validating: line, as: UTF8.self) else {
                throw .testUnusable(line: index + 1, reason: "is not UTF-8")
            }
            let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
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

    /// The line as it is when it is visible ASCII and not too long, as nearly always: there is
    /// nothing to take off, to refuse or to compose.
    private static func plain(_ line: ArraySlice<UInt8>) -> String? {
        guard line.count <= FarmLimits.testIDBytesMax, let first = line.first,
            let last = line.last, first != 0x20, last != 0x20,
            line.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { return nil }
        return String(decoding: line, as: UTF8.self)
    }

    private static func unique(_ tests: [TestID]) throws(DriverError) -> [TestID] {
        var seen: Set<TestID> = []
        var twice: [TestID] = []
        for test in tests where !seen.insert(test).inserted { twice.append(test) }
        guard twice.isEmpty else { throw .duplicateTests(Set(twice).sorted().map(\.text)) }
        return tests
    }
}
