// Tests that everything named in ARCHITECTURE.md and the decision records exists.
import Testing

@Suite("The architecture that is written down")
struct ArchitectureTests {
    private static let document = Document("ARCHITECTURE.md")

    // MARK: ways

    /// A step of a way through the code.
    private struct Step {
        let file: String
        let type: String
        let function: String
    }

    private static func way(_ name: String) -> [Step] {
        document.section("The way of a \(name)").compactMap { line in
            guard !line.isEmpty else { return nil }
            guard let match = line.firstMatch(of: /^\d+\. `([^`]+\.swift)` `(\w+)\.(\w+)` —/) else {
                Issue.record("the way of a \(name) has a line without a function: \(line)")
                return nil
            }
            return Step(
                file: String(match.1),
                type: String(match.2),
                function: String(match.3)
            )
        }
    }

    @Test("every function of the three ways exists", arguments: ["claim", "capture", "pin"])
    func functions(_ name: String) {
        let steps = Self.way(name)
        #expect(steps.count > 8)
        for step in steps {
            let files = Repository.swift(in: "Sources").filter { $0.name == step.file }
            let found = files.contains { file in
                file.declares(step.function, after: ["func"])
                    && file.declares(step.type, after: Self.kinds + ["extension"])
            }
            if !found {
                Issue.record("no \(step.file) declares \(step.type).\(step.function)")
            }
        }
    }

    @Test("the way of a claim can be read in twelve files")
    func short() { #expect(Set(Self.way("claim").map(\.file)).count <= 12) }

    // MARK: invariants

    private static let kinds = ["struct", "enum", "class", "actor", "protocol"]

    /// The identifier and the checkers of each invariant.
    private static var invariants: [(id: String, checkers: Substring)] {
        document.section("Invariants").compactMap { line in
            line.firstMatch(of: /^\| ([ICR]\d+) \| .* \| ([^|]*) \|$/).map {
                (String($0.1), $0.2)
            }
        }
    }

    @Test("every invariant has a number of its own, and a checker")
    func numbered() {
        let ids = Self.invariants.map(\.id)
        #expect(ids.count > 50)
        #expect(Set(ids).count == ids.count)
        for (id, checkers) in Self.invariants where checkers.isEmpty {
            Issue.record("nothing checks \(id)")
        }
    }

    @Test("every test that an invariant names exists")
    func checkers() {
        let tests = Repository.swift(in: "Tests").filter { !$0.path.hasPrefix("Tests/TidyTests/") }
        // Every text between two quotation marks, so all names of tests are included.
        let quoted = Set(tests.flatMap { $0.text.split(separator: "\"") })
        let types = Set(tests.flatMap { $0.names(after: Set(Self.kinds)) } + ["TidyTests"])
        for (id, checkers) in Self.invariants {
            for match in checkers.matches(of: /"([^"]+)"/) where !quoted.contains(match.1) {
                Issue.record("\(id) names the test \(match.1), which is nowhere")
            }
            for match in checkers.matches(of: /`(\w+Tests)`/) where !types.contains(match.1) {
                Issue.record("\(id) names the suite \(match.1), which is nowhere")
            }
            for match in checkers.matches(of: /`(Tests\/\w+)`/)
            where !Repository.exists(String(match.1)) {
                Issue.record("\(id) names \(match.1), which is nowhere")
            }
        }
    }

    // MARK: map

    @Test("the map has a line for each target, and no other")
    func map() {
        let strings = Repository.text("Package.swift").split(separator: "\"")
        let targets = Set(
            strings.filter {
                $0.contains(/^Farm[A-Z]\w*$/) && !$0.hasSuffix("Tests") && $0 != "FarmTesting"
            }
        ).union(["snapfarm"])
        let named = Set(
            Self.document.section("Map").compactMap { line in
                line.firstMatch(of: /^- \*\*(\w+)\*\* —/)?.1
            }
        )
        #expect(targets.subtracting(named) == [], "targets without a line")
        #expect(named.subtracting(targets) == [], "lines without a target")
    }

    // MARK: lengths

    @Test("documents for everybody are short enough to be read")
    func lengths() {
        let records = Repository.files.filter { $0.path.hasPrefix("docs/adr/") }
        var limits = Dictionary(uniqueKeysWithValues: records.map { ($0.path, 40) })
        limits["ARCHITECTURE.md"] = 200
        limits["README.md"] = 150
        for file in Repository.files {
            guard let limit = limits[file.path] else { continue }
            // The last line ends with a line break.
            let count = file.lines.count - 1
            if count > limit {
                Issue.record("\(file.path) has \(count) lines, of at most \(limit)")
            }
        }
        #expect(records.count > 20)
    }

    @Test("a decision says its number and title, and then whether it still holds")
    func records() {
        for file in Repository.files where file.path.hasPrefix("docs/adr/") {
            let number = Int(file.name.prefix(4)) ?? 0
            let lines = file.lines
            let begins = ["Accepted ", "Superseded by "].contains { lines[1].hasPrefix($0) }
            if !lines[0].hasPrefix("# \(number). ") || !begins {
                Issue.record("\(file.path) begins otherwise")
            }
        }
    }
}

extension RepositoryFile {
    /// Returns whether the file has a name directly after one of some words; `init` needs none.
    fileprivate func declares(_ name: String, after words: [String]) -> Bool {
        if name == "init" { return holds("init(") }
        return names(after: Set(words)).contains { $0 == name }
    }

    /// Returns the names that follow one of some words, at most one per line.
    fileprivate func names(after words: Set<String>) -> [Substring] {
        lines.compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 5)
            guard let place = parts.firstIndex(where: { words.contains(String($0)) }),
                place + 1 < parts.count
            else { return nil }
            return parts[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        }
    }
}
