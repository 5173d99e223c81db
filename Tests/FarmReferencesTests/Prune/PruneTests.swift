import FarmCore
import FarmGit
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

@Suite("pruning a store")
struct PruneTests {
    @Test("what no branch pins goes, what one pins keeps its id and its pictures")
    func drops() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let middle = try fixture.record(fixture.pictures("middle"), daysAgo: 150)
        let new = try fixture.record(fixture.pictures("new"), daysAgo: 100)
        try fixture.commit(middle.pin, on: "release/1")
        try fixture.commit(new.pin)
        let before = try fixture.fixture.git("for-each-ref")
        let plan = try fixture.plan()
        #expect(try fixture.fixture.git("for-each-ref") == before)
        #expect(plan.decision.dropped == [old.set])
        #expect(Set(plan.decision.kept.map(\.set)) == [middle.set, new.set])
        // Nine objects: three pictures, the suite, the cell, the root, the set, and the journal's
        // root and page.
        #expect((plan.freedOnHost?.objects ?? 0) >= 9)

        let report = try fixture.prune()
        #expect(report.decision.dropped == [old.set])
        #expect(report.bytesAfter < report.bytesBefore)
        #expect(try fixture.fixture.faults() == [])
        #expect(try fixture.sets() == [middle.set.hex, new.set.hex])
        #expect(try fixture.isWhole(middle) && fixture.isWhole(new))
        let gone = try run("git", ["-C", fixture.store.path, "cat-file", "-e", old.set.hex])
        #expect(gone.status != 0)
        #expect(try fixture.looseCount() == 0)
        #expect(try fixture.packFiles().count == 2)
    }

    @Test("a prune that fails puts its references back, or names those that it could not")
    func notUndone() throws {
        struct Full: ExplainedError {
            let code = "full", message = "the disk is full.", remedy = "",
                exit = ExitCode.inputOutput
        }
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        try fixture.commit(try fixture.record(fixture.pictures("new")).pin)
        let name = "refs/snapfarm/sets/\(old.set)"
        let lock = "\(fixture.store.path)/\(name).lock"
        var conditions = PruneConditions(lockSeconds: 0)
        conditions.before = { step in
            guard step == .startPack else { return }
            throw Full()
        }
        #expect(throws: Full.self) { try fixture.prune(conditions: conditions) }
        #expect(try fixture.sets().contains(old.set.hex))

        conditions.before = { step in
            guard step == .startPack else { return }
            try Data().write(to: URL(fileURLWithPath: lock))
            throw Full()
        }
        let error = #expect(throws: PruneError.self) { try fixture.prune(conditions: conditions) }
        #expect(error?.code == "prune-not-undone")
        #expect(error?.message.hasPrefix("the disk is full. ") == true, "\(error?.message ?? "")")
        let command = "git -C \(fixture.store.path) update-ref \(name) \(old.set)"
        #expect(error?.remedy.contains(command) == true, "\(error?.remedy ?? "")")
        try FileManager.default.removeItem(atPath: lock)
        try fixture.fixture.git("update-ref", name, old.set.hex)
        #expect(try fixture.isWhole(old))
    }

    @Test("a second prune finds nothing to do")
    func again() throws {
        let fixture = try PruneFixture()
        try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new"))
        try fixture.commit(new.pin)
        #expect(try !fixture.plan().isEmpty)
        try fixture.prune()
        let files = try fixture.packFiles()
        let plan = try fixture.plan()
        #expect(plan.isEmpty, "\(plan.text)")
        #expect(plan.freedOnHost?.objects == 0)
        try fixture.prune()
        #expect(try fixture.packFiles() == files)
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("with a grace a set is a tombstone first, and a pin brings it back")
    func grace() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new"))
        try fixture.commit(new.pin)
        var policy = PruneFixture.strict
        policy.graceDays = 14
        #expect(try fixture.prune(policy).decision.tombstoned == [old.set])
        let trash = "refs/snapfarm/trash/20231114/\(old.set)"
        #expect(try fixture.fixture.git("rev-parse", trash) == "\(old.set)\n")
        #expect(try fixture.isWhole(old))

        let later = fixture.now.addingTimeInterval(13 * 86_400)
        #expect(try fixture.prune(policy, now: later).decision.waiting.map(\.set) == [old.set])
        try fixture.commit(old.pin, on: "back")
        #expect(try fixture.prune(policy, now: later).decision.restored == [old.set])
        #expect(try fixture.sets().contains(old.set.hex))
        #expect(try fixture.fixture.git("for-each-ref", "refs/snapfarm/trash") == "")

        try fixture.git("checkout", "--quiet", "main")
        try fixture.git("branch", "-D", "back")
        try fixture.prune(policy, now: later)
        let last = later.addingTimeInterval(15 * 86_400)
        #expect(try fixture.prune(policy, now: last).decision.dropped == [old.set])
        #expect(try fixture.isWhole(new))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("the journal keeps the entries of kept sets and no others")
    func journal() throws {
        let fixture = try PruneFixture()
        let sets = try (0..<4).map {
            try fixture.record(fixture.pictures("set \($0)"), daysAgo: 200 - Double($0))
        }
        try fixture.commit(sets[1].pin, on: "old")
        try fixture.commit(sets[3].pin)
        let tree = try fixture.fixture.git("rev-parse", "main^{tree}")
        #expect(try fixture.prune().journalEntriesRemoved == 2)
        #expect(try fixture.fixture.git("rev-parse", "main^{tree}") == tree)
        let trailers = try fixture.fixture.git(
            "log",
            "--first-parent",
            "--format=%(trailers:key=Snapfarm-Set,valueonly)",
            "main"
        ).split(separator: "\n").map(String.init)
        #expect(trailers == [sets[3].set.hex, sets[1].set.hex])
        let parents = try fixture.fixture.git("log", "-1", "--format=%P", "main")
        #expect(parents.hasSuffix(" \(sets[3].set)\n"))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("a dropped set is remembered with its day, the policy and the nearest kept set")
    func remembered() throws {
        let fixture = try PruneFixture()
        let kept = try fixture.record(fixture.pictures("kept"), daysAgo: 190)
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new"), daysAgo: 10)
        try fixture.commit(kept.pin, on: "release")
        try fixture.commit(new.pin)
        #expect(try fixture.store.prunedFact(for: old.pin) == nil)
        try fixture.prune()
        let fact = try #require(try fixture.store.prunedFact(for: old.pin))
        #expect(fact.set == old.set)
        #expect(fact.dropped.text == "2023-11-14")
        #expect(fact.nearest == kept.set)
        #expect(fact.policy == PruneFixture.strict.text)
        #expect(fact.recorded == Int(fixture.now.timeIntervalSince1970) - 200 * 86_400)

        // The nearest set is dropped as well: then its own nearest set is the answer.
        try fixture.git("branch", "-D", "release")
        try fixture.prune()
        #expect(try fixture.store.prunedFact(for: old.pin)?.nearest == new.set)
        // A branch that still pins the dropped set is skipped, not refused.
        try fixture.commit(old.pin, on: "ancient")
        let plan = try fixture.plan()
        #expect(plan.absent.map(\.pruned?.set) == [old.set])
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("a set that is recorded again is no longer remembered as pruned")
    func recordedAgain() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new"), daysAgo: 10)
        try fixture.commit(new.pin)
        try fixture.prune()
        let again = try fixture.record(fixture.pictures("old"), daysAgo: 1)
        #expect(again.set == old.set)
        #expect(try fixture.store.prunedFact(for: old.pin) == nil)
        try fixture.commit(old.pin, on: "again")
        try fixture.prune()
        #expect(try fixture.isWhole(again) && fixture.isWhole(new))
        #expect(try !fixture.fixture.git("show", "refs/snapfarm/pruned").contains(old.set.hex))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("of sets recorded in one second the last entry of the journal is the newest")
    func sameSecond() throws {
        let fixture = try PruneFixture()
        let sets = try (0..<4).map {
            try fixture.record(fixture.pictures("set \($0)"), daysAgo: 100)
        }
        // Another set than the newest, which the front page keeps: ids alone would choose any of
        // them.
        try fixture.commit(sets[0].pin)
        var policy = PruneFixture.strict
        policy.newestCount = 2
        let plan = try fixture.plan(policy)
        #expect(plan.decision.dropped == [sets[1].set])
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("young sets, the newest sets and keep references stay without a pin")
    func reasons() throws {
        let fixture = try PruneFixture()
        let ages: [Double] = [200, 150, 120, 5]
        let sets = try ages.map { try fixture.record(fixture.pictures("\($0)"), daysAgo: $0) }
        let pinned = try fixture.record(fixture.pictures("pinned"), daysAgo: 300)
        try fixture.commit(pinned.pin)
        try fixture.fixture.git("update-ref", "refs/snapfarm/keep/v1", sets[0].set.hex)
        var policy = PruneFixture.strict
        policy.newestCount = 2
        policy.youngDays = 30
        let plan = try fixture.plan(policy)
        #expect(plan.decision.dropped == [sets[1].set])
        let reasons = Dictionary(
            uniqueKeysWithValues: plan.decision.kept.map { ($0.set, $0.reasons.map(\.text)) }
        )
        #expect(reasons[sets[0].set] == ["kept by refs/snapfarm/keep/v1"])
        #expect(reasons[sets[2].set] == ["newest 2"])
        #expect(reasons[sets[3].set] == ["newest 1", "5 days old"])
        #expect(
            reasons[pinned.set] == ["pinned by main:snapfarm.refs", "shown on the front page"]
        )
        try fixture.prune(policy)
        #expect(try fixture.isWhole(sets[0]) && fixture.isWhole(pinned))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("a pin that a merge of texts made gets its set")
    func mergedPin() throws {
        let fixture = try PruneFixture()
        let one = try fixture.record(fixture.pictures("1"), daysAgo: 200)
        let two = try fixture.record(fixture.pictures("2"), daysAgo: 200, cell: "b")
        var merged = one.pin
        for (path, subtree) in two.pin.entries { merged[path] = subtree }
        try fixture.commit(merged)
        let plan = try fixture.plan()
        #expect(plan.published.count == 1)
        #expect(Set(plan.decision.dropped) == [one.set])
        let report = try fixture.prune()
        let set = try fixture.store.setID(of: merged)
        #expect(report.published == [set])
        #expect(try fixture.sets() == [set.hex, two.set.hex])
        let whole = RecordedSet(pin: merged, set: set, outcomes: [:])
        #expect(try fixture.isWhole(whole))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("a plan prints and encodes what it would do")
    func shown() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new"))
        try fixture.commit(new.pin)
        let plan = try fixture.plan()
        #expect(plan.text.contains("keep \(new.set): pinned by main:snapfarm.refs"))
        #expect(plan.text.contains("drop \(old.set)\n"))
        let encoder = JSONEncoder()
        let json = try #require(
            try JSONSerialization.jsonObject(with: encoder.encode(plan)) as? [String: Any]
        )
        let decision = try #require(json["decision"] as? [String: Any])
        #expect(decision["dropped"] as? [String] == [old.set.hex])
        #expect(
            plan.referenceEdits
                == [ReferenceEdit(name: "refs/snapfarm/sets/\(old.set)", object: nil)]
        )
    }
}
