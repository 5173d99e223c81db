import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("The rules of alternates")
struct AlternatesRulesTests {
    private func object(_ text: String) -> ObjectID { ObjectID(ofBlob: Data(text.utf8)) }

    private func picture(_ name: String, _ verdict: Verdict) throws -> ReviewPicture {
        ReviewPicture(
            id: try EvidenceBuilder.id(name),
            job: JobName("snap"),
            test: TestID("t"),
            verdict: verdict,
            testVerdict: nil,
            capture: Digest(of: Data(name.utf8)),
            reference: verdict == .new ? nil : object("old")
        )
    }

    @Test("only a changed picture becomes an alternate, and its reference stays")
    func chosen() throws {
        let pictures = [
            try picture("a", .changed), try picture("b", .new), try picture("c", .changed),
            try picture("d", .moved),
        ]
        let ids = pictures.map(\.id)
        let options = ApprovalOptions(alternates: [ids[0], ids[1], ids[3]])
        let choice = ApprovalRules.choose(pictures, options)
        #expect(choice.alternates.map(\.id) == [ids[0]] && choice.accepted.map(\.id) == [ids[2]])
        #expect(choice.left.map(\.bar) == [.withoutReference, .withoutReference])
        let recorded = RecordedPicture(objectID: object("x"))
        let made = ApprovalRules.recordings(
            of: choice,
            pictures: [ids[0]: recorded, ids[2]: recorded],
            records: [:],
            renderers: [],
            pipeline: "p"
        )
        #expect(made.map(\.alternates) == [[ids[0]: [recorded]]])
        #expect(made[0].pictures.keys.map(\.self) == [ids[2]])
    }

    @Test("alternates that others added or removed since the run make the picture a stranger")
    func strangers() throws {
        let one = try EvidenceBuilder.id("a")
        let main = [one: object("main")]
        func strangers(_ base: [String], _ now: [String], made: String?) -> [SnapshotID] {
            ApprovalRules.strangers(
                base: main,
                now: main,
                alternates: ([one: base.map(object)], [one: now.map(object)]),
                missing: []
            ) { _ in made.map(object) }
        }
        #expect(strangers([], ["b"], made: "b") == [])
        #expect(strangers(["b"], ["c", "b"], made: "c") == [])
        #expect(strangers(["b"], ["b"], made: nil) == [])
        #expect(strangers([], ["b"], made: "c") == [one])
        #expect(strangers([], ["b", "c"], made: "c") == [one])
        #expect(strangers(["b"], [], made: "b") == [one])
    }

    @Test(
        "what is accepted as an alternate stays one when it is published, unless it is decided anew",
        arguments: [
            ([.alternate], true), ([.alternate, .published], true),
            ([.alternate, .published, .withdrawn], true), ([.alternate, .withdrawn], false),
            ([.alternate, .accepted, .published], false), ([.alternate, .rejected], false),
            ([.accepted, .published], false), ([.accepted, .alternate, .published], true),
        ] as [([Decision.Kind], Bool)]
    )
    func book(_ kinds: [Decision.Kind], _ isAlternate: Bool) throws {
        let subject = try picture("a", .changed).subject
        let book = DecisionBook(
            kinds.map { kind in
                Decision(
                    kind: kind,
                    pipeline: "p",
                    snapshot: subject.snapshot,
                    capture: subject.capture,
                    reference: subject.reference,
                    reason: "",
                    who: "ada",
                    when: 1,
                    run: "r"
                )
            }
        )
        #expect(book.alternates.contains(subject) == isAlternate)
    }

    /// Evidence of a run with one picture that was compared with these alternates.
    private func evidence(
        _ bytes: String,
        _ alternates: [String],
        matches: String? = nil
    ) throws -> RunEvidence {
        var builder = EvidenceBuilder()
        try builder.expect("p", test: "t")
        builder.references.references[0].alternates = alternates.map(object)
        var report = try EvidenceBuilder.capture("p", bytes)
        report.alternates = alternates.map(object)
        if let matches {
            report.alternate = object(matches)
            report.comparison = .identicalBytes
        }
        let isGood = report.comparison?.matches == true
        builder.add("t", [report], verdict: isGood ? .passed : .changed)
        var evidence = builder.evidence
        evidence.facts.commit = "abc"
        evidence.facts.inputs = ["": Digest(of: Data())]
        return evidence
    }

    @Test("a match passes and is named, and a picture that matches none says how many it has")
    func judged() throws {
        let good = RunJudge.judge(try evidence("b", ["b", "c"], matches: "b"))
        let row = try #require(good.summary.snapshots.first)
        #expect(row.verdict == .passed && row.alternate == object("b").hex)
        #expect(row.alternates == [object("b").hex, object("c").hex])
        #expect(row.words == "as its alternate \(object("b").short)")
        // The run keeps no bytes of a capture that equals an alternate: these are the store's.
        #expect(good.pictures[row.id]?.captureIsReference == true)
        #expect(good.pictures[row.id]?.reference == object("b"))
        let bad = RunJudge.judge(try evidence("x", ["b", "c"]))
        #expect(
            bad.summary.snapshots.first?.words.hasSuffix("; it matches none of its 2 alternates")
                == true
        )
        #expect(bad.summary.snapshots.first?.alternateBar == nil)
        let full = RunJudge.judge(try evidence("x", ["b", "c", "d", "e"]))
        #expect(full.summary.snapshots.first?.alternateBar == .enoughAlternates)
    }

    @Test("a picture whose difference its framework found cannot become an alternate")
    func framework() throws {
        var builder = EvidenceBuilder()
        builder.job.judge = .framework
        try builder.expect("p", test: "t")
        builder.add("t", [try EvidenceBuilder.capture("p", "x")], verdict: .changed)
        var evidence = builder.evidence
        guard case .reported(var report) = evidence.tests[0].attempts[0].outcome else { return }
        report.pictures.differences = [
            DifferenceReport(
                id: try EvidenceBuilder.id("p"),
                reference: nil,
                failed: nil,
                diff: nil,
                comparison: nil
            )
        ]
        evidence.tests[0].attempts[0].outcome = .reported(report)
        let row = try #require(RunJudge.judge(evidence).summary.snapshots.first)
        #expect(row.verdict == .changed && !row.reference.isEmpty)
        #expect(row.alternateBar == .judgedByFramework)
    }

    @Test("a run is proven with exactly its alternates")
    func proof() throws {
        let one = try EvidenceBuilder.id("p")
        func isProven(_ references: Reference, _ evidence: RunEvidence) throws -> Bool {
            let proof = try #require(RunJudge.judge(evidence).summary.proof)
            return proof.references == RunProof.digest(of: [references])
        }
        let matched = try evidence("b", ["b", "c"], matches: "b")
        let known = ["b", "c"].map(object)
        #expect(
            try isProven(Reference(id: one, objectID: object("same"), alternates: known), matched)
        )
        #expect(try !isProven(Reference(id: one, objectID: object("same")), matched))
        #expect(
            try !isProven(
                Reference(id: one, objectID: object("same"), alternates: [object("c")]),
                matched
            )
        )
        #expect(try isProven(Reference(id: one, objectID: object("x")), evidence("x", ["b"])))
    }

    @Test("judged again, a picture is compared again only if its alternates are others")
    func again() throws {
        let run = try evidence("x", ["b"])
        func pairs(_ alternates: [String]) -> [Rejudgement.Pair] {
            var references = run.references
            references[CellID("c")]?.references[0].alternates = alternates.map(object)
            return Rejudgement(run, by: run.plan, references: references).pairs
        }
        #expect(pairs(["b"]).isEmpty)
        #expect(pairs(["b", "x"]).map(\.alternates) == [["b", "x"].map(object)])
        #expect(pairs([]).count == 1)
        let matched = try evidence("b", ["b"], matches: "b")
        let gone = Rejudgement(matched, by: matched.plan, references: [:]).pairs
        // Its bytes are those of the alternate.
        #expect(gone.map(\.known) == [object("b")])
        var now = run.references
        now[CellID("c")]?.references[0].alternates = [object("x")]
        let judged = Rejudgement(run, by: run.plan, references: now).evidence(
            with: [.compared(.identicalBytes, diff: nil, alternate: object("x"))]
        )
        #expect(RunJudge.judge(judged).summary.snapshots.map(\.alternate) == [object("x").hex])
        #expect(RunJudge.judge(judged).summary.state == .passed)
    }

    @Test("a report names no alternate that is none, and not more than are compared")
    func fault() throws {
        func fault(_ change: (inout CaptureReport) -> Void) throws -> String? {
            var report = TestReport(test: TestID("t"), ending: .passed, seconds: 1, startedAt: 5)
            var capture = try EvidenceBuilder.capture("p", "b")
            capture.alternates = [object("b")]
            change(&capture)
            report.pictures.captures = [capture]
            return report.fault
        }
        #expect(try fault { _ in } == nil)
        let good = try fault { report in
            report.alternate = object("b")
            report.comparison = .identicalBytes
        }
        #expect(good == nil)
        let bad: [(inout CaptureReport) -> Void] = [
            { $0.alternate = object("b") },
            { report in
                report.alternate = object("c")
                report.comparison = .identicalBytes
            },
            { $0.alternates = (0...4).map { object("\($0)") } },
        ]
        for change in bad { #expect(try fault(change)?.contains("alternates") == true) }
    }

    /// A run in which the picture `p` passed.
    private func run(_ known: [String], matches: String? = nil, verdict: Verdict = .passed) throws
        -> RunSummary
    {
        var summary = HistoryFixture.summary([HistoryFixture.row("t", 1)])
        var row = SnapshotSummary(
            id: try EvidenceBuilder.id("p").text,
            job: "snap",
            cell: "c",
            suite: "S",
            name: "p",
            identifier: "p",
            test: "t",
            verdict: verdict
        )
        row.alternates = known.isEmpty ? nil : known.map { object($0).hex }
        row.alternate = matches.map { object($0).hex }
        summary.snapshots = [row]
        return summary
    }

    @Test("uses are counted while an alternate is known, also in the file of a history")
    func uses() throws {
        let one = try EvidenceBuilder.id("p")
        var history = RunHistory()
        history.add(try run([]))
        #expect(history.alternates.pictures.isEmpty && !history.text.contains("alternates"))
        history.add(try run(["b", "c"], matches: "b"))
        history.add(try run(["b", "c"]))
        history.add(try run(["b", "c"], verdict: .changed))
        history.add(try run(["b", "c"], matches: "c"))
        #expect(history.alternates[one, object("b")] == AlternateUse(uses: 1, idle: 2))
        #expect(history.alternates[one, object("c")] == AlternateUse(uses: 1, idle: 0))
        let read = try RunHistory(parsing: Data(history.text.utf8))
        #expect(read == history && read.text == history.text)
        history.add(try run(["b"]))
        #expect(history.alternates[one, object("c")] == nil)
        #expect(history.alternates[one, object("b")] == AlternateUse(uses: 1, idle: 3))
        history.add(try run([]))
        #expect(history.alternates.pictures.isEmpty)
        let bad = read.text.replacing("\"idle\":2", with: "\"idle\":-2")
        #expect(bad != read.text)
        #expect(throws: HistoryError.self) { try RunHistory(parsing: Data(bad.utf8)) }
    }
}
