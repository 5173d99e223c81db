import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("CI delivery")
struct CIDeliveryTests {
    @Test("Bitrise gets one zip, and test results with the pictures they name")
    func bitrise() throws {
        let steps = try #require(CIEnvironment.detect(Self.bitriseEnvironment))
            .deliveries(of: Self.summary(), CIOutputs(folder: "/out", report: "# report"))
        #expect(
            steps == [
                .copyFile(from: "/out/FailureDiffs.zip", to: "/deploy/FailureDiffs.zip"),
                .copyFolder(from: "/out/FailureDiffs", to: "/html/wallet - x"),
                .writeFile(
                    path: "/results/wallet - x/test-info.json",
                    text: "{\"test-name\":\"wallet / x\"}\n"
                ),
                .copyFile(from: "/out/junit.xml", to: "/results/wallet - x/results.xml"),
                .copyFile(
                    from: "/out/FailureDiffs/diff_a.png",
                    to: "/results/wallet - x/FailureDiffs/diff_a.png"
                ),
            ]
        )
    }

    @Test("a name cannot lead out of Bitrise's folder", arguments: ["..", "../..", "/", ".", ""])
    func folder(name: String) throws {
        var summary = Self.summary()
        summary.run.pipeline = name
        summary.snapshots[0].files["diff"] = "../../etc/passwd"
        let steps = try #require(CIEnvironment.detect(Self.bitriseEnvironment))
            .deliveries(of: summary, CIOutputs(folder: "/out", report: ""))
        for case .copyFolder(_, let path) in steps {
            #expect(path.hasPrefix("/html/") && path.split(separator: "/").count == 2, "\(path)")
        }
        for case .copyFile(_, let path) in steps {
            #expect(!path.split(separator: "/").contains(".."))
            #expect(path.hasPrefix("/results/") || path == "/deploy/FailureDiffs.zip")
        }
        for case .writeFile(let path, _) in steps {
            #expect(path.split(separator: "/").count == 3, "\(path)")
        }
    }

    @Test("GitHub gets the report, and annotations that no text can forge")
    func gitHub() throws {
        let steps = try #require(CIEnvironment.detect(Self.gitHubEnvironment))
            .deliveries(of: Self.summary(), CIOutputs(folder: "/out", report: "# report\n"))
        #expect(
            steps == [
                .appendText(path: "/summary.md", text: "# report\n"),
                .printLine("::error title=lost::a worker died. Run again."),
                .printLine(
                    "::error title=failed%3A T/C/m%3A%2C::100%25%0A::set-output name=x::y%0A"
                        + "changed: a: changed."
                ),
            ]
        )
    }

    @Test("GitHub shows ten annotations, so the tenth says how many more there are")
    func tenAnnotations() throws {
        var summary = Self.summary()
        let one = summary.tests[0]
        summary.tests = (0..<30).map { number in
            var test = one
            test.test = "t\(number)"
            test.message = "no \(number)"
            return test
        }
        let lines = try #require(CIEnvironment.detect(Self.gitHubEnvironment))
            .deliveries(of: summary, CIOutputs(folder: "/out", report: ""))
            .filter { if case .printLine = $0 { true } else { false } }
        #expect(lines.count == 10)
        #expect(
            lines.last
                == .printLine(
                    "::error title=snapfarm::22 more findings are in the summary of this job."
                )
        )
    }

    private static func lines(_ summary: RunSummary) throws -> [String] {
        let steps = try #require(CIEnvironment.detect(gitHubEnvironment))
            .deliveries(of: summary, CIOutputs(folder: "/out", report: ""))
        return steps.compactMap { step in
            if case .printLine(let line) = step { line } else { nil }
        }
    }

    @Test("tests with one cause are one annotation, and what follows from a problem is none")
    func alike() throws {
        var summary = Self.summary()
        let one = summary.tests[0]
        summary.tests = ["c", "d"].flatMap { cell in
            (0..<12).map { number in
                var test = one
                (test.cell, test.test, test.message) = (cell, "A/T\(number)Tests/t", "no")
                return test
            }
        }
        summary.snapshots = ["a", "b"].map { name in
            var picture = summary.snapshots[0]
            picture.id = "c/Old/\(name)"
            (picture.suite, picture.name, picture.test) = ("Old", name, "")
            (picture.verdict, picture.isRed) = (.missing, true)
            return picture
        }
        summary.problems = [
            Problem(
                code: "references-without-owner",
                message: "nobody makes c/Old.",
                remedy: "Retire it.",
                about: "c/Old"
            )
        ]
        #expect(
            try Self.lines(summary) == [
                "::error title=references-without-owner::nobody makes c/Old. "
                    + "2 pictures follow from it. Retire it.",
                "::error title=failed%3A 24 tests%3A T0/t on 2 cells%2C T1/t on 2 cells%2C "
                    + "T2/t on 2 cells%2C …::no",
            ]
        )
    }

    @Test("what differs comes first, and the load of an overloaded host last")
    func overloaded() throws {
        var summary = Self.summary()
        let load = HostLoad(waiting: 0.97, source: .pressure)
        summary.problems = []
        summary.snapshots[0].words = "recoloured; 1 region"
        summary.tests[0].verdict = .changed
        summary.tests[0].load = load
        summary.tests[0].message = "attempt 1 differed too.\n\(load.remark)"
        let remark = load.remark.replacing("%", with: "%25")
        #expect(
            try Self.lines(summary) == [
                "::error title=changed%3A T/C/m%3A%2C::recoloured; 1 region (a)%0A"
                    + "attempt 1 differed too.%0A\(remark)"
            ]
        )
    }

    @Test("a report over one MiB is cut at a line, and says so")
    func longReport() throws {
        let report = String(repeating: "a line of the report: 画面\n", count: 50_000)
        let steps = try #require(CIEnvironment.detect(Self.gitHubEnvironment))
            .deliveries(of: Self.summary(), CIOutputs(folder: "/out", report: report))
        guard case .appendText(_, let text)? = steps.first else {
            Issue.record("no summary")
            return
        }
        #expect(text.utf8.count <= 1 << 20)
        #expect(text.utf8.count > 1 << 19)
        #expect(
            text.hasSuffix(
                "画面\n\nThe rest did not fit here: see `report.md` in the output folder.\n"
            )
        )
    }

    @Test("a green run annotates nothing")
    func green() throws {
        var summary = Self.summary()
        summary.state = .passed
        let steps = try #require(CIEnvironment.detect(Self.gitHubEnvironment))
            .deliveries(of: summary, CIOutputs(folder: "/out", report: ""))
        #expect(steps.isEmpty)
    }

    @Test(
        "who takes outputs by configuration gets nothing",
        arguments: ["CIRCLECI", "GITLAB_CI", "CI"]
    )
    func others(sign: String) throws {
        let steps = try #require(CIEnvironment.detect([sign: "true"]))
            .deliveries(of: Self.summary(), CIOutputs(folder: "/out", report: "r"))
        #expect(steps.isEmpty)
    }

    @Test("each step does what it says, twice as well as once")
    func perform() throws {
        let folder = try TemporaryFolder("delivery")
        let source = try folder.write("a.zip", "zip")
        let steps: [CIDelivery] = [
            .copyFile(from: source, to: folder.file("to/b.zip")),
            .writeFile(path: folder.file("to/deep/info.json"), text: "{}"),
            .appendText(path: folder.file("to/summary.md"), text: "line\n"),
            .printLine("::error::x"),
        ]
        var printed: [String] = []
        for _ in 0..<2 {
            for step in steps { try step.perform { printed.append($0) } }
        }
        func text(_ path: String) throws -> String {
            try String(contentsOfFile: folder.file(path), encoding: .utf8)
        }
        #expect(try text("to/b.zip") == "zip")
        #expect(try text("to/deep/info.json") == "{}")
        #expect(try text("to/summary.md") == "line\nline\n")
        #expect(printed == ["::error::x", "::error::x"])
    }

    @Test("a step that fails names its path and leaves the old file")
    func failure() throws {
        let folder = try TemporaryFolder("delivery")
        let kept = try folder.write("kept.zip", "old")
        let step = CIDelivery.copyFile(from: folder.file("gone.zip"), to: kept)
        let error = #expect(throws: CIDeliveryError.self) { try step.perform { _ in } }
        #expect(error?.message.contains(kept) == true)
        #expect(error?.exit == .inputOutput)
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "old")
    }

    private static let bitriseEnvironment = [
        "BITRISE_IO": "true", "BITRISE_DEPLOY_DIR": "/deploy",
        "BITRISE_TEST_RESULT_DIR": "/results", "BITRISE_HTML_REPORT_DIR": "/html",
    ]
    private static let gitHubEnvironment = [
        "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "/summary.md",
    ]

    static func summary() -> RunSummary {
        let run = RunFacts(
            id: "r",
            key: "k",
            pipeline: "wallet / x",
            mode: .verify,
            filtered: false,
            commit: "",
            branch: "",
            pullRequest: "",
            set: "",
            planDigest: "",
            started: "",
            finished: ""
        )
        let test = TestSummary(
            job: "j",
            cell: "c",
            test: "T/C/m:,",
            verdict: .failed,
            attempts: 1,
            seconds: 1,
            message: "100%\n::set-output name=x::y"
        )
        let passed = TestSummary(
            job: "j",
            cell: "c",
            test: "T/C/ok",
            verdict: .passed,
            attempts: 1,
            seconds: 1
        )
        let picture = SnapshotSummary(
            id: "c/s/a",
            job: "j",
            cell: "c",
            suite: "s",
            name: "a",
            identifier: "a",
            test: "T/C/m:,",
            verdict: .changed,
            reference: "",
            capture: "",
            width: 1,
            height: 1,
            differingPixels: 1,
            share: 1,
            largestDelta: 1,
            clusters: [],
            words: "changed.",
            files: ["diff": "FailureDiffs/diff_a.png"]
        )
        return RunSummary(
            run: run,
            state: .failed,
            exitCode: 1,
            counts: VerdictCounts(),
            comparisons: ComparisonCounts(),
            cells: [],
            tests: [test, passed],
            snapshots: [picture],
            artifacts: [ArtifactSummary(name: "FailureDiffs.zip", bytes: 1, sha256: "")],
            problems: [Problem(code: "lost", message: "a worker died.", remedy: "Run again.")]
        )
    }
}
