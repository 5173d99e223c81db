import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

/// Shards of one small run.
struct ShardFixture {
    var total = 2
    var key = "ci:1"
    var commit = "c0ffee"
    var pin = ReferencePin()
    var mode: RunMode = .verify
    var history: Digest?
    var tests = ["a", "b", "c", "d"]
    /// The indexes of the tests in each shard, or `nil` to split them by name.
    var cut: [[Int]]?

    /// Returns a pin other than the fixture's own.
    static func otherPin() throws -> ReferencePin {
        let text = "A/S\n \(String(repeating: "b", count: 40))\n"
        return try ReferencePin(parsing: Data(text.utf8))
    }

    var plan: Plan {
        var plan = HistoryFixture.plan([("snap", ["A"], tests)])
        plan.mode = mode
        plan.pin = pin
        return plan
    }

    func evidence(
        _ index: Int,
        id: String? = nil,
        finished: String = "2026-11-21T10:00:00.000Z",
        verdict: Verdict? = .passed
    ) throws -> PortableEvidence {
        let place = try #require(ShardPlace(index: index, total: total))
        var plan = plan
        plan.share =
            cut.map { PlanShare(place: place, history: history, tests: [[$0[index]]]) }
            ?? ShareRules.share(of: plan, at: place, history: nil)
        plan.share?.history = history
        let facts = RunFacts(
            id: id ?? "20261121-10000\(index)-abcd",
            key: key,
            pipeline: plan.pipeline,
            mode: mode,
            filtered: false,
            commit: commit,
            branch: "",
            pullRequest: "",
            set: "",
            planDigest: plan.digest.description,
            started: "2026-11-21T09:00:0\(index).000Z",
            finished: finished,
            shard: place.description
        )
        let tests = plan.shareKeys.map { key in
            let report = TestReport(test: key.test, ending: .passed, seconds: 1, startedAt: 5)
            return TestEvidence(
                key: key,
                verdict: verdict,
                note: "",
                attempts: [Attempt(worker: WorkerID("w1"), outcome: .reported(report))]
            )
        }
        let evidence = RunEvidence(
            facts: facts,
            plan: plan,
            tests: tests,
            leases: [LeaseEvidence(job: JobName("snap"), cell: CellID("A"))],
            references: [CellID("A"): CellReferences()],
            cancelled: false,
            startedAt: Int64(1_000 + index)
        )
        return PortableEvidence(evidence, facts: facts, files: [])
    }

    func member(_ index: Int, _ folder: String? = nil) throws -> ShareSet.Member {
        ShareSet.Member(folder: folder ?? "out-\(index)", evidence: try evidence(index))
    }
}

@Suite("Shares that become one run")
struct ShareSetTests {
    private func faults(_ members: [ShareSet.Member]) -> [ShardFault] {
        do throws(ShareSetError) {
            _ = try ShareSet(members)
            return []
        } catch {
            #expect(error.exit == .incomplete)
            return error.faults
        }
    }

    @Test("all shares in any order are the whole run, in plan order, with one clock")
    func whole() throws {
        let fixture = ShardFixture(total: 3)
        let members = try [2, 0, 1].map { try fixture.member($0) }
        let evidence = try ShareSet(members).evidence
        #expect(evidence.tests.map(\.key) == fixture.plan.shareKeys)
        #expect(evidence.plan.share == nil && evidence.facts.shard == nil)
        #expect(evidence.plan.digest.description == evidence.facts.planDigest)
        #expect(evidence.startedAt == 1_000 && evidence.leases.count == 3)
        #expect(evidence.facts.started == "2026-11-21T09:00:00.000Z")
        #expect(evidence.facts.id.hasPrefix("20261121-100000-m"))
        let workers = Set(evidence.tests.flatMap(\.attempts).map(\.worker.text))
        #expect(workers == ["s0.w1", "s1.w1", "s2.w1"])
        #expect(try ShareSet(members.reversed()).evidence.facts == evidence.facts)
        #expect(RunJudge.judge(evidence).summary.counts.passed == 4)
    }

    @Test("a missing share is named")
    func missing() throws {
        let fixture = ShardFixture(total: 3)
        let place = try #require(ShardPlace(index: 1, total: 3))
        let found = faults([try fixture.member(0), try fixture.member(2)])
        #expect(found == [.missing(place)])
    }

    @Test("a share of another run is named by its folder, with what differs")
    func foreign() throws {
        let fixture = ShardFixture(total: 3)
        let good = try [0, 1, 2].map { try fixture.member($0) }
        var others: [(String, ShardFixture)] = []
        others.append(("key", ShardFixture(total: 3, key: "ci:2")))
        others.append(("commit", ShardFixture(total: 3, commit: "beef")))
        others.append(("pin", ShardFixture(total: 3, pin: try ShardFixture.otherPin())))
        others.append(("mode", ShardFixture(total: 3, mode: .record)))
        others.append(("number", ShardFixture(total: 4)))
        others.append(("plan", ShardFixture(total: 3, tests: ["a", "b", "c", "e"])))
        for (what, other) in others {
            let found = faults(good + [try other.member(1, "stranger")])
            guard case .foreign("stranger", let words)? = found.first, found.count == 1 else {
                Issue.record("\(what): \(found)")
                continue
            }
            #expect(words.hasPrefix(what))
        }
    }

    @Test("shares that overlap are named, and so is what nobody ran")
    func overlapping() throws {
        let fixture = ShardFixture(cut: [[0, 1, 2], [2]])
        let found = faults([try fixture.member(0), try fixture.member(1)])
        let twice = HistoryFixture.key("c")
        let lost = HistoryFixture.key("d")
        #expect(
            found == [
                .overlapping(folder: "out-1", with: "out-0", twice),
                .leftOut(count: 1, first: lost),
            ]
        )
    }

    @Test("shares that were cut by unequal histories are found before their tests are compared")
    func otherHistory() throws {
        let digest = Digest(of: Data("a history".utf8))
        let fixture = ShardFixture(total: 3)
        let odd = ShardFixture(total: 3, history: digest)
        let found = faults([
            try fixture.member(0), try odd.member(1), try fixture.member(2),
        ])
        #expect(found == [.otherHistory(folders: ["out-1"])])
    }

    @Test("a share that did not finish is named, unless one that did stands for it")
    func unfinished() throws {
        let fixture = ShardFixture()
        let place = try #require(ShardPlace(index: 1, total: 2))
        let open = ShareSet.Member(
            folder: "open",
            evidence: try fixture.evidence(1, finished: "2026-11-21T12:00:00.000Z", verdict: nil)
        )
        let first = try fixture.member(0)
        #expect(faults([first, open]) == [.unfinished(folder: "open", place: place)])
        let set = try ShareSet([first, open, try fixture.member(1)])
        #expect(set.members.map(\.folder) == ["out-0", "out-1"])
        #expect(set.replaced.map(\.old) == ["open"])
    }

    @Test("of two outputs of one share the newest finished one counts, whatever came first")
    func replaced() throws {
        let fixture = ShardFixture()
        let newer = ShareSet.Member(
            folder: "again",
            evidence: try fixture.evidence(
                0,
                id: "20261121-110000-zzzz",
                finished: "2026-11-21T11:00:00.000Z"
            )
        )
        let rest = [try fixture.member(0), try fixture.member(1)]
        for given in [[newer] + rest, rest + [newer]] {
            let set = try ShareSet(given)
            #expect(set.members.map(\.folder) == ["again", "out-1"])
            #expect(set.replaced.map(\.old) == ["out-0"] && set.replaced.map(\.by) == ["again"])
        }
    }

    @Test("no shares at all are no run")
    func none() {
        #expect(throws: ShareSetError.self) { try ShareSet([]) }
    }
}

@Suite("Evidence of a share, as it comes from another machine")
struct ShardEvidenceTests {
    @Test("what a run writes has no fault, and reads back as it was")
    func good() throws {
        let evidence = try ShardFixture().evidence(0)
        #expect(evidence.fault() == nil && evidence.isFinished)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let bytes = try encoder.encode(evidence)
        let read = try JSONDecoder().decode(PortableEvidence.self, from: bytes)
        #expect(read.tests == evidence.tests && read.plan == evidence.plan)
        #expect(try encoder.encode(read) == bytes)
        #expect(read.plan.workTree.isEmpty && read.plan.jobs[0].prepared.isEmpty)
    }

    @Test("whatever is not of its plan and share is a fault")
    func faults() throws {
        let good = try ShardFixture().evidence(0)
        var bad: [(String, PortableEvidence)] = []
        func spoil(_ what: String, _ change: (inout PortableEvidence) -> Void) {
            var evidence = good
            change(&evidence)
            bad.append((what, evidence))
        }
        spoil("another plan") { $0.plan.pin = (try? ShardFixture.otherPin()) ?? ReferencePin() }
        spoil("a job twice") { evidence in
            evidence.plan.jobs.append(evidence.plan.jobs[0])
            evidence.facts.planDigest = evidence.plan.digest.description
        }
        spoil("a path as a cell") { evidence in
            evidence.plan.jobs[0].job.cells[0].id = CellID("..")
            evidence.facts.planDigest = evidence.plan.digest.description
        }
        spoil("no share") { $0.plan.share = nil }
        spoil("another place") { $0.facts.shard = "1/2" }
        spoil("places of no test") { $0.plan.share?.tests = [[[0, 9]]] }
        spoil("a test less") { $0.tests.removeLast() }
        spoil("a test twice") { $0.tests.append($0.tests[0]) }
        spoil("an impossible time") { $0.startedAt = .min }
        spoil("an impossible start") { evidence in
            let test = evidence.tests[0].key.test
            let report = TestReport(test: test, ending: .passed, seconds: 1, startedAt: .max)
            evidence.tests[0].attempts[0].outcome = .reported(report)
        }
        spoil("a lease of no job") { $0.leases[0].job = JobName("x") }
        spoil("a lease of an impossible number") { $0.leases[0].lease = .max }
        spoil("a test of an impossible lease") { $0.tests[0].lease = .max }
        spoil("a run without a name") { $0.facts.id = "../x" }
        let sizes: [[Int]] = [[-1], [.min, .min], [.max, .max], [-1, .min], [.min, -1, .max]]
        for sizes in sizes {
            spoil("files of the sizes \(sizes)") { evidence in
                evidence.files = sizes.map {
                    PortableEvidence.File(path: "a", digest: Digest(of: Data()), bytes: $0)
                }
            }
        }
        for (what, evidence) in bad {
            #expect(evidence.fault() != nil, "\(what)")
        }
    }

    @Test("a picture of another cell than its test's is a fault")
    func otherCell() throws {
        var evidence = try ShardFixture().evidence(0)
        let data = Data("picture".utf8)
        let capture = Capture(
            id: try SnapshotID(cell: CellID(".."), suite: "S", name: "n"),
            test: nil,
            digest: Digest(of: data),
            objectID: ObjectID(ofBlob: data),
            bytes: 7
        )
        let report = TestReport(
            test: evidence.tests[0].key.test,
            ending: .passed,
            seconds: 1,
            pictures: PictureReports(captures: [CaptureReport(capture: capture)])
        )
        evidence.tests[0].attempts = [
            Attempt(worker: WorkerID("w"), outcome: .reported(report))
        ]
        #expect(evidence.fault() == "a picture is of another cell")
    }
}
