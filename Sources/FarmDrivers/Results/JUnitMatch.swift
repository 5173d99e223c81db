// Finds the test case that a JUnit entry belongs to. Programs list their tests in one spelling and
// report them in another; every spelling in use is tried, the most specific first. Parts of a test
// (parameters, repetitions, subtests) are reported under longer names and belong to the test.
import FarmCore
import Foundation

/// The JUnit entries of each leased test, and the entries of no leased test.
package struct JUnitShares: Hashable, Sendable {
    /// The entries of each leased test, in the file's order.
    package var entries: [TestID: [JUnitCase]] = [:]
    /// The tests that have entries only for their parts: parameters, or the tests of a class that
    /// was leased as one.
    package var inParts: Set<TestID> = []
    /// The entries that did not pass and belong to no leased test: of other tests, or of a whole
    /// class.
    package var others: [JUnitCase] = []
}

/// Assigns JUnit entries to leased tests.
package enum JUnitMatch {
    /// Returns the entries of each test, or `nil` if `mayGoOn` stopped the search.
    package static func assign(
        _ cases: [JUnitCase],
        to leased: [TestID],
        while mayGoOn: () -> Bool
    ) -> JUnitShares? {
        let wanted = Set(leased)
        // Only spellings whose sign is in the name of a leased test can match, and most leases have
        // one kind of name.
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

    /// The number of cases between two calls of `mayGoOn`; the longest names take milliseconds
    /// each.
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

    /// Returns the shorter names that `name` may extend, the longest first: `test{File}[1]` is a
    /// run of `test`.
    private static func shorter(_ name: String) -> [String] {
        let bytes = Array(name.utf8)
        let ends = bytes.indices.dropFirst().lazy.filter { index in
            // A bracket after a space is part of a name that a person wrote.
            bytes[index - 1] != UInt8(ascii: " ") && "[({/".utf8.contains(bytes[index])
        }
        return ends.prefix(endsMax).reversed().map { String(decoding: bytes[..<$0], as: UTF8.self) }
    }

    /// The most brackets at which a name is cut; JUnit 5 writes two pairs.
    private static let endsMax = 8

    /// The ways to make possible test ids from an entry, the most specific first.
    ///
    /// Names are made one after another, because the first few nearly always decide.
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

    /// One way to make possible test ids from an entry.
    private struct Spelling: Sendable {
        /// A byte that all ids made in this way contain, or `nil` if there is no such byte.
        var sign: UInt8?
        var names: @Sendable (JUnitCase) -> [TestID]
    }

    private static func owned(_ entry: JUnitCase, _ separator: String) -> [TestID] {
        entry.className.isEmpty ? [] : ids([entry.className + separator + entry.name])
    }

    /// Returns the texts as ids without spaces at both ends, like those in a list of tests.
    private static func ids(_ texts: [String]) -> [TestID] {
        texts.map { text in
            let ends = [text.utf8.first, text.utf8.last].compactMap(\.self)
            let isPlain = ends.allSatisfy { (0x21..<0x7F).contains($0) }
            return TestID(isPlain ? text : text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    /// Returns the possible ids of a test that pytest reports.
    ///
    /// pytest reports `tests.test_x.TestY` and `test_a[1]` for `tests/test_x.py::TestY::test_a[1]`,
    /// without the border between the file and its classes.
    private static func pytest(owner: String, name: String) -> [String] {
        let parts = nonEmptyParts(of: owner, separator: UInt8(ascii: "."))
        guard parts.count <= 64 else { return [] }
        return (1..<max(2, parts.count + 1)).reversed().compactMap { count in
            guard count <= parts.count else { return nil }
            let file = parts[..<count].joined(separator: "/") + ".py"
            return ([file] + parts[count...] + [name]).joined(separator: "::")
        }
    }

    private static func nonEmptyParts(of text: some StringProtocol, separator sign: UInt8)
        -> [String]
    {
        text.parts(between: sign).filter { !$0.isEmpty }
    }

    /// Returns the id of a test that pytest reports with the attribute `file`
    /// (junit_family=xunit1), which shows where the classes begin.
    private static func pytest(file: String, owner: String, name: String) -> [String] {
        guard file.utf8.suffix(3).elementsEqual(".py".utf8) else { return [] }
        let path = String(decoding: file.utf8.dropLast(3), as: UTF8.self)
        let module =
            nonEmptyParts(of: path, separator: UInt8(ascii: "/")).joined(separator: ".") + "."
        guard owner.utf8.starts(with: module.utf8) else { return [] }
        let rest = String(decoding: owner.utf8.dropFirst(module.utf8.count), as: UTF8.self)
        let classes = nonEmptyParts(of: rest, separator: UInt8(ascii: "."))
        return [([file] + classes + [name]).joined(separator: "::")]
    }
}

/// The leased tests that are whole classes or files with tests of their own.
private struct LeasedClasses {
    private var tests: [JUnitPlace: TestID] = [:]
    /// The class, the file and the leased owner of the last entry: entries of one class follow each
    /// other.
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
