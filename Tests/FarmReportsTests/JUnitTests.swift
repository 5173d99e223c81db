import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@Suite("JUnit")
struct JUnitTests {
    @Test("the document is legal XML of our dialect", .enabled(if: ExternalTool.hasXmllint))
    func schema() throws {
        let folder = try TemporaryFolder("junit")
        let schema = ExternalTool.repositoryFile("docs/schema/junit.xsd")
        var empty = Fixture.green()
        empty.tests = []
        empty.snapshots = []
        for summary in [Fixture.summary(), Fixture.green(), twoJobs(), empty] {
            let path = try folder.write("junit.xml", JUnitReport.render(summary))
            let result = try ExternalTool.run(["xmllint", "--noout", "--schema", schema, path])
            #expect(result.status == 0, "\(result.output)")
        }
    }

    @Test(
        "each verdict ends as its element",
        arguments: [
            ("testLogin [\(Fixture.light)]", nil),
            ("testLogin [\(Fixture.dark)]", "<failure type=\"SnapshotMismatch\""),
            ("testNew [\(Fixture.light)]", "<failure type=\"SnapshotNew\""),
            ("testMoved [\(Fixture.light)]", "<failure type=\"SnapshotMoved\""),
            ("testMissing [\(Fixture.light)]", "<failure type=\"SnapshotMissing\""),
            ("testUnreached [\(Fixture.light)]", "<failure type=\"SnapshotUnreached\""),
            ("testFlaky [\(Fixture.light)]", "<flakyFailure type=\"Flaky\""),
            ("testLost [\(Fixture.light)]", "<error type=\"Infrastructure\""),
            ("testSkipped [\(Fixture.light)]", "<skipped message=\"no camera\"/>"),
            // Tests of a job with one cell have no cell in their names.
            ("rates", "<error type=\"Infrastructure\""),
            ("verdicts-missing", "<error type=\"Infrastructure\""),
        ] as [(String, String?)]
    )
    func verdict(name: String, element: String?) throws {
        let xml = JUnitReport.render(Fixture.summary())
        let start = try #require(xml.range(of: "name=\"\(name)\""))
        let rest = xml[start.upperBound...]
        guard let element else {
            #expect(rest.hasPrefix(" time=\"0.251\"/>"))
            return
        }
        let end = try #require(rest.range(of: "</testcase>"))
        #expect(rest[..<end.lowerBound].contains(element))
    }

    @Test("the failure's text says the cause, then lists the pictures with words and ids")
    func pictures() {
        let xml = JUnitReport.render(Fixture.summary())
        #expect(
            xml.contains(
                """
                ">changed in one line of &lt;words&gt; (login)
                changed: Login/login: changed in one line of &lt;words&gt;.
                  picture: \(Fixture.dark)/Login/login_en
                  reference: FailureDiffs/
                """
            )
        )
    }

    @Test("of a change that an overloaded host has seen the change comes first, the load last")
    func overloaded() throws {
        var summary = Fixture.summary()
        let load = HostLoad(waiting: 0.97, source: .pressure)
        let place = try #require(summary.tests.firstIndex { $0.verdict == .changed })
        let words = "recoloured; 1 region"
        summary.tests[place].load = load
        summary.tests[place].message = "attempt 1 differed too.\n\(load.remark)"
        for index in summary.snapshots.indices where summary.snapshots[index].verdict == .changed {
            summary.snapshots[index].words = words
        }
        let xml = JUnitReport.render(summary)
        let start = try #require(xml.range(of: "name=\"testLogin [\(Fixture.dark)]\""))
        let end = try #require(xml[start.upperBound...].range(of: "</testcase>"))
        let body = xml[start.upperBound..<end.lowerBound]
        #expect(body.contains("message=\"\(words) (login)\">\(words) (login)\n"))
        #expect(body.contains("\nattempt 1 differed too.\n\(load.remark)</failure>"))
    }

    @Test("problems that differ only in what they are about are one case")
    func problems() {
        var summary = Fixture.summary()
        summary.problems = ["A/S/a", "A/S/b"].map { (id: String) in
            Problem(code: "unstable-picture", message: "\(id) is.", remedy: "Mend.", about: id)
        }
        let xml = JUnitReport.render(summary)
        #expect(xml.ranges(of: "name=\"unstable-picture").count == 1)
        #expect(xml.contains("A/S/a is. The same of 1 more: A/S/b.\nMend.\n</error>"))
    }

    @Test("no suite and no case has two properties of one name")
    func properties() throws {
        let xml = JUnitReport.render(Fixture.summary())
        let blocks = xml.matches(of: #/<properties>([\s\S]*?)<\/properties>/#)
        #expect(blocks.count > 2)
        for block in blocks {
            let names = block.1.matches(of: #/name="([^"]*)"/#).map { String($0.1) }
            #expect(Set(names).count == names.count, "\(names)")
        }
    }

    @Test("attachments are relative, the diff first, and a test cannot forge one")
    func attachments() throws {
        let xml = JUnitReport.render(Fixture.summary(), outputFolder: "out")
        let folder = "FailureDiffs/snapshot_test/\(Fixture.dark)/Login"
        #expect(
            xml.contains(
                "<property name=\"attachment_1\" value=\"\(folder)/diff_login_en.png\"/>"
            )
        )
        #expect(xml.contains("[[ATTACHMENT|out/\(folder)/diff_login_en.png]]"))
        #expect(!xml.contains("[[ATTACHMENT|/etc"))
    }

    @Test("times have three digits, rounded as printf rounds them")
    func times() {
        var generator = SeededGenerator.announced()
        var values = [0, 0.0005, 0.0015, 0.5, 0.9995, 1.0625, 2.5005, 59.9999, 1e6, 1e12, -1]
        for exponent in -5..<8 {
            let size = pow(10, Double(exponent))
            for _ in 0..<200 { values.append(Double.random(in: 0..<size, using: &generator)) }
        }
        // Halves of a thousandth, which are rounded by their exact binary value.
        for _ in 0..<500 {
            values.append(Double(Int.random(in: 0..<1_000_000, using: &generator) * 2 + 1) / 2000)
        }
        var summary = Fixture.green()
        let sample = summary.tests[0]
        summary.snapshots = []
        summary.tests = values.enumerated().map { number, seconds in
            var test = sample
            test.test = String(format: "t%06d", number)
            test.seconds = seconds
            return test
        }
        let cases = JUnitReport.render(summary).split(separator: "\n").filter {
            $0.hasPrefix("  <testcase ")
        }
        #expect(cases.count == values.count)
        for (line, seconds) in zip(cases, values) {
            #expect(line.contains("time=\"\(String(format: "%.3f", max(0, seconds)))\""))
        }
    }

    @Test("a picture without a known test is a case of its own")
    func orphan() {
        let orphans = JUnitReport.render(Fixture.summary()).components(
            separatedBy: "onerror=alert(1) x= [\(Fixture.light)]\" time=\"0.000\""
        )
        #expect(orphans.count == 2)
    }

    @Test("one test in two jobs on one cell keeps two names")
    func ambiguous() {
        let xml = JUnitReport.render(twoJobs())
        #expect(xml.contains("name=\"testAdd [unit_ios]\""))
        #expect(xml.contains("name=\"testAdd [unit_mac]\""))
        var several = twoJobs()
        several.tests += several.tests.map { test in
            var other = test
            other.cell = Fixture.dark
            return other
        }
        let cells = JUnitReport.render(several)
        #expect(cells.contains("name=\"testAdd [host, unit_ios]\""))
        #expect(cells.contains("name=\"testAdd [\(Fixture.dark), unit_mac]\""))
    }

    @Test("a green run has no failure, whatever was excused")
    func excused() {
        var summary = Fixture.green()
        summary.tests[0].verdict = .new
        let xml = JUnitReport.render(summary)
        #expect(xml.contains("failures=\"0\" errors=\"0\""))
        #expect(!xml.contains("<failure"))
    }

    private func twoJobs() -> RunSummary {
        var summary = Fixture.green()
        summary.snapshots = []
        summary.tests = ["unit_ios", "unit_mac"].map { job in
            TestSummary(
                job: job,
                cell: "host",
                test: "Core/MathTests/testAdd",
                verdict: .passed,
                attempts: 1,
                seconds: -1
            )
        }
        return summary
    }
}
