// Entries that belong to no single test. A class that is disabled or whose setup fails, and a file
// that cannot be imported, are one entry under their own name, which counts for all their tests.
// Other failed entries of a class show at least what else went wrong there.
import FarmCore
import Foundation

/// The entries of results files that stand for whole classes and files, not for one test.
struct JUnitClasses {
    /// The entries that stand for a whole class or file, by its place.
    private var speaking: [JUnitPlace: [JUnitCase]] = [:]
    private var failedBeside: [JUnitPlace: JUnitCase] = [:]

    private static let causeCharactersMax = 300

    init(_ others: [JUnitCase]) {
        for entry in others {
            let place = JUnitPlace(Self.subject(of: entry))
            guard !place.isEmpty else { continue }
            if speaking[place, default: []].count < FarmLimits.failuresPerTestMax {
                speaking[place, default: []].append(entry)
            }
            guard entry.hasFailed else { continue }
            let owner = JUnitPlace(entry.className.isEmpty ? entry.file : entry.className)
            if failedBeside[owner] == nil { failedBeside[owner] = entry }
        }
    }

    /// Returns the entries of the classes and files that a test is in, the nearest first.
    func entries(around test: TestID) -> [JUnitCase] {
        guard !speaking.isEmpty else { return [] }
        return JUnitPlace(test.text).around.flatMap { speaking[$0] ?? [] }
    }

    /// Returns the probable cause of a missing result, which is the entry that failed nearest to
    /// the test, or `nil` if there is none.
    func cause(for test: TestID) -> String? {
        guard !failedBeside.isEmpty else { return nil }
        let entry = JUnitPlace(test.text).around.lazy.compactMap { failedBeside[$0] }.first
        return entry.map { entry in
            let words = entry.failedText.split(whereSeparator: \.isNewline).first ?? ""
            return "\(entry.shownName) failed: \(words.prefix(Self.causeCharactersMax))"
        }
    }

    // MARK: names

    /// Returns the class or file that an entry is about, or its own name if that may be a test's.
    private static func subject(of entry: JUnitCase) -> String {
        let name = entry.name.trimmingCharacters(in: .whitespaces)
        let owner = entry.className.trimmingCharacters(in: .whitespaces)
        if owner.hasPrefix("unittest.") {
            // `setUpClass (tests.test_x.TestY)` of the class `unittest.suite._ErrorHolder`.
            let inside = name.split(separator: "(").last?.split(separator: ")").first
            return inside.map(String.init) ?? name
        }
        let isOfOwner =
            name.isEmpty || name == owner || hooks.contains(name)
            || owner.hasSuffix(".\(name)") || owner.hasSuffix("$\(name)")
        guard isOfOwner else { return owner.isEmpty ? name : "\(owner).\(name)" }
        return owner.isEmpty ? entry.file : owner
    }

    /// The names under which programs report the failure of a class.
    private static let hooks: Set = [
        "initializationError", "executionError", "classMethod", "beforeAll", "afterAll",
        "setUpClass", "tearDownClass",
    ]
}
