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
        let ids = try bench.review(run, select: ["snapshot=A/S/one"]).rejected()
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
        #expect(!review.hasPictures)
        #expect(try review.rejected().isEmpty)
    }

    @Test("decisions are kept beside the run's files and in the data folder, and read back as one")
    func kept() throws {
        let bench = try ReviewBench()
        let reviewer = Reviewer(name: "ada", reason: "too pale", now: 1_700_000_000_000)
        let id = try ReviewBench.id("one")
        let file = ReviewFile(run: "r1", data: bench.folder.path, folder: bench.folder.file("out"))
        try file.add(reviewer.notes([id], .rejected))
        #expect(file.paths.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        let notes = try file.read()
        #expect(notes.rejected == [id])
        #expect(notes.decisions.map(\.who) == ["ada"])
        #expect(notes.decisions.map(\.when) == ["2023-11-14T22:13:20.000Z"])
        try file.add(reviewer.notes([id], .approved))
        #expect(try file.read().rejected.isEmpty)
        let other = ReviewFile(run: "r2", data: bench.folder.path, folder: bench.folder.file("out"))
        #expect(try other.read().decisions.isEmpty)
    }

    @Test("a damaged review file stops the review: it may hold what a person rejected")
    func damagedFile() throws {
        let bench = try ReviewBench()
        let file = ReviewFile(run: "r1", data: bench.folder.path, folder: nil)
        try bench.folder.write("reviews/r1/review.json", "{")
        let error = #expect(throws: ReviewRefusal.self) { try file.read() }
        #expect(error?.code == "review-not-a-run")
    }
}
