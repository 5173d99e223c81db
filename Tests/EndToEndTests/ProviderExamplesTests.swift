// Runs every example of pipelines/<provider>/ step by step, as its provider would; the results are
// the table in docs/ci.md. The interpreters are Tests/FarmRunTests/CI/StandIn/ci_*.py.
import FarmTesting
import Foundation
import Testing

extension Documented {
    @Suite("The examples of CI providers", .serialized, .enabled(if: ProviderExamples.hasTools))
    struct ProviderExamplesTests {
        @Test("each example comes to what the guide's table says, in every scenario")
        func table() throws {
            let found = try ProviderExamples.all()
            #expect(found.count == 48)
            for example in found { check(example) }
            let rows = found.filter { $0.scenario != "own split" }.map(\.row)
            let head = [
                "| provider | | exit codes of the parts | of the whole | the provider keeps | calls to "
                    + "the host | comments | status of the whole |",
                "|---|---|---|---|---|---|---|---|",
            ]
            try ProviderExamples.compare((head + rows).joined(separator: "\n"))
        }

        /// Checks the rules that hold whatever the table says.
        private func check(_ example: ProviderExample) {
            let expected =
                switch example.scenario {
                case "red", "fork", "decide": 1
                case "missing device": 2
                default: 0
                }
            let name = "\(example.provider), \(example.scenario): \(example.said)"
            switch example.scenario {
            case "own split":
                // Two suites on four machines, then only the failed one again, which is red again.
                let codes = example.jobs.map(\.code).sorted()
                #expect(codes == [0, 0, 0, 0, 0, 0, 1, 1], "\(name)")
            case "decide":
                #expect(example.decided == ["pipelines/snapfarm.refs"], "\(name)")
                #expect(example.jobs.last?.code == 0, "\(name)")
            case "fork":
                // Only GitHub runs a second, trusted workflow for a fork.
                let isTold = example.provider == "GitHub Actions"
                #expect((example.calls > 0) == isTold, "\(name)")
                #expect((example.comments > 0) == isTold, "\(name)")
            case "pin only":
                // The four parts and the whole.
                #expect(example.unchanged >= 5, "\(name)")
            case "empty share": #expect(example.empty > 0, "\(name)")
            // An incomplete run has a status, but no comment of its own is required.
            case "missing device": #expect(!example.statuses.isEmpty, "\(name)")
            default: #expect(example.comments == 1, "\(name)")
            }
            guard example.scenario != "own split" else { return }
            #expect(example.whole == expected, "\(name)")
            guard let status = example.statuses["snapfarm/app"] else {
                #expect(example.calls == 0, "\(name)")
                return
            }
            // The commit of a decision has the status that its tests would give.
            let isGreen = expected == 0 || example.scenario == "decide"
            #expect(["success", "SUCCESSFUL"].contains(status) == isGreen, "\(name)")
        }
    }
}

/// The result of executing an example.
struct ProviderExample: Decodable {
    struct Job: Decodable {
        var name: String
        var code: Int
        var attempt: Int
    }
    var provider: String
    var scenario: String
    var jobs: [Job]
    var kept: [String]
    var empty: Int
    /// The number of jobs that ran no test, because an earlier run proves them green.
    var unchanged: Int
    var decided: [String]
    var calls: Int
    var comments: Int
    var statuses: [String: String]
    var said: String

    private func isPart(_ job: Job) -> Bool {
        let words = ["merge", "one run of", "verdict", "report", "accept", "decide", "history"]
        return !words.contains { job.name.lowercased().contains($0) }
    }

    /// The last exit code of the job that gives the run's verdict.
    var whole: Int? {
        let names = ["verdict", "merge", "one run of"]
        return names.lazy.compactMap { name in
            jobs.last { $0.name.lowercased().contains(name) }?.code
        }.first
    }

    /// The example's row of the table.
    var row: String {
        let parts = (1...2).map { attempt in
            jobs.filter { isPart($0) && $0.attempt == attempt }.map { "\($0.code)" }
                .joined(separator: " ")
        }.filter { !$0.isEmpty }.joined(separator: " → ")
        let decided = jobs.last.map { $0.name.lowercased() } ?? ""
        let isDecided = decided.contains("accept") || decided.contains("decide")
        let whole =
            "\(whole ?? -1)" + (isDecided ? ", then 0: a commit of the pin" : "")
            + (unchanged > 0 ? ", no test ran" : "")
        let kept = kept.map { "`\($0)`" }.joined(separator: ", ")
        let status = statuses["snapfarm/app"] ?? "none"
        return
            "| \(provider) | \(scenario) | \(parts) | \(whole) | \(kept.isEmpty ? "nothing" : kept) "
            + "| \(calls) | \(comments) | \(status) |"
    }
}

enum ProviderExamples {
    static let hasTools =
        (try? TestProcess.run(["python3", "-c", "import yaml"]))?.status == 0
        && (try? TestProcess.run(["jq", "--version"]))?.status == 0

    private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    static func all() throws -> [ProviderExample] {
        let folder = try TemporaryFolder("examples")
        let program = root + "/Tests/FarmRunTests/CI/StandIn/providers.py"
        let words = ["python3", program, "all", folder.file("all"), Program.path]
        // Takes half an hour on a busy machine.
        let ending = try TestProcess.run(words, seconds: 1800)
        try #require(ending.status == 0, "\(ending.said)")
        return try JSONDecoder().decode([ProviderExample].self, from: Data(ending.output.utf8))
    }

    /// Compares a table with the guide's; SNAPFARM_UPDATE_GOLDEN=1 writes it to the guide.
    static func compare(_ table: String) throws {
        let file = root + "/docs/ci.md"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let (opening, closing) = ("<!-- executed examples -->\n", "<!-- end -->\n")
        let start = try #require(text.range(of: opening))
        let end = try #require(text.range(of: closing))
        let known = text[start.upperBound..<end.lowerBound]
        guard known != table + "\n" else { return }
        if ProcessInfo.processInfo.environment["SNAPFARM_UPDATE_GOLDEN"] == "1" {
            let new = text.replacingCharacters(
                in: start.upperBound..<end.lowerBound,
                with: table + "\n"
            )
            try new.write(toFile: file, atomically: true, encoding: .utf8)
        } else {
            Issue.record("docs/ci.md has another table than:\n\(table)")
        }
    }
}
