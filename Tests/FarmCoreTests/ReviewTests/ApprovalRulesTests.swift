import FarmCore
import Foundation
import Testing

@Suite("What a review may approve")
struct ApprovalRulesTests {
    private func picture(
        _ name: String,
        _ verdict: Verdict,
        test: Verdict? = nil,
        cell: String = "c",
        hasCapture: Bool = true
    ) throws -> ReviewPicture {
        ReviewPicture(
            id: try SnapshotID(cell: CellID(cell), suite: "S", name: name),
            job: JobName("snap"),
            test: TestID("t/\(name)"),
            verdict: verdict,
            testVerdict: test,
            capture: hasCapture ? Digest(of: Data(name.utf8)) : nil
        )
    }

    private func object(_ text: String) -> ObjectID { ObjectID(ofBlob: Data(text.utf8)) }

    @Test(
        "only changed, new and moved become references, and missing leaves only when it is said",
        arguments: Verdict.allCases
    )
    func verdicts(_ verdict: Verdict) throws {
        let one = try picture("a", verdict)
        let plain = ApprovalRules.choose([one], ApprovalOptions())
        let removing = ApprovalRules.choose([one], ApprovalOptions(removesMissing: true))
        let accepts = [.changed, .new, .moved].contains(verdict)
        #expect(plain.accepted == (accepts ? [one] : []))
        #expect(plain.removed.isEmpty && plain.left.count == (accepts ? 0 : 1))
        #expect(removing.removed == (verdict == .missing ? [one] : []))
        #expect(ApprovalRules.isReviewable(one) == (accepts || verdict == .missing))
    }

    @Test(
        "pictures of a test that failed or did not end keep their references",
        arguments: [Verdict.failed, .errored]
    )
    func failedTest(_ test: Verdict) throws {
        let pictures = [
            try picture("a", .changed, test: test), try picture("b", .missing, test: test),
            try picture("c", .changed, test: .changed), try picture("d", .missing, test: .missing),
        ]
        let choice = ApprovalRules.choose(pictures, ApprovalOptions(removesMissing: true))
        #expect(choice.accepted.map(\.id.name) == ["c"])
        #expect(choice.removed.map(\.id.name) == ["d"])
        #expect(choice.left.map(\.bar) == [.test(test), .test(test)])
    }

    @Test("a rejected picture stays out until it is asked for, and one without bytes always")
    func rejectedAndAbsent() throws {
        let one = try picture("a", .changed)
        let bare = try picture("b", .changed, hasCapture: false)
        let choice = ApprovalRules.choose([one, bare], ApprovalOptions(), rejected: [one.id])
        #expect(choice.accepted.isEmpty)
        #expect(choice.left.map(\.bar) == [.rejected, .withoutPicture])
        let forced = ApprovalRules.choose(
            [one, bare],
            ApprovalOptions(takesRejected: true),
            rejected: [one.id]
        )
        #expect(forced.accepted == [one])
    }

    @Test("references that changed since the run are strangers, unless the run explains them")
    func strangers() throws {
        let ids = try ["a", "b", "c", "d", "e"].map { try picture($0, .changed).id }
        let base = [ids[0]: object("1"), ids[1]: object("2"), ids[2]: object("3")]
        // a: as in the run; b: approved; c: dropped as missing; d: new and approved; e: foreign.
        let now = [
            ids[0]: object("1"), ids[1]: object("B"), ids[3]: object("D"), ids[4]: object("E"),
        ]
        let made = [ids[1]: object("B"), ids[3]: object("D"), ids[4]: object("other")]
        #expect(
            ApprovalRules.strangers(base: base, now: now, missing: [ids[2]]) { made[$0] }
                == [ids[4]]
        )
        #expect(
            ApprovalRules.strangers(base: base, now: now, missing: []) { made[$0] }
                == [ids[2], ids[4]]
        )
        #expect(ApprovalRules.strangers(base: base, now: base, missing: []) { _ in nil }.isEmpty)
    }

    @Test("the records name job, test and what drew the pictures in this run")
    func records() throws {
        let pictures = [
            try picture("a", .changed), try picture("b", .new),
            try picture("gone", .missing, cell: "other", hasCapture: false),
        ]
        let choice = ApprovalRules.choose(pictures, ApprovalOptions(removesMissing: true))
        let bytes = RecordedPicture(digest: Digest(of: Data()), objectID: object("x"))
        let old = SuiteRecord(job: JobName("old"), renderer: ["browser": "1"], tests: [:])
        let new = RunRenderer(
            job: JobName("snap"),
            cell: CellID("c"),
            renderer: ["browser": "2"]
        )
        func recordings(_ renderers: [RunRenderer]?) -> [CellRecording] {
            ApprovalRules.recordings(
                of: choice,
                pictures: [pictures[0].id: bytes, pictures[1].id: bytes],
                records: [CellID("c"): ["S": old]],
                renderers: renderers,
                pipeline: "p"
            )
        }
        let known = recordings([new])
        #expect(known.map(\.cell.text) == ["c", "other"])
        #expect(known.allSatisfy { !$0.replacesCell })
        #expect(known[0].pictures.count == 2 && known[0].removed.isEmpty)
        #expect(
            known[0].suites["S"]
                == SuiteRecord(
                    pipeline: "p",
                    job: JobName("snap"),
                    renderer: ["browser": "2"],
                    tests: ["S/a": TestID("t/a"), "S/b": TestID("t/b")]
                )
        )
        #expect(known[1].removed == [pictures[2].id] && known[1].suites.isEmpty)
        // A run without renderer data keeps the known renderer; a run with an empty list clears it.
        #expect(recordings(nil)[0].suites["S"]?.renderer == ["browser": "1"])
        #expect(recordings([])[0].suites["S"]?.renderer == [:])
    }

    @Test("the first lease that knows its renderer speaks for its job and cell")
    func renderers() {
        func lease(_ job: String, _ cell: String, _ version: String) -> LeaseEvidence {
            LeaseEvidence(
                job: JobName(job),
                cell: CellID(cell),
                renderer: version.isEmpty ? [:] : ["browser": version]
            )
        }
        let all = RunRenderer.all(of: [
            lease("b", "x", ""), lease("b", "x", "1"), lease("a", "y", "2"), lease("b", "x", "3"),
        ])
        #expect(
            all.map { "\($0.job)/\($0.cell) \($0.renderer["browser"] ?? "")" }
                == ["a/y 2", "b/x 1"]
        )
    }

    @Test(
        "a snapshot id is taken only as it is written",
        arguments: [
            ("c/S/a", true), ("c/S/deep/a", true), ("c/ログ/a b", true), ("c/a", false),
            ("c//a", false), ("../S/a", false), ("c/../a", false), ("c/S/..", false), ("", false),
            ("/c/S/a", false), ("c/S/a/", false), ("c/S/cafe\u{301}", false),
            ("c/S/a\n", false), ("c/S/" + String(repeating: "x", count: 300), false),
        ]
    )
    func ids(_ text: String, _ isValid: Bool) {
        let id = SnapshotID(exactly: text)
        #expect(id?.text == (isValid ? text : nil))
    }
}
