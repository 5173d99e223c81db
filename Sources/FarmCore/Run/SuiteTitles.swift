// What people call the suites of a run: `Cart` for `App.CartTests`. A name is as short as it may be
// while no two suites of the run have the same one.

/// The names of suites, by the suites themselves.
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

    /// The suite itself where it is none of the run's.
    func title(of suite: String) -> String { titles[suite] ?? suite }

    private struct Named {
        let suite: String
        /// From the shortest to the suite itself.
        let forms: [String]
        var level = 0
        var title: String { forms[level] }
        var isLongest: Bool { level == forms.count - 1 }
    }

    /// Lengthens what is called alike until nothing is.
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

    /// Without module and `Tests`, without module, as it is; each once.
    ///
    /// A test class is known by its ending: what stands before it is its module, whether or not the
    /// other suites are of the same one.
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

    /// The suites without the parts that all of them begin with; one suite alone shares nothing.
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

    /// `App` and `CartTests` of `App.CartTests` and of `App/CartTests`; nil for what has no module.
    private static func parts(_ suite: Substring) -> (head: Substring, tail: Substring)? {
        guard let sign = suite.firstIndex(where: isSign), sign != suite.startIndex else {
            return nil
        }
        let tail = suite[suite.index(after: sign)...]
        // The point of a version is none between names.
        return tail.first?.isLetter == true ? (suite[..<sign], tail) : nil
    }

    private static func isSign(_ character: Character) -> Bool {
        character == "/" || character == "."
    }
}
