// Tests that a prune keeps the sets that a coordinator's runs use, even if no pin names them any
// longer.
import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

@Suite("sets that runs use")
struct UsedSetTests {
    private let day = 86_400.0

    private func uses(_ fixture: PruneFixture) throws -> [String] {
        try fixture.fixture.git("for-each-ref", "--format=%(refname)", "refs/snapfarm/used")
            .split(separator: "\n").map(String.init)
    }

    @Test("what a run uses is not pruned for a week, whatever the policy says, and then it goes")
    func kept() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let new = try fixture.record(fixture.pictures("new"))
        try fixture.commit(new.pin)
        try fixture.store.noteUse(of: old.pin, now: fixture.now.addingTimeInterval(-day))
        try fixture.store.noteUse(of: old.pin, now: fixture.now)
        try fixture.store.noteUse(of: old.pin, now: fixture.now)
        let name = "refs/snapfarm/used/20231114/\(old.set)"
        #expect(try uses(fixture) == [name])

        let plan = try fixture.plan()
        #expect(plan.decision.dropped == [])
        let reasons = plan.decision.kept.first { $0.set == old.set }?.reasons.map(\.text)
        #expect(reasons == ["used by a run on 20231114"])
        try fixture.prune(now: fixture.now.addingTimeInterval(7 * day))
        #expect(try fixture.isWhole(old) && uses(fixture) == [name])

        let later = fixture.now.addingTimeInterval(8 * day)
        #expect(try fixture.prune(now: later).decision.dropped == [old.set])
        #expect(try uses(fixture) == [])
        #expect(try fixture.isWhole(new))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("a use that is noted after the plan was made is kept, and the plan holds")
    func sincePlan() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        let older = try fixture.record(fixture.pictures("older"), daysAgo: 300)
        try fixture.commit(try fixture.record(fixture.pictures("new")).pin)
        let plan = try fixture.plan()
        #expect(Set(plan.decision.dropped) == [old.set, older.set])
        try fixture.store.noteUse(of: old.pin, now: fixture.now)
        let report = try fixture.store.prune(
            plan,
            pins: { try fixture.pins(PruneFixture.strict) },
            conditions: PruneConditions(lockSeconds: 0)
        )
        #expect(report.decision.dropped == [older.set])
        #expect(try fixture.isWhole(old))
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("a pin that a merge of texts made stays readable without a set of its own")
    func merged() throws {
        let fixture = try PruneFixture()
        let left = try fixture.record(fixture.pictures("left"), daysAgo: 200)
        let right = try fixture.record(fixture.pictures("right"), daysAgo: 200, cell: "b")
        try fixture.commit(try fixture.record(fixture.pictures("new")).pin)
        var pin = left.pin
        for (path, tree) in right.pin.entries { pin[path] = tree }
        try fixture.store.noteUse(of: pin, now: fixture.now)
        try fixture.prune()
        let store = try ReferenceStore(opening: fixture.store.path)
        for cell in pin.cells {
            for reference in try store.references(pin, cell: cell) {
                _ = try store.read(reference.objectID)
            }
        }
        #expect(try fixture.fixture.faults() == [])
    }

    @Test("a pin that names what the store lacks is not noted, and stops no prune")
    func lacking() throws {
        let fixture = try PruneFixture()
        let old = try fixture.record(fixture.pictures("old"), daysAgo: 200)
        try fixture.commit(try fixture.record(fixture.pictures("new")).pin)
        try fixture.prune()
        #expect(throws: ReferenceStoreError.self) {
            try fixture.store.noteUse(of: old.pin, now: fixture.now)
        }
        #expect(try uses(fixture) == [])
        #expect(try fixture.plan().isEmpty)
    }
}
