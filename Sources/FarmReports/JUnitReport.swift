// junit.xml, for CircleCI, GitLab, Jenkins, Azure and Bitrise; the dialect is
// docs/schema/junit.xsd. There is one test suite for each (job, cell). The body of a failure
// repeats its text, because GitLab ignores `message`. Numbers always parse, because Bitrise refuses
// a file otherwise.
import FarmCore
import Foundation

/// Renders `junit.xml`, the report for CI servers.
package enum JUnitReport {
    private struct Suite {
        var name: String
        var properties: [(String, String)]
        var cases: [WrittenCase]
    }

    /// The cell and the test that a case's name shows.
    private struct Shown: Hashable {
        let cell: String
        let test: String
    }

    private struct Place: Hashable {
        let job: String
        let cell: String
    }

    /// Returns the document: one case for each test, each open picture without a known test, and
    /// each problem that makes a run red.
    ///
    /// `outputFolder` is the output folder's path relative to the project's folder, for
    /// `[[ATTACHMENT|…]]` lines; empty if both are the same.
    package static func render(_ summary: RunSummary, outputFolder: String = "") -> String {
        let findings = RunFindings(summary)
        var suites = cellSuites(summary, findings)
        let problems = findings.problems.filter { !$0.problem.isNote }
        if summary.state != .passed, !problems.isEmpty {
            suites.append(
                Suite(name: "snapfarm", properties: [], cases: problems.map(WrittenCase.init))
            )
        }
        let facts = summary.run.named.map { ($0.name.replacing(" ", with: "-"), $0.value) }
        let origins: Set = [
            "unchanged", "judged-again", "inherited", "inherited-unchanged",
            Problem.inheritedOtherCode,
        ]
        let notRun = summary.problems.filter { origins.contains($0.code) }
            .map { ($0.code, $0.message) }
        for place in suites.indices { suites[place].properties += facts + notRun }
        makeUnique(&suites)
        let prefix = outputFolder.isEmpty ? "" : outputFolder + "/"
        let totals = Totals(suites.lazy.map(\.cases).joined())
        let xml: HTML = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(LegalText.line(summary.run.pipeline))" \(totals.attributes)>
            \(suites.map { markup($0, run: summary.run, prefix: prefix) })</testsuites>

            """
        return xml.markup
    }

    private static func cellSuites(_ summary: RunSummary, _ findings: RunFindings) -> [Suite] {
        let cells = CellDirectory(summary)
        let orphans = Dictionary(
            grouping: findings.causes.orphans.filter(findings.isOpen),
            by: { Place(job: $0.job, cell: $0.cell) }
        )
        let quarantine = QuarantineNotes(summary.quarantined ?? [])
        var cases: [Place: [WrittenCase]] = [:]
        let excused = summary.state == .passed
        let titles = findings.titles
        let jobs = jobsByTest(summary, titles)
        for test in summary.tests {
            let cell = shownCell(test.cell, job: test.job, titles)
            let ambiguous = (jobs[Shown(cell: cell, test: test.test)] ?? 0) > 1
            let tag = (cell.isEmpty ? [] : [cell]) + (ambiguous ? [test.job] : [])
            var item = WrittenCase(
                test,
                findings: findings,
                tag: tag.joined(separator: ", "),
                excused: excused || test.isRed == false
            )
            if let note = quarantine.note(of: test) { item.outcome = .skipped(message: note) }
            cases[Place(job: test.job, cell: test.cell), default: []].append(item)
        }
        for (place, pictures) in orphans {
            cases[place, default: []] += pictures.map { picture in
                var item = WrittenCase(
                    orphan: picture,
                    titles: titles,
                    tag: shownCell(place.cell, job: place.job, titles),
                    excused: excused || picture.isRed == false
                )
                if let note = quarantine.note(of: picture) {
                    item.outcome = .skipped(message: note)
                }
                return item
            }
        }
        let places = cases.keys.sorted { left, right in
            left.job == right.job ? cells.precedes(left.cell, right.cell) : left.job < right.job
        }
        return places.map { suite($0, cases: cases[$0] ?? [], cells: cells) }
    }

    private static func suite(
        _ place: Place,
        cases: [WrittenCase],
        cells: CellDirectory
    ) -> Suite {
        Suite(
            name: "\(place.job) \(cells.title(place.cell))",
            properties: [
                ("job", place.job), ("cell", place.cell), ("device", cells.device(place.cell)),
                ("os", cells.os(place.cell)), ("variant", cells.variant(place.cell)),
            ].filter { !$0.1.isEmpty },
            cases: cases
        )
    }

    /// Returns the cell that a case's name shows; empty if the job has only one cell.
    private static func shownCell(_ cell: String, job: String, _ titles: RunTitles) -> String {
        titles.hasOneCell(job: job) ? "" : cell
    }

    /// Returns the number of jobs that run each test on a cell; empty if the run has only one job.
    private static func jobsByTest(
        _ summary: RunSummary,
        _ titles: RunTitles
    ) -> [Shown: Int] {
        var jobs: [Shown: Int] = [:]
        guard let first = summary.tests.first?.job,
            summary.tests.contains(where: { $0.job != first })
        else { return jobs }
        for test in summary.tests {
            let cell = shownCell(test.cell, job: test.job, titles)
            jobs[Shown(cell: cell, test: test.test), default: 0] += 1
        }
        return jobs
    }

    private static func makeUnique(_ suites: inout [Suite]) {
        struct Name: Hashable {
            let classname: String
            let name: String
        }
        var seen: Set<Name> = []
        seen.reserveCapacity(suites.reduce(0) { $0 + $1.cases.count })
        for suite in suites.indices {
            for index in suites[suite].cases.indices {
                let item = suites[suite].cases[index]
                var name = item.name
                var number = 1
                while !seen.insert(Name(classname: item.classname, name: name)).inserted {
                    number += 1
                    name = "\(item.name) #\(number)"
                }
                suites[suite].cases[index].name = name
            }
        }
    }

    private static func markup(_ suite: Suite, run: RunFacts, prefix: String) -> HTML {
        let timestamp: HTML = run.started.isEmpty ? "" : " timestamp=\"\(run.started)\""
        let properties: HTML =
            suite.properties.isEmpty
            ? ""
            : """
              <properties>
            \(suite.properties.map { property($0, indent: "   ") })  </properties>

            """
        return """
             <testsuite name="\(LegalText.line(suite.name))" \(Totals(suite.cases).attributes)\
            \(timestamp)>
            \(properties)\(suite.cases.map { markup($0, prefix: prefix) }) </testsuite>

            """
    }

    private static func property(_ pair: (String, String), indent: HTML) -> HTML {
        "\(indent)<property name=\"\(pair.0)\" value=\"\(LegalText.line(pair.1))\"/>\n"
    }

    private static func markup(_ item: WrittenCase, prefix: String) -> HTML {
        var inner: HTML = ""
        if !item.attachments.isEmpty {
            let pairs = item.attachments.enumerated().map { ("attachment_\($0 + 1)", $1) }
            inner += """
                   <properties>
                \(pairs.map { property($0, indent: "    ") })   </properties>

                """
        }
        inner += outcome(item.outcome)
        let out = systemOut(item, prefix: prefix)
        if !out.isEmpty { inner += "   <system-out>\(out)</system-out>\n" }
        let head: HTML = """
              <testcase classname="\(item.classname)" name="\(LegalText.line(item.name))" \
            time="\(Wording.seconds(item.seconds))"
            """
        return inner.markup.isEmpty ? "\(head)/>\n" : "\(head)>\n\(inner)  </testcase>\n"
    }

    private static func outcome(_ outcome: JUnitOutcome) -> HTML {
        switch outcome {
        case .passed: ""
        case .skipped(let message):
            "   <skipped message=\"\(message)\"/>\n"
        case .flaky(let message, let text):
            "   <flakyFailure type=\"Flaky\" message=\"\(message)\">\(text)</flakyFailure>\n"
        case .failure(let type, let message, let text):
            "   <failure type=\"\(type)\" message=\"\(message)\">\(text)</failure>\n"
        case .error(let message, let text):
            "   <error type=\"Infrastructure\" message=\"\(message)\">\(text)</error>\n"
        }
    }

    /// Returns the `system-out` of a case: the test's output, and a line for each attachment.
    ///
    /// An `[[ATTACHMENT|` in the output itself is made harmless, because a CI server would copy the
    /// file that it names.
    private static func systemOut(_ item: WrittenCase, prefix: String) -> String {
        if item.output.isEmpty, item.attachments.isEmpty { return "" }
        let output = LegalText.document(item.output).replacingOccurrences(
            of: "[[ATTACHMENT|",
            with: "[[ATTACHMENT |",
            options: .literal
        )
        let attachments = item.attachments.filter { !$0.contains("]]") }
            .map { "[[ATTACHMENT|\(prefix)\($0)]]" }
        return ((output.isEmpty ? [] : [output]) + attachments).joined(separator: "\n")
    }
}

/// The messages of cases that are skipped because their test or picture is quarantined.
private struct QuarantineNotes {
    private var ofTests: [[String]: String] = [:]
    private var ofPictures: [String: String] = [:]

    init(_ list: [QuarantinedSummary]) {
        for item in list {
            let note = "\(item.words) (was \(item.verdict.rawValue))"
            if item.snapshot.isEmpty {
                ofTests[[item.job, item.cell, item.test]] = note
            } else {
                ofPictures[item.snapshot] = note
            }
        }
    }

    func note(of test: TestSummary) -> String? {
        ofTests.isEmpty ? nil : ofTests[[test.job, test.cell, test.test]]
    }
    func note(of picture: SnapshotSummary) -> String? { ofPictures[picture.id] }
}

/// The totals of cases that JUnit requires of a suite and of the document.
private struct Totals {
    var failures = 0
    var errors = 0
    var skipped = 0
    var tests = 0
    var seconds = 0.0

    init(_ cases: some Sequence<WrittenCase>) {
        for item in cases {
            tests += 1
            seconds += item.seconds.isFinite ? max(0, item.seconds) : 0
            switch item.outcome {
            case .passed, .flaky: continue
            case .skipped: skipped += 1
            case .failure: failures += 1
            case .error: errors += 1
            }
        }
    }

    var attributes: HTML {
        """
        tests="\(tests)" failures="\(failures)" errors="\(errors)" skipped="\(skipped)" \
        time="\(Wording.seconds(seconds))"
        """
    }
}
