import FarmCore
import Testing

@Suite("What a person should know of pictures though no verdict says it")
struct PictureFindingsTests {
    /// Returns evidence of one test with a picture, and with unread files beside it.
    private func evidence(_ mode: RunMode, _ unread: [UnreadFile]) throws -> RunEvidence {
        var builder = EvidenceBuilder(mode: mode)
        builder.add("a", [try EvidenceBuilder.capture("a")], verdict: .passed)
        builder.add("b", [try EvidenceBuilder.capture("b")], verdict: .passed)
        for place in builder.tests.indices {
            builder.tests[place].withReport { $0.pictures.unread = unread }
        }
        return builder.evidence
    }

    private static let texts = (1...7).map { UnreadFile(path: "S/t\($0).log", kind: .text) }
    private static let pictures = [
        UnreadFile(path: "S/a.PNG", kind: .otherPicture), UnreadFile(path: "S/l.png", kind: .link),
    ]

    @Test("a verify run says once how many other files were compared with nothing, and stays green")
    func texts() throws {
        let summary = RunJudge.judge(try evidence(.verify, Self.texts)).summary
        #expect(summary.state == .passed)
        #expect(summary.problems.map(\.code) == ["texts-not-compared"])
        let problem = try #require(summary.problems.first)
        #expect(problem.isNote)
        #expect(problem.message.hasPrefix("job snap: 7 files were compared with nothing"))
        #expect(
            problem.message.hasSuffix(
                "S/t1.log, S/t2.log, S/t3.log, S/t4.log, S/t5.log and 2 more."
            )
        )
        #expect(problem.remedy.contains("texts in .csv, .html, .json"))
        #expect(RunJudge.judge(try evidence(.record, Self.texts)).summary.problems.isEmpty)
    }

    @Test("pictures that are not read are named with what to do", arguments: RunMode.allCases)
    func unread(mode: RunMode) throws {
        let summary = RunJudge.judge(try evidence(mode, Self.pictures)).summary
        #expect(summary.state == .passed)
        #expect(summary.problems.map(\.code) == ["pictures-not-read"])
        let problem = try #require(summary.problems.first)
        #expect(problem.isNote)
        #expect(problem.message.contains("2 pictures were not read"))
        #expect(problem.message.hasSuffix("S/a.PNG, S/l.png (a link)."))
        #expect(problem.remedy.contains("<suite>/<name>.png"))
    }

    @Test("a new picture of one colour is named under verify as under record")
    func flat() throws {
        var builder = EvidenceBuilder()
        var capture = try EvidenceBuilder.capture("a", reference: nil)
        capture.warning = "it is one flat colour; was the screen drawn?"
        builder.add("a", [capture], verdict: .new)
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.problems.map(\.code) == ["suspicious-picture"])
        #expect(
            summary.snapshots.first?.words.hasPrefix("no reference yet; it is one flat") == true
        )
    }
}

extension TestEvidence {
    /// Changes the report of the last attempt, which decides the verdict.
    fileprivate mutating func withReport(_ change: (inout TestReport) -> Void) {
        guard let last = attempts.indices.last, var report else { return }
        change(&report)
        attempts[last] = Attempt(worker: attempts[last].worker, outcome: .reported(report))
    }
}
