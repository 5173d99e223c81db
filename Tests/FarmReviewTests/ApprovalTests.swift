import FarmCore
import FarmReferences
import FarmReview
import Foundation
import Testing

@Suite("Approving a run")
struct ApprovalTests {
    private static let drawn: [String: UInt8] = ["one": 200, "two": 10, "three": 90, "four": 40]

    @Test("a ledger, an output folder and a zip of one run give the same set and pin")
    func threeForms() async throws {
        let bench = try ReviewBench()
        let judged = try await bench.finish(Self.drawn)
        let fromLedger = try bench.approve(try await bench.fromLedger())
        #expect(try bench.approve(try bench.fromFolder(judged)) == fromLedger)
        #expect(try bench.approve(try bench.fromZip(judged)) == fromLedger)
        #expect(fromLedger.set == fromLedger.pin.setID)
        #expect(try bench.shades(fromLedger.pin) == Self.drawn)
        #expect(try bench.store.sets().contains(fromLedger.set))
    }

    @Test("a set is made on another machine from the zip alone, over the same references")
    func elsewhere() async throws {
        let (here, there) = (try ReviewBench(), try ReviewBench())
        let judged = try await here.finish(Self.drawn)
        #expect(here.base == there.base)
        let approved = try there.approve(try here.fromZip(judged))
        #expect(approved == (try here.approve(try await here.fromLedger())))
    }

    @Test("a plan writes nothing, and names what becomes of each picture")
    func planOnly() async throws {
        let bench = try ReviewBench()
        try await bench.finish(Self.drawn)
        let sets = try bench.store.sets()
        let review = try bench.review(try await bench.fromLedger())
        let plan = try Approval(of: review, over: bench.base, in: bench.store).plan()
        #expect(plan.choice.accepted.map(\.id.name) == ["four", "one", "three"])
        #expect(plan.choice.left.isEmpty && plan.present.isEmpty)
        #expect(plan.recordings.map(\.cell) == [ReviewBench.cell])
        #expect(try bench.store.sets() == sets)
        let document = ApprovalDocument(plan, run: "r1", pinFile: "/p", isDryRun: true)
        #expect(document.counts == "2 changed, 1 new")
        #expect(document.lines.first == "Would approve 2 changed, 1 new of run r1:")
    }

    @Test("only what is selected becomes a reference, and approving the rest adds to it")
    func selected() async throws {
        let bench = try ReviewBench()
        try await bench.finish(Self.drawn)
        let run = try await bench.fromLedger()
        let some = try bench.review(run, select: ["snapshot=A/S/one"])
        let first = Approval(of: some, over: bench.base, in: bench.store)
        let one = try first.record(try first.plan())
        #expect(
            try bench.shades(one.pin) == ["one": 200, "two": 10, "three": 10]
        )
        #expect(try bench.shades(try bench.approve(run, over: one.pin).pin) == Self.drawn)
        #expect(throws: ReviewRefusal.nothingSelected(["snapshot=A/S/none"], changes: [])) {
            try bench.review(run, select: ["snapshot=A/S/none"])
        }
    }

    @Test("approving again is no change: every picture is a reference already")
    func again() async throws {
        let bench = try ReviewBench()
        try await bench.finish(Self.drawn)
        let run = try await bench.fromLedger()
        let once = try bench.approve(run)
        #expect(try bench.approve(run, over: once.pin).pin == once.pin)
        let twice = Approval(of: try bench.review(run), over: once.pin, in: bench.store)
        #expect(try twice.plan().present.count == 3)
    }

    @Test("a reference that nobody makes any more leaves only when that is said")
    func missing() async throws {
        let bench = try ReviewBench()
        try await bench.finish(["one": 200, "two": 10])
        let review = try bench.review(try await bench.fromLedger())
        let approval = Approval(of: review, over: bench.base, in: bench.store)
        let kept = try approval.record(try approval.plan())
        #expect(try bench.shades(kept.pin).keys.sorted() == ["one", "three", "two"])
        let removing = try approval.plan(ApprovalOptions(removesMissing: true))
        #expect(removing.choice.removed.map(\.id.name) == ["three"])
        let left = try approval.record(removing)
        #expect(try bench.shades(left.pin) == ["one": 200, "two": 10])
    }

    @Test("the journal names the run, its commit, its pull request and who decided")
    func journal() async throws {
        let bench = try ReviewBench()
        try await bench.finish(Self.drawn)
        let review = try bench.review(try await bench.fromLedger())
        let note = Approval(of: review, over: bench.base, in: bench.store)
            .note(by: Reviewer(name: "ada", reason: "redesign", now: 0))
        #expect(note.run == "r1" && note.mainCommit == "c0ffee" && note.change == "#7")
        #expect(note.recorder == "ada" && note.reason == "redesign")
    }
}
