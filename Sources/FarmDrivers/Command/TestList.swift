// Reads the list of test cases that a job's `discover` prints: one per line, UTF-8. No line is
// skipped: each is a test case, blank, pytest's total at the end, or an error.
import FarmCore
import Foundation

/// Parses the output of `discover`.
package enum TestList {
    /// Returns the test cases in order, without blank lines and without spaces at both ends.
    ///
    /// - Throws: ``DriverError`` for a line that is not UTF-8, too long or contains control
    ///   characters, for test cases listed twice, and for a total that does not match.
    package static func parse(_ bytes: [UInt8]) throws(DriverError) -> [TestID] {
        var tests = try lines(bytes)
        if let last = tests.last, let total = pytestTotal(last.text) {
            tests.removeLast()
            guard tests.count == total else {
                throw .listIncomplete(total: last.text, listed: tests.count)
            }
        }
        return try unique(tests)
    }

    /// Returns the number of tests in the last line of `pytest --collect-only -q`, or `nil` for any
    /// other line.
    ///
    /// Such a line is `12 tests collected in 0.03s` or `12/15 tests collected (3 deselected) in
    /// 0.03s`.
    private static func pytestTotal(_ line: String) -> Int? {
        let form = /(\d+)(?:\/\d+)? tests? collected(?: \(\d+ deselected\))? in [\d.]+s(?: \(.+\))?/
        return line.wholeMatch(of: form).flatMap { Int($0.1) }
    }

    private static func lines(_ bytes: [UInt8]) throws(DriverError) -> [TestID] {
        var tests: [TestID] = []
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false)
            .enumerated()
        {
            if let name = plain(line) {
                tests.append(TestID(name))
                continue
            }
            let name = String(validating: line, as: UTF8.self)?
                .trimmingCharacters(in: .whitespacesAndNewlines)
            if name?.isEmpty == true { continue }
            if let fault = fault(of: name) {
                let text = DriverError.shown(line)
                throw .testUnusable(line: index + 1, text: text, reason: fault)
            }
            tests.append(TestID((name ?? "").inNormalForm))
        }
        return tests
    }

    /// Returns the reason why a line cannot be a test case, or `nil` if it can.
    ///
    /// `name` is `nil` for a line that is not UTF-8.
    private static func fault(of name: String?) -> String? {
        guard let name else { return "is not UTF-8" }
        if name.utf8.count > FarmLimits.testIDBytesMax {
            return "is longer than \(FarmLimits.testIDBytesMax) bytes"
        }
        let isPlain = name.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        return isPlain ? nil : "holds a control character"
    }

    /// Returns the line if it is visible ASCII and not too long, as nearly always; else `nil`.
    ///
    /// There is then nothing to trim, to refuse or to normalise.
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
