import FarmCore
import FarmReferences
import FarmReview
import FarmTesting
import Foundation
import Testing

@Suite("Rejecting pictures of a run")
struct RejectionTests {
    @Test("a rejection changes no reference, and the next approval leaves its picture out")
    func leftOut() async throws {
        let bench = try ReviewBench()
        try await bench.finish(["one": 200, "two": 10, "three": 90])
        let sets = try bench.store.sets()
        let run = try await bench.fromLedger()
        let ids = try bench.review(run, select: ["snapshot=A/S/one"]).decidable().map(\.id)
        #expect(ids == [try ReviewBench.id("one")])
        #expect(try bench.store.sets() == sets)
        #expect(try bench.shades(bench.base) == ["one": 10, "two": 10, "three": 10])
        let approval = Approval(of: try bench.review(run), over: bench.base, in: bench.store)
        let plan = try approval.plan(rejected: Set(ids))
        #expect(plan.choice.left.map(\.bar) == [.rejected])
        #expect(
            try bench.shades(try approval.record(plan).pin) == ["one": 10, "two": 10, "three": 90]
        )
        let taken = try approval.plan(ApprovalOptions(takesRejected: true), rejected: Set(ids))
        #expect(taken.choice.accepted.count == 2)
    }

    @Test("what is as expected cannot be rejected, since it is no picture of a review")
    func nothingToReject() async throws {
        let bench = try ReviewBench()
        try await bench.finish(["one": 10, "two": 10, "three": 10])
        let review = try bench.review(try await bench.fromLedger())
        let approval = Approval(of: review, over: bench.base, in: bench.store)
        #expect(try !approval.isOpen(in: DecisionBook([]), isNewest: true))
        #expect(try review.decidable().isEmpty)
    }

    @Test(
        "a rejection of another run counts while it is the same picture against the same reference",
        arguments: [
            ([Decision.Kind.rejected], ["one"]), ([.rejected, .withdrawn], []),
            ([.rejected, .accepted], []), ([.commented], []), ([], []),
        ]
    )
    func survives(_ kinds: [Decision.Kind], _ rejected: [String]) async throws {
        let bench = try ReviewBench()
        try await bench.finish(["one": 200, "two": 10, "three": 90])
        let review = try bench.review(try await bench.fromLedger(), select: ["snapshot=A/S/one"])
        let ada = Reviewer(name: "ada", reason: "too pale", now: 1)
        var all = try kinds.flatMap { review.decisions($0, try review.decidable(), by: ada) }
        #expect(all.allSatisfy { $0.run == "r1" && $0.pipeline == "p" && $0.fault == nil })
        for index in all.indices { all[index].run = "earlier" }
        #expect(review.rejected(in: DecisionBook(all)).map(\.name) == rejected)
        for index in all.indices { all[index].capture = Digest(of: Data("other".utf8)) }
        #expect(review.rejected(in: DecisionBook(all)).isEmpty)
    }

    @Test("a change is chosen by its id in every form of a run, and an unknown one is refused")
    func changes() async throws {
        let bench = try ReviewBench()
        var judged = try await bench.finish(["one": 200, "two": 10, "three": 90])
        let change = ChangeSummary(id: "c1", words: "", cells: "", snapshots: ["A/S/one"])
        judged.summary.changes = [change]
        let summary = try JSONEncoder().encode(judged.summary)
        let folder = try bench.fromFolder(judged) { _ in
            try bench.folder.write("out/summary.json", summary)
        }
        let review = try Review(folder, of: ReviewedProject(bench.plan), changes: ["c1"])
        #expect(review.selected.map(\.id.name) == ["one"])
        #expect(throws: ReviewRefusal.nothingSelected(["snapshot=*/three"], changes: ["c1"])) {
            try Review(
                folder,
                of: ReviewedProject(bench.plan),
                select: ["snapshot=*/three"],
                changes: ["c1"]
            )
        }
        for run in [folder, try bench.fromZip(judged), try await bench.fromLedger()] {
            #expect(throws: ReviewRefusal.unknownChanges(run: "r1", ["c2"])) {
                try Review(run, of: ReviewedProject(bench.plan), changes: ["c2"])
            }
        }
    }
}
