import FarmCore
import Foundation
import Testing

@testable import FarmRun

@Suite("What the doctor says")
struct HealthTests {
    private static let ok = HealthLine.ok("git", "git 2.39")
    private static let warning = HealthLine.warning("clock", "90 s behind.", remedy: "Set it.")
    private static let failure = HealthLine.failure(
        "store",
        "nobody answers:\nno route.",
        remedy: "Check the network.",
        exit: .busy
    )

    @Test(
        "the verdict counts what failed and what is warned of, and the first failure ends it",
        arguments: [
            ([ok], "ok: nothing that a run needs is missing.", ExitCode.passed),
            ([ok, warning], "ok: nothing that a run needs is missing; 1 warning.", .passed),
            (
                [warning, ok, warning],
                "ok: nothing that a run needs is missing; 2 warnings.", .passed
            ),
            ([ok, failure], "FAIL: 1 of 2 checks failed.", .busy),
            (
                [warning, failure, .failure("pin", "gone.", remedy: "Move it.")],
                "FAIL: 2 of 3 checks failed, and 1 warning.", .busy
            ),
        ]
    )
    func verdict(lines: [HealthLine], verdict: String, exit: ExitCode) {
        let report = HealthReport(of: .pipeline, lines)
        #expect(report.verdict == verdict)
        #expect(report.exit == exit)
        #expect(report.text(isQuiet: true).hasPrefix(verdict + "\n"))
    }

    @Test("the verdict comes first, and under each line what to do")
    func text() {
        let report = HealthReport(of: .pipeline, [Self.ok, Self.warning, Self.failure])
        #expect(
            report.text(isQuiet: false) == """
                FAIL: 1 of 3 checks failed, and 1 warning.
                ok    git    git 2.39
                warn  clock  90 s behind.
                             Set it.
                FAIL  store  nobody answers:
                             no route.
                             Check the network.

                """
        )
        #expect(
            report.text(isQuiet: true) == """
                FAIL: 1 of 3 checks failed, and 1 warning.
                FAIL  store  nobody answers:
                             no route.
                             Check the network.

                """
        )
    }

    @Test("without a pipeline it says what comes next")
    func machine() {
        let report = HealthReport(of: .machine, [Self.ok])
        #expect(report.verdict == "ok: this machine lacks nothing; a pipeline file comes next.")
    }

    @Test("the document says the same")
    func document() throws {
        let report = HealthReport(of: .pipeline, [Self.ok, Self.failure])
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report))
        let document = try #require(object as? [String: Any])
        #expect(document["exitCode"] as? Int == 75)
        let checks = try #require(document["checks"] as? [[String: String]])
        #expect(checks.map { $0["level"] } == ["ok", "fail"])
        #expect(checks[1]["remedy"] == "Check the network.")
    }

    @Test("a password in a URL is not repeated")
    func secrets() {
        let line = HealthLine.failure("store", "https://me:s3cret@host/x", remedy: "")
        #expect(!line.fact.contains("s3cret"))
    }
}
