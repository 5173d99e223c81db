import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

@Suite("the pins of a main repository")
struct PinRootsTests {
    /// Returns a pin of one folder whose object no store has.
    private func pin(_ digit: Character) throws -> ReferencePin {
        var pin = ReferencePin()
        let path = try #require(SubtreePath(cell: CellID("a"), folder: "S"))
        pin[path] = ObjectID(String(repeating: digit, count: 40))
        return pin
    }

    private func texts(_ roots: PinRoots) -> [String: [String]] {
        var found: [String: [String]] = [:]
        for root in roots.roots {
            guard case .pin(_, let pin) = root.target,
                let digit = pin.entries.first?.object.hex.first
            else { continue }
            found[String(digit)] = root.sources.map(\.text)
        }
        return found
    }

    @Test("are those of branches, tags and pull requests, each once")
    func living() throws {
        let fixture = try PruneFixture()
        try fixture.commit(try pin("1"), on: "old", daysAgo: 400)
        try fixture.git("tag", "-a", "v1", "-m", "one", "old")
        try fixture.git("update-ref", "refs/remotes/origin/old", "old")
        try fixture.commit(try pin("2"), on: "work")
        try fixture.git("update-ref", "refs/pull/7/head", "work")
        try fixture.git("update-ref", "refs/merge-requests/9/head", "work")
        try fixture.git("checkout", "--quiet", "main")
        try fixture.git("branch", "-D", "work")
        try fixture.commit(try pin("3"))
        var found = texts(try fixture.pins())
        #expect(
            found["1"] == [
                "old:snapfarm.refs", "origin/old:snapfarm.refs", "tags/v1:snapfarm.refs",
            ]
        )
        #expect(
            found["2"] == ["merge-requests/9/head:snapfarm.refs", "pull/7/head:snapfarm.refs"]
        )
        #expect(found["3"] == ["main:snapfarm.refs"])

        let policy = PrunePolicy(branches: ["main"], tags: [], pullRequests: ["7"], recentDays: 0)
        found = texts(try fixture.pins(policy))
        #expect(found.mapValues(\.count) == ["2": 1, "3": 1])
    }

    @Test("are those of recent commits along first parents, and of no older ones")
    func recent() throws {
        let fixture = try PruneFixture()
        try fixture.commit(try pin("1"), daysAgo: 60)
        try fixture.commit(try pin("2"), daysAgo: 20)
        // A commit with a wrong clock does not hide the commits below it.
        try fixture.commit(try pin("3"), daysAgo: 900)
        try fixture.commit(try pin("4"))
        let found = texts(try fixture.pins(PrunePolicy(recentDays: 30)))
        #expect(Set(found.keys) == ["2", "4"])
        #expect(found["2"]?.first?.hasSuffix(" of main:snapfarm.refs") == true)
        #expect(Set(texts(try fixture.pins(PrunePolicy(recentDays: 90))).keys) == ["1", "2", "4"])
    }

    @Test("may be submodules")
    func gitlink() throws {
        let fixture = try PruneFixture()
        let made = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let other = try fixture.record(fixture.pictures("other"), daysAgo: 100)
        try fixture.git(
            "update-index",
            "--add",
            "--cacheinfo",
            "160000,\(made.set),snapfarm.refs"
        )
        try fixture.git("commit", "--quiet", "-m", "submodule")
        #expect(try fixture.pins().roots.map(\.target) == [.set(made.set)])
        #expect(try fixture.prune().decision.kept.map(\.set).contains(made.set))
        #expect(try fixture.isWhole(made) && fixture.isWhole(other))
    }

    @Test("cannot be read from a shallow clone, and the error says how to mend it")
    func shallow() throws {
        let fixture = try PruneFixture()
        try fixture.commit(try pin("1"))
        try fixture.commit(try pin("2"))
        let clone = fixture.folder.file("clone")
        try fixture.shell("git", "clone", "--quiet", "--depth=1", "file://" + fixture.main, clone)
        let error = #expect(throws: PruneError.self) {
            try PinRoots(reading: PinRootsRequest(repository: clone, now: fixture.now))
        }
        #expect(error == .shallow(repository: clone))
        #expect(error?.remedy.contains("git -C \(clone) fetch --unshallow") == true)
        #expect(error?.exit == .configuration)
    }

    @Test("cannot be read from a clone of one branch or one without all objects")
    func partial() throws {
        let fixture = try PruneFixture()
        try fixture.commit(try pin("1"))
        try fixture.commit(try pin("2"), on: "work")
        let narrow = fixture.folder.file("narrow")
        try fixture.shell("git", "clone", "--quiet", "--single-branch", fixture.main, narrow)
        #expect(throws: PruneError.narrow(repository: narrow, remote: "origin")) {
            try PinRoots(reading: PinRootsRequest(repository: narrow, now: fixture.now))
        }
        let partial = fixture.folder.file("partial")
        try fixture.git("config", "uploadpack.allowFilter", "true")
        try fixture.shell(
            "git",
            "clone",
            "--quiet",
            "--bare",
            "--filter=blob:none",
            "file://" + fixture.main,
            partial
        )
        let error = #expect(throws: PruneError.self) {
            try PinRoots(reading: PinRootsRequest(repository: partial, now: fixture.now))
        }
        #expect(error?.code == "prune-history-missing")
    }

    @Test("are refused where one cannot be read, none is there, or a reference is missing")
    func refused() throws {
        let fixture = try PruneFixture()
        var error = #expect(throws: PruneError.self) { try fixture.pins() }
        #expect(error?.code == "prune-no-pins")
        try fixture.commit(try pin("1"))
        error = #expect(throws: PruneError.self) { try fixture.pins(named: ["release/9"]) }
        #expect(error == .referenceMissing("release/9", repository: fixture.main))
        #expect(try fixture.pins(named: ["main"]).roots.count == 1)

        try fixture.git("checkout", "--quiet", "-b", "broken")
        try fixture.folder.write("main/snapfarm.refs", "<<<<<<< ours\n")
        try fixture.git("commit", "--quiet", "-am", "broken")
        error = #expect(throws: PruneError.self) { try fixture.pins() }
        #expect(error?.code == "prune-pin-unreadable")
        #expect(error?.message.hasPrefix("broken:snapfarm.refs: ") == true)
    }
}

@Suite("a prune that fails closed")
struct PruneRefusalTests {
    @Test("a pin that the store does not have stops it, and in history it may be passed over")
    func pinMissing() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new"))
        var unknown = new.pin
        let path = try #require(SubtreePath(cell: CellID("z"), folder: "S"))
        unknown[path] = ObjectID(String(repeating: "9", count: 40))
        try fixture.commit(unknown, daysAgo: 3)
        var policy = PruneFixture.strict
        policy.recentDays = 30
        policy.missingPins = .passOverHistory
        var error = #expect(throws: PruneError.self) { try fixture.plan(policy) }
        #expect(error?.code == "prune-pin-not-in-store")
        #expect(error?.message.hasPrefix("main:snapfarm.refs: the pin names \"z/S\"") == true)

        try fixture.commit(new.pin)
        let plan = try fixture.plan(policy)
        #expect(plan.decision.dropped == [old.set])
        #expect(plan.absent.count == 1)
        policy.missingPins = .refuse
        error = #expect(throws: PruneError.self) { try fixture.plan(policy) }
        #expect(error?.code == "prune-pin-not-in-store")
    }

    @Test("a picture that a kept set has lost stops it before anything changes")
    func pictureMissing() throws {
        let fixture = try PruneFixture()
        fixture.fixture.staysBroken = true
        try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new"))
        try fixture.commit(new.pin)
        let lost = fixture.fixture.picture("new 1").objectID.hex
        try FileManager.default.removeItem(
            atPath: "\(fixture.store.path)/objects/\(lost.prefix(2))/\(lost.dropFirst(2))"
        )
        let before = try fixture.fixture.git("for-each-ref")
        let error = #expect(throws: PruneError.self) { try fixture.plan() }
        #expect(error?.message.contains(lost) == true)
        #expect(try fixture.fixture.git("for-each-ref") == before)
    }

    @Test("a set recorded since the plan is kept; a new pin or a moved reference ends it")
    func outdated() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let pinned = try fixture.record(fixture.pictures("pinned"), daysAgo: 150)
        try fixture.commit(pinned.pin)
        let plan = try fixture.plan()
        let since = try fixture.record(fixture.pictures("since"), daysAgo: 120)

        try fixture.commit(old.pin, on: "late")
        var error = #expect(throws: PruneError.self) {
            try fixture.store.prune(plan, pins: { try fixture.pins() })
        }
        #expect(error == .planOutdated(fact: "late:snapfarm.refs has a new pin"))
        #expect(error?.exit == .busy)
        try fixture.git("checkout", "--quiet", "main")
        try fixture.git("branch", "-D", "late")

        try fixture.fixture.git("update-ref", "refs/snapfarm/keep/x", old.set.hex)
        error = #expect(throws: PruneError.self) {
            try fixture.store.prune(plan, pins: { try fixture.pins() })
        }
        #expect(error?.code == "prune-plan-outdated")
        try fixture.fixture.git("update-ref", "-d", "refs/snapfarm/keep/x")

        let report = try fixture.store.prune(plan, pins: { try fixture.pins() })
        #expect(report.decision.dropped == [old.set])
        #expect(try fixture.isWhole(since) && fixture.isWhole(pinned))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("a disk that is too full is noticed before anything is written")
    func diskFull() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new"))
        try fixture.commit(new.pin)
        let error = #expect(throws: PruneError.self) {
            try fixture.prune(conditions: PruneConditions(freeBytes: { _ in 1_000 }))
        }
        #expect(error?.code == "disk-full")
        #expect(error?.exit == .inputOutput)
        #expect(try fixture.packFiles() == [])
        #expect(try fixture.isWhole(new))
        #expect(try fixture.fixture.faults() == [])
        // With enough space, the prune removes the bytes.
        try fixture.prune()
        #expect(try fixture.store.prunedFact(for: old.pin)?.set == old.set)
        #expect(try fixture.packFiles().count == 2)
    }

    @Test("pins that are all empty are not taken as leave to drop everything")
    func emptyPins() throws {
        let fixture = try PruneFixture()
        try fixture.record(fixture.pictures("old"), daysAgo: 200)
        try fixture.commit(ReferencePin())
        let error = #expect(throws: PruneError.self) { try fixture.plan() }
        #expect(error?.code == "prune-no-references")
    }

    @Test("a Git lock that nobody touches is removed, and named")
    func locks() throws {
        let fixture = try PruneFixture()
        let new = try fixture.record(fixture.pictures("new"))
        try fixture.commit(new.pin)
        let plan = try fixture.plan()
        let lock = fixture.store.path + "/packed-refs.lock"
        try Data().write(to: URL(fileURLWithPath: lock))
        let report = try fixture.store.prune(
            plan,
            pins: { try fixture.pins() },
            conditions: PruneConditions(lockSeconds: 0.05)
        )
        #expect(report.clearedLocks == [lock])
        #expect(!FileManager.default.fileExists(atPath: lock))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("a copy of the store that is not whole is not pruned")
    func partialStore() throws {
        let fixture = try PruneFixture()
        let new = try fixture.record(fixture.pictures("new"))
        try fixture.commit(new.pin)
        let copy = fixture.folder.file("copy.git")
        try fixture.shell(
            "git",
            "clone",
            "--quiet",
            "--mirror",
            "--filter=blob:none",
            "file://" + fixture.store.path,
            copy
        )
        let store = try ReferenceStore(opening: copy)
        #expect(throws: PruneError.partialStore(path: copy)) {
            try store.prunePlan(
                pins: try fixture.pins(),
                policy: PruneFixture.strict,
                now: fixture.now
            )
        }
    }
}
