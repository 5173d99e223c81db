// Tests of the readable findings of a run: one line for equal causes, and no repetition.
import FarmCore
import FarmTesting
import Testing

@Suite("What people read of a run")
struct RunFindingsTests {
    private static func unstable(_ id: String) -> Problem {
        Problem(
            code: "unstable-picture",
            message: "\(id) is unstable.",
            remedy: "Remove what changes.",
            about: id
        )
    }

    private static func ownerless(_ place: String) -> Problem {
        Problem(
            code: "references-without-owner",
            message: "no job makes \(place).",
            remedy: "`snapfarm refs retire \(place)`.",
            about: place
        )
    }

    @Test("problems that differ only in what they are about are one, which names the others")
    func problems() {
        let ids = (1...8).map { "A/CartTests/p\($0)" }
        var summary = SampleRun.summary(pictures: ids)
        let note = Problem(code: "worker-suspended", message: "w1 is held.", remedy: "")
        summary.problems =
            [note, note] + ids.map { Self.unstable($0) }
            + ["A/Old", "B/Old"].map { Self.ownerless($0) }
        let found = RunFindings(summary).problems
        #expect(
            found.map(\.message) == [
                "Cart/p1 is unstable. The same of 7 more: Cart/p2, Cart/p3, Cart/p4, Cart/p5, "
                    + "Cart/p6, …",
                "no job makes A/Old. The same of 1 more: B/Old.", "w1 is held. (2 times)",
            ]
        )
        #expect(found.map(\.count) == [8, 2, 2])
        #expect(found[1].problem.remedy == "`snapfarm refs retire A/Old`.", "it is for copying")
    }

    @Test("what follows from a problem is counted under it and told nowhere else")
    func consequences() {
        var summary = SampleRun.summary(tests: ["T/ran", "T/other"])
        summary.snapshots = [
            SampleRun.picture("A/Old/a", .missing),
            SampleRun.picture("A/Old/b", .missing),
            SampleRun.picture("A/New/c", .missing),
            SampleRun.picture("A/New/d of T/ran", .flaky),
            SampleRun.picture("A/New/e of T/other", .flaky),
        ]
        summary.tests[0].verdict = .flaky
        summary.tests[1].verdict = .flaky
        summary.problems = [Self.ownerless("A/Old"), Self.unstable("A/New/d")]
        let findings = RunFindings(summary)
        #expect(
            findings.problems.map(\.follows) == [
                "2 pictures follow from it.", "1 test and 1 picture follow from it.",
            ]
        )
        #expect(summary.snapshots.map(findings.isExplained) == [true, true, false, true, false])
        #expect(summary.tests.map(findings.isExplained) == [true, false])
    }

    @Test("a job without pictures explains all that is missing of it, a stop all without a verdict")
    func causes() {
        var summary = SampleRun.summary(tests: ["T/a", "T/b"])
        summary.tests[0].verdict = .missing
        summary.tests[1].verdict = nil
        summary.snapshots = [SampleRun.picture("A/S/a of T/a", .missing)]
        summary.problems = [
            Problem(code: "no-pictures", message: "job s made none.", remedy: "", about: "s"),
            Problem(code: "stopped-early", message: "it was stopped.", remedy: ""),
        ]
        let findings = RunFindings(summary)
        #expect(
            findings.problems.map(\.follows) == [
                "1 test and 1 picture follow from it.", "1 test follows from it.",
            ]
        )
        #expect(summary.tests.allSatisfy(findings.isExplained))
    }

    @Test("tests with one verdict and one cause are one line, and so are pictures")
    func grouped() {
        let tests = [
            SampleRun.test("T/a", says: "no\nLog: 1"),
            SampleRun.test("T/b", .errored, says: "no"),
            SampleRun.test("T/c", says: "no\nLog: 2"), SampleRun.test("T/d", says: "yes"),
        ]
        var summary = SampleRun.summary()
        summary.tests = tests
        let findings = RunFindings(summary)
        #expect(
            findings.grouped(tests).map { $0.tests.map(\.test) } == [
                ["T/a", "T/c"], ["T/b"], ["T/d"],
            ]
        )
        #expect(findings.grouped(tests).map(\.cause) == ["no", "no", "yes"])
        let pictures = ["A/S/a", "A/S/b"].map { SampleRun.picture($0, says: "recoloured") }
        #expect(findings.grouped(pictures).map(\.words) == ["recoloured"])
    }

    @Test("what differs comes first, the picture behind it, and the host's load last")
    func order() {
        var summary = SampleRun.summary(tests: ["T/cart"])
        let load = HostLoad(waiting: 0.97, source: .pressure)
        summary.tests[0].verdict = .changed
        summary.tests[0].load = load
        summary.tests[0].message = "attempt 1 differed too.\n\(load.remark)"
        let words = "recoloured; 1 region"
        summary.snapshots = [SampleRun.picture("A/S/full of T/cart", says: words)]
        func lines() -> [String] {
            RunFindings(summary).causes.lines(of: summary.tests[0]) { $0.name }
        }
        #expect(lines() == ["\(words) (full)", "full", "attempt 1 differed too.", load.remark])
        summary.snapshots = [SampleRun.picture("A/S/cart of T/cart", says: words)]
        #expect(lines().first == words, "the test's name says which picture it is")
        summary.snapshots.append(SampleRun.picture("A/S/other of T/cart", says: "moved."))
        #expect(lines().first == "\(words) (cart and 1 more)")
        // The load is no cause, even if there is no other message.
        summary.snapshots = []
        summary.tests[0].verdict = .failed
        summary.tests[0].message = load.remark
        #expect(lines() == ["the test failed and said nothing.", load.remark])
    }
}
