// Finds the test case a JUnit entry speaks of. Programs list their tests in one spelling and
// report them in another; every spelling that is in use is tried, the most specific first.
import FarmCore

/// JUnit entries and leased tests.
package enum JUnitMatch {
    /// The entries of each leased test, in the file's order; nil where `mayGoOn` ended the search.
    ///
    /// Entries of other tests are left out.
    package static func assign(
        _ cases: [JUnitCase],
        to leased: [TestID],
        while mayGoOn: () -> Bool
    ) -> [TestID: [JUnitCase]]? {
        let wanted = Set(leased)
        // A spelling puts its sign into every name it makes; most leases have one kind of name.
        let spellings = spellings.filter { spelling in
            guard let sign = spelling.sign else { return true }
            return leased.contains { $0.text.utf8.contains(sign) }
        }
        var found: [TestID: [JUnitCase]] = [:]
        for (index, entry) in cases.enumerated() {
            guard index % casesBetweenLooks != 0 || mayGoOn() else { return nil }
            for spelling in spellings {
                guard let test = spelling.names(entry).first(where: { wanted.contains($0) }) else {
                    continue
                }
                found[test, default: []].append(entry)
                break
            }
        }
        return found
    }

    /// Cases between two looks at whether to go on: the longest names take a millisecond each.
    private static let casesBetweenLooks = 64

    /// What the test of an entry may be called, the most specific first.
    ///
    /// Made one after another, because the first few decide nearly always.
    private static let spellings = [
        Spelling(sign: UInt8(ascii: ".")) { owned($0, ".") },
        Spelling(sign: UInt8(ascii: ":")) { owned($0, "::") },
        Spelling(sign: UInt8(ascii: "/")) { owned($0, "/") },
        Spelling(sign: UInt8(ascii: ":")) {
            $0.className.isEmpty ? [] : ids(pytest(owner: $0.className, name: $0.name))
        },
        Spelling(sign: UInt8(ascii: ":")) { entry in
            guard !entry.file.isEmpty else { return [] }
            let classes = pytest(file: entry.file, owner: entry.className, name: entry.name)
            return ids(["\(entry.file)::\(entry.name)"] + classes)
        },
        Spelling(sign: nil) { [TestID($0.name)] },
    ]

    /// One way to make a test's name of an entry.
    private struct Spelling: Sendable {
        /// A byte of every name made so.
        var sign: UInt8?
        var names: @Sendable (JUnitCase) -> [TestID]
    }

    private static func owned(_ entry: JUnitCase, _ separator: String) -> [TestID] {
        entry.className.isEmpty ? [] : [TestID(entry.className + separator + entry.name)]
    }

    private static func ids(_ texts: [String]) -> [TestID] { texts.map { TestID($0) } }

    /// pytest reports `tests.test_x.TestY` and `test_a[1]` for `tests/test_x.py::TestY::test_a[1]`
    /// and does not say where the file ends and the classes begin.
    private static func pytest(owner: String, name: String) -> [String] {
        let parts = names(owner, between: UInt8(ascii: "."))
        guard parts.count <= 64 else { return [] }
        return (1..<max(2, parts.count + 1)).reversed().compactMap { count in
            guard count <= parts.count else { return nil }
            let file = parts[..<count].joined(separator: "/") + ".py"
            return ([file] + parts[count...] + [name]).joined(separator: "::")
        }
    }

    private static func names(_ text: some StringProtocol, between sign: UInt8) -> [String] {
        text.parts(between: sign).filter { !$0.isEmpty }
    }

    /// With the `file` attribute (junit_family=xunit1) the classes are what the owner has more.
    private static func pytest(file: String, owner: String, name: String) -> [String] {
        guard file.utf8.suffix(3).elementsEqual(".py".utf8) else { return [] }
        let path = String(decoding: file.utf8.dropLast(3), as: UTF8.self)
        let module = names(path, between: UInt8(ascii: "/")).joined(separator: ".") + "."
        guard owner.utf8.starts(with: module.utf8) else { return [] }
        let rest = String(decoding: owner.utf8.dropFirst(module.utf8.count), as: UTF8.self)
        let classes = names(rest, between: UInt8(ascii: "."))
        return [([file] + classes + [name]).joined(separator: "::")]
    }

    /// The result of one test from all its entries (parameters, reruns): the worst counts, and a
    /// test is skipped only when nothing of it ran.
    package static func result(of test: TestID, _ entries: [JUnitCase]) -> TestResult {
        var failures: [UInt8] = []
        var failed = 0
        var told: [TestFailure] = []
        var skips = 0
        for entry in entries {
            switch entry.ending {
            case .passed: break
            case .failed(let text):
                failed += 1
                told += entry.failures.isEmpty ? [TestFailure(text)] : entry.failures
                guard failures.count < FarmLimits.resultOutputBytesMax else { continue }
                if failed > 1 { failures.append(UInt8(ascii: "\n")) }
                failures += text.utf8
            case .skipped: skips += 1
            }
        }
        failures.cut(toBytes: FarmLimits.resultOutputBytesMax)
        let ending: TestEnding =
            if failed > 0 {
                .failed(String(decoding: failures, as: UTF8.self))
            } else if skips == entries.count, case .skipped(let reason) = entries.first?.ending {
                .skipped(reason)
            } else {
                .passed
            }
        let output = OutputTail()
        for entry in entries { output.append(entry.output.utf8) }
        return TestResult(
            test: test,
            ending: ending,
            seconds: entries.reduce(0) { $0 + $1.seconds },
            failures: told,
            output: output.text
        )
    }
}
