// The titles of a run's suites for people: `Cart` for `App.CartTests`. A title is as short as
// possible while no two suites of the run share it.

/// The titles of a run's suites, by suite.
struct SuiteTitles: Sendable {
    private let titles: [String: String]

    init(_ suites: Set<String>) {
        let bare = Self.withoutShared(suites)
        let named = suites.map { suite in
            Named(suite: suite, forms: Self.forms(of: suite, bare: bare[suite] ?? suite[...]))
        }
        titles = Dictionary(
            uniqueKeysWithValues: Self.apart(named).map { ($0.suite, $0.title) }
        )
    }

    /// Returns a suite's title, or the suite itself if the run lacks it.
    func title(of suite: String) -> String { titles[suite] ?? suite }

    private struct Named {
        let suite: String
        /// The possible titles of the suite, from the shortest to the suite itself.
        let forms: [String]
        var level = 0
        var title: String { forms[level] }
        var isLongest: Bool { level == forms.count - 1 }
    }

    /// Returns the suites with their titles lengthened until all differ or none can be longer.
    private static func apart(_ suites: [Named]) -> [Named] {
        var suites = suites
        while true {
            var count: [String: Int] = [:]
            for suite in suites { count[suite.title, default: 0] += 1 }
            let alike = suites.indices.filter {
                (count[suites[$0].title] ?? 0) > 1 && !suites[$0].isLongest
            }
            guard !alike.isEmpty else { return suites }
            for index in alike { suites[index].level += 1 }
        }
    }

    /// Returns a suite's possible titles, each once: without module and `Tests`, without the
    /// module, and unchanged.
    ///
    /// A test class is recognised by its ending. The text before it is its module, whether or not
    /// other suites have the same module.
    private static func forms(of suite: String, bare: Substring) -> [String] {
        let start = suite.lastIndex(where: isSign).map { suite.index(after: $0) }
        let last = suite[(start ?? suite.startIndex)...]
        let isName = last.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        let isClass = isName && classEndings.contains { last.hasSuffix($0) }
        let base = isClass ? last : bare
        let ending = droppedEndings.first { last.hasSuffix($0) && last.count > $0.count }
        let short = isClass ? base.dropLast(ending?.count ?? 0) : base
        var forms: [String] = []
        for form in [String(short), String(base), suite] where form != forms.last {
            forms.append(form)
        }
        return forms
    }
    private static let classEndings = ["Tests", "TestCase", "Test", "Spec"]
    private static let droppedEndings = ["SnapshotTests", "Tests"]

    /// Returns each suite without the parts that all suites begin with; empty for a single suite.
    private static func withoutShared(_ suites: Set<String>) -> [String: Substring] {
        guard suites.count > 1 else { return [:] }
        var rests = suites.map { (suite: $0, rest: $0[...]) }
        while let module = parts(rests[0].rest)?.head,
            rests.allSatisfy({ parts($0.rest)?.head == module })
        {
            for index in rests.indices {
                rests[index].rest = parts(rests[index].rest)?.tail ?? rests[index].rest
            }
        }
        return Dictionary(uniqueKeysWithValues: rests.map { ($0.suite, $0.rest) })
    }

    /// Returns a suite's two parts, `App` and `CartTests` of `App.CartTests` or `App/CartTests`, or
    /// `nil` if it has no module.
    private static func parts(_ suite: Substring) -> (head: Substring, tail: Substring)? {
        guard let sign = suite.firstIndex(where: isSign), sign != suite.startIndex else {
            return nil
        }
        let tail = suite[suite.index(after: sign)...]
        // The point of a version does not separate names.
        return tail.first?.isLetter == true ? (suite[..<sign], tail) : nil
    }

    private static func isSign(_ character: Character) -> Bool {
        character == "/" || character == "."
    }
}
