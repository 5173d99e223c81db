// Tests of a prune that dies: by an error at every change of the disk, and by SIGKILL in a process
// of its own at some of them.
import Dispatch
import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting
import Synchronization
import Testing

@testable import FarmReferences

/// Counts changes of the disk and throws before one of them.
private final class Fuse: Sendable {
    struct Blown: Error {}
    private let state = Mutex<(count: Int, steps: Set<PruneStep>)>((0, []))
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    func before(_ step: PruneStep) throws {
        let count = state.withLock { state in
            state.count += 1
            state.steps.insert(step)
            return state.count
        }
        if count > limit { throw Blown() }
    }

    var steps: Set<PruneStep> { state.withLock(\.steps) }
}

/// The task of a process that will die during a prune.
private enum VictimTask {
    static let key = "SNAPFARM_TEST_PRUNE_VICTIM"

    /// The store, the main repository and the step, or `nil` in every process but the victim.
    static var given: [String]? {
        ProcessInfo.processInfo.environment[key].map { $0.components(separatedBy: "\n") }
    }

    /// Starts this test program again to run only the victim.
    ///
    /// This is not an exit test of Swift Testing, which waits for any child of the test process:
    /// servers of other tests end as well.
    static func run(_ store: String, _ main: String, until step: PruneStep) throws -> ProcessEnding
    {
        var words = CommandLine.arguments
        for option in ["--filter", "--skip"] {
            while let index = words.firstIndex(of: option) {
                words.removeSubrange(index..<min(index + 2, words.count))
            }
        }
        return try TestProcess.run(
            words + ["--filter", "PruneVictim"],
            environment: gitEnvironment([key: "\(store)\n\(main)\n\(step.rawValue)"])
        )
    }
}

@Suite("A prune that is killed", .enabled(if: VictimTask.given != nil))
struct PruneVictim {
    @Test("prunes up to a step and dies")
    func die() throws {
        let task = try #require(VictimTask.given)
        let policy = PruneFixture.strict
        let request = PinRootsRequest(
            repository: task[1],
            policy: policy,
            now: Date(timeIntervalSince1970: 1_700_000_000)
        )
        let store = try ReferenceStore(opening: task[0])
        let plan = try store.prunePlan(
            pins: try PinRoots(reading: request),
            policy: policy,
            now: request.now
        )
        let conditions = PruneConditions(
            before: { if $0.rawValue == task[2] { kill(getpid(), SIGKILL) } },
            lockSeconds: 0
        )
        _ = try store.prune(plan, pins: { try PinRoots(reading: request) }, conditions: conditions)
    }
}

/// A store that gives a prune every kind of work.
private final class BusyStore {
    let base: PruneFixture
    let kept: [RecordedSet]
    let merged: ReferencePin
    private let copy: String

    init() throws {
        base = try PruneFixture()
        copy = base.folder.file("copy.git")
        let one = try base.record(base.pictures("one"), daysAgo: 200)
        try base.record(base.pictures("old"), daysAgo: 190)
        try base.fixture.git("repack", "-adq")
        try base.fixture.git("multi-pack-index", "write")
        let tombstone = try base.record(base.pictures("tombstone"), daysAgo: 170)
        try base.fixture.git(
            "update-ref",
            "refs/snapfarm/trash/20200101/\(tombstone.set)",
            tombstone.set.hex
        )
        try base.fixture.git("update-ref", "-d", "refs/snapfarm/sets/\(tombstone.set)")
        let two = try base.record(base.pictures("two", count: 60), daysAgo: 180, cell: "b")
        try base.fixture.git("pack-refs", "--all")
        try base.commit(one.pin, on: "one")
        try base.commit(two.pin, on: "two")
        var merged = one.pin
        for (path, subtree) in two.pin.entries { merged[path] = subtree }
        try base.commit(merged)
        self.merged = merged
        kept = [one, two]
        let objects = base.store.path + "/objects/pack/"
        try Data("half".utf8).write(to: URL(fileURLWithPath: objects + "tmp_snapfarm_pack_abcdef"))
        let lock = base.store.path + "/refs/heads/main.lock"
        try Data().write(to: URL(fileURLWithPath: lock))
        try FileManager.default.copyItem(atPath: base.store.path, toPath: copy)
    }

    /// Restores the store to its original state, which is much faster than making another.
    func restore() throws {
        try FileManager.default.removeItem(atPath: base.store.path)
        try FileManager.default.copyItem(atPath: copy, toPath: base.store.path)
    }

    var policy: PrunePolicy {
        var policy = PruneFixture.strict
        policy.graceDays = 14
        return policy
    }

    /// Checks that kept sets are undamaged.
    func check(_ place: String) throws {
        #expect(try base.fixture.faults() == [], "\(place)")
        for made in kept { #expect(try base.isWhole(made), "\(place)") }
    }

    /// Checks that a prune after the crash ends in the same state as one without a crash.
    func converge(_ place: String) throws {
        var policy = policy
        policy.graceDays = 0
        try base.prune(policy)
        let set = try ReferenceStore(opening: base.store.path).setID(of: merged)
        #expect(try base.sets() == Set(kept.map(\.set.hex) + [set.hex]), "\(place)")
        #expect(try base.packFiles().count == 2, "\(place)")
        #expect(try base.looseCount() == 0, "\(place)")
        #expect(try base.fixture.git("for-each-ref", "refs/snapfarm/trash") == "", "\(place)")
        let locks = try run(
            "find",
            [base.store.path, "-name", "*.lock", "-not", "-name", "snapfarm.lock"]
        )
        #expect(locks.output == "", "\(place)")
        try check(place)
    }
}

@Suite("a prune that dies")
struct PruneCrashTests {
    @Test("at any change of the disk leaves a sound store, and the next one ends the same")
    func everywhere() throws {
        var limit = 0
        var seen: Set<PruneStep> = []
        let busy = try BusyStore()
        while true {
            try busy.restore()
            let fuse = Fuse(limit)
            var policy = busy.policy
            if limit.isMultiple(of: 2) { policy.graceDays = 0 }
            let conditions = PruneConditions(before: fuse.before, lockSeconds: 0)
            let blown = (try? busy.base.prune(policy, conditions: conditions)) == nil
            seen.formUnion(fuse.steps)
            let place = "before change \(limit + 1)"
            try busy.check(place)
            try busy.converge(place)
            guard blown else { break }
            // There are many similar entries and loose objects, so most of them are skipped.
            limit += fuse.steps.contains(.writeEntry) && !fuse.steps.contains(.finishPack) ? 23 : 1
            if fuse.steps.contains(.removeLoose) { limit += 15 }
        }
        let missed = Set(PruneStep.allCases).subtracting(seen)
        #expect(missed == [])
    }

    @Test(
        "by SIGKILL leaves a sound store and no lock that a person must remove",
        arguments: [
            PruneStep.moveNote, .removeReferences, .finishPack, .revealIndex, .removeOldPack,
        ]
    )
    func killed(step: PruneStep) throws {
        let busy = try BusyStore()
        let ending = try VictimTask.run(busy.base.store.path, busy.base.main, until: step)
        #expect(ending.status == 128 + SIGKILL, "\(ending.output)")
        try busy.check(step.rawValue)
        try busy.converge(step.rawValue)
    }

    @Test("waits for a recording that counts on pictures nobody refers to")
    func waits() throws {
        let fixture = try PruneFixture()
        let garbage = try fixture.record(fixture.pictures("garbage"), daysAgo: 200)
        let kept = try fixture.record(fixture.pictures("kept"))
        try fixture.commit(kept.pin)
        let plan = try fixture.plan()
        #expect(plan.decision.dropped == [garbage.set])
        let pins = try fixture.pins()
        let store = fixture.store
        let recording = try fixture.fixture.recording(
            "a",
            fixture.pictures("garbage").merging(["S/new": "new"]) { old, _ in old }
        )
        let bytes = fixture.fixture.bytes
        let ended = DispatchSemaphore(value: 0)
        // Called for the only missing picture: by now, the others count as present.
        let made = try store.record(base: ReferencePin(), recordings: [recording]) { picture in
            Thread.detachNewThread {
                _ = try? store.prune(plan, pins: { pins })
                ended.signal()
            }
            // Long enough for a prune that does not wait; a waiting prune goes on below.
            if ended.wait(timeout: .now() + 0.5) == .success { ended.signal() }
            return bytes[picture.objectID] ?? Data()
        }
        ended.wait()
        #expect(try fixture.isWhole(made) && fixture.isWhole(kept))
        #expect(try fixture.sets().contains(made.set.hex))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("while others record, nobody ever sees a set with a picture missing")
    func race() async throws {
        let fixture = try PruneFixture()
        let kept = try fixture.record(fixture.pictures("kept"))
        try fixture.commit(kept.pin)
        let path = fixture.store.path
        let main = fixture.main
        let now = fixture.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Self.recordAndCheck(path, rounds: 25) }
            group.addTask { try await Self.pruneAll(path, main, now, rounds: 25) }
            try await group.waitForAll()
        }
        #expect(try fixture.isWhole(kept))
        #expect(try fixture.fixture.faults() == [])
    }

    /// Records the same pictures repeatedly, after a prune has turned them into garbage.
    private static func recordAndCheck(_ path: String, rounds: Int) async throws {
        for round in 0..<rounds {
            var pictures: [SnapshotID: RecordedPicture] = [:]
            var bytes: [ObjectID: Data] = [:]
            for index in 0..<4 {
                let data = Data("PNG \(index) of \(round % 2)".utf8)
                let picture = RecordedPicture(
                    digest: Digest(of: data),
                    objectID: ObjectID(ofBlob: data)
                )
                bytes[picture.objectID] = data
                pictures[try id("c", "S/\(index)")] = picture
            }
            let store = try ReferenceStore(opening: path)
            let recording = CellRecording(
                cell: CellID("c"),
                replacesCell: true,
                pictures: pictures,
                suites: [:]
            )
            let made = try store.record(base: ReferencePin(), recordings: [recording]) {
                bytes[$0.objectID] ?? Data()
            }
            // Read at once: a prune may drop the set after it was recorded.
            let found = try? store.references(made.pin, cell: CellID("c"))
            for reference in found ?? [] {
                if let read = try? store.read(reference.objectID) {
                    #expect(read == bytes[reference.objectID])
                }
            }
            await Task.yield()
        }
    }

    private static func pruneAll(
        _ path: String,
        _ main: String,
        _ now: Date,
        rounds: Int
    ) async throws {
        let policy = PruneFixture.strict
        let request = PinRootsRequest(repository: main, policy: policy, now: now)
        for _ in 0..<rounds {
            let store = try ReferenceStore(opening: path)
            let plan = try store.prunePlan(
                pins: try PinRoots(reading: request),
                policy: policy,
                now: now
            )
            _ = try store.prune(plan, pins: { try PinRoots(reading: request) })
            let sound = try run("git", ["-C", path, "fsck", "--connectivity-only"])
            #expect(!(sound.output + sound.errors).contains("missing"), "\(sound)")
            await Task.yield()
        }
    }
}
