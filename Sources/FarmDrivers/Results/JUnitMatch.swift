// Finds the test case a JUnit entry speaks of. Programs list their tests in one spelling and
// report them in another; every spelling that is in use is tried, the most specific first. What runs
// below a test (parameters, repetitions, subtests) is reported under a longer name and is the test's.
import FarmCore
import Foundation

/// JUnit entries and the leased tests that they belong to.
package struct JUnitShares: Hashable, Sendable {
    /// The entries of each leased test, in the file's order.
    package var entries: [TestID: [JUnitCase]] = [:]
    /// Those with entries of parts only: parameters, or the tests of a class that was leased as one.
    package var inParts: Set<TestID> = []
    /// Entries of no leased test that did not pass: of other tests, or of a whole class.
    package var others: [JUnitCase] = []
}

/// JUnit entries and leased tests.
package enum JUnitMatch {
    /// Nil where `mayGoOn` ended the search.
    package static func assign(
        _ cases: [JUnitCase],
        to leased: [TestID],
        while mayGoOn: () -> Bool
    ) -> JUnitShares? {
        let wanted = Set(leased)
        // A spelling puts its sign into every name it makes; most leases have one kind of name.
        let spellings = spellings.filter { spelling in
            guard let sign = spelling.sign else { return true }
            return leased.contains { $0.text.utf8.contains(sign) }
        }
        var found = JUnitShares()
        var named: Set<TestID> = []
        lazy var classes = LeasedClasses(leased)
        for (index, entry) in cases.enumerated() {
            guard index % casesBetweenLooks != 0 || mayGoOn() else { return nil }
            if let test = test(of: entry, among: wanted, spellings) {
                found.entries[test, default: []].append(entry)
                named.insert(test)
            } else if let test = above(entry, among: wanted, spellings) ?? classes.owner(of: entry)
            {
                found.entries[test, default: []].append(entry)
                found.inParts.insert(test)
            } else if entry.ending != .passed {
                found.others.append(entry)
            }
        }
        found.inParts.subtract(named)
        return found
    }

    /// Cases between two looks at whether to go on: the longest names take milliseconds each.
    private static let casesBetweenLooks = 8

    private static func test(
        of entry: JUnitCase,
        among wanted: Set<TestID>,
        _ spellings: [Spelling]
    ) -> TestID? {
        spellings.lazy.compactMap { $0.names(entry).first { wanted.contains($0) } }.first
    }

    private static func above(
        _ entry: JUnitCase,
        among wanted: Set<TestID>,
        _ spellings: [Spelling]
    ) -> TestID? {
        shorter(entry.name).lazy.compactMap { name in
            var part = entry
            part.name = name
            return test(of: part, among: wanted, spellings)
        }.first
    }

    /// The names that a name is below, the longest first: `test{File}[1]` is a run of `test`.
    private static func shorter(_ name: String) -> [String] {
        let bytes = Array(name.utf8)
        let ends = bytes.indices.dropFirst().lazy.filter { index in
            // A word and a bracket apart are a name that a person wrote.
            bytes[index - 1] != UInt8(ascii: " ") && "[({/".utf8.contains(bytes[index])
        }
        return ends.prefix(endsMax).reversed().map { String(decoding: bytes[..<$0], as: UTF8.self) }
    }

    /// Brackets of a name that are looked at; JUnit 5 writes two pairs.
    private static let endsMax = 8

    /// Names that the test of an entry may have, the most specific first.
    ///
    /// Made one after another, because the first few decide nearly always.
    private static let spellings = [
        Spelling(sign: UInt8(ascii: ".")) { owned($0, ".") },
        Spelling(sign: UInt8(ascii: ":")) { owned($0, "::") },
        Spelling(sign: UInt8(ascii: "/")) { owned($0, "/") },
        Spelling(sign: UInt8(ascii: "#")) { owned($0, "#") },
        Spelling(sign: UInt8(ascii: ":")) {
            $0.className.isEmpty ? [] : ids(pytest(owner: $0.className, name: $0.name))
        },
        Spelling(sign: UInt8(ascii: ":")) { entry in
            guard !entry.file.isEmpty else { return [] }
            let classes = pytest(file: entry.file, owner: entry.className, name: entry.name)
            return ids(["\(entry.file)::\(entry.name)"] + classes)
        },
        Spelling(sign: nil) { ids([$0.name]) },
    ]

    /// One way to make a test's name of an entry.
    private struct Spelling: Sendable {
        /// A byte of every name made so.
        var sign: UInt8?
        var names: @Sendable (JUnitCase) -> [TestID]
    }

    private static func owned(_ entry: JUnitCase, _ separator: String) -> [TestID] {
        entry.className.isEmpty ? [] : ids([entry.className + separator + entry.name])
    }

    /// Without spaces at their ends, as a list of tests is read.
    private static func ids(_ texts: [String]) -> [TestID] {
        texts.map { text in
            let ends = [text.utf8.first, text.utf8.last].compactMap(\.self)
            let isPlain = ends.allSatisfy { (0x21..<0x7F).contains($0) }
            return TestID(isPlain ? text : text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

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
}

/// Leased tests that are classes or files with tests of their own.
private struct LeasedClasses {
    private var tests: [JUnitPlace: TestID] = [:]
    /// Entries of one class come one after another.
    private var last: (className: String, file: String, owner: TestID?)?

    init(_ leased: [TestID]) {
        for test in leased {
            let place = JUnitPlace(test.text)
            if !place.isEmpty { tests[place] = test }
        }
    }

    mutating func owner(of entry: JUnitCase) -> TestID? {
        if let last, last.className == entry.className, last.file == entry.file {
            return last.owner
        }
        let place = JUnitPlace(entry.className)
        let places = [place] + place.around + [JUnitPlace(entry.file)]
        let owner = places.compactMap { tests[$0] }.first
        last = (entry.className, entry.file, owner)
        return owner
    }
}
