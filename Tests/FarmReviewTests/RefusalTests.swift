import FarmArtifacts
import FarmCore
import FarmReferences
import FarmReview
import FarmTesting
import Foundation
import Testing

@Suite("What a review refuses")
struct RefusalTests {
    @Test("a run that is still open cannot be reviewed")
    func open() async throws {
        let bench = try ReviewBench()
        try await bench.open()
        await #expect(
            throws: ReviewRefusal.incomplete(run: "r1", state: .running, cells: [])
        ) { try await bench.fromLedger() }
    }

    @Test("a run without all verdicts is approved from no form of it")
    func incomplete() async throws {
        let bench = try ReviewBench()
        var judged = try await bench.finish(["one": 200, "two": 10, "three": 10])
        judged.summary.state = .incomplete
        judged.summary.cells[0].complete = false
        let store = bench.store
        let runs = [
            try bench.fromFolder(judged), try bench.fromZip(judged),
            ReviewedRun(
                judged,
                of: bench.plan,
                blobs: bench.blobs,
                reference: { try store.read($0) }
            ),
        ]
        for run in runs {
            #expect(
                throws: ReviewRefusal.incomplete(run: "r1", state: .incomplete, cells: ["A"])
            ) { try bench.approve(run) }
        }
    }

    @Test("references that somebody else changed since the run are strangers, and nothing is made")
    func strangePin() async throws {
        let bench = try ReviewBench()
        try await bench.finish(["one": 200, "two": 10, "three": 10])
        let other = try ReviewBench.record(["two": 77], over: bench.base, in: bench.store)
        let before = try bench.store.sets()
        let run = try await bench.fromLedger()
        let refusal = ReviewRefusal.otherPin(
            run: "r1",
            cell: ReviewBench.cell,
            names: [try ReviewBench.id("two")],
            sets: PinnedSets(run: bench.base.setID, now: other.setID)
        )
        #expect(throws: refusal) { try bench.approve(run, over: other) }
        #expect(throws: refusal) {
            try Approval(of: bench.review(run), over: other, in: bench.store).checkPin()
        }
        #expect(throws: Never.self) {
            try Approval(of: bench.review(run), over: bench.base, in: bench.store).checkPin()
        }
        let sets = [bench.base.setID.short, other.setID.short]
        #expect(sets.allSatisfy(refusal.message.contains), "\(refusal.message)")
        #expect(try bench.store.sets() == before)
    }

    @Test("references that cannot be read are an error of the store, and not those of another pin")
    func unreadable() async throws {
        let bench = try ReviewBench()
        try await bench.finish(["one": 200, "two": 10, "three": 10])
        let other = try ReviewBench.record(["two": 77], over: bench.base, in: bench.store)
        let run = try await bench.fromLedger()
        let hex = try #require(bench.base.entries.first).object.hex
        let file = bench.store.path + "/objects/\(hex.prefix(2))/\(hex.dropFirst(2))"
        try FileManager.default.removeItem(atPath: file)
        try Data("no object".utf8).write(to: URL(fileURLWithPath: file))
        // An open store keeps read objects in memory; a new store reads them again.
        let store = try ReferenceStore(opening: bench.store.path)
        let error = #expect(throws: (any Error).self) {
            try Approval(of: bench.review(run), over: other, in: store).checkPin()
        }
        #expect(
            (error as? any ExplainedError)?.code == "store-git-failed",
            "\(String(describing: error))"
        )
    }

    @Test("a manifest whose pin is no pin is not that of a run")
    func damagedPin() async throws {
        let bench = try ReviewBench()
        let judged = try await bench.finish(["one": 200, "two": 10, "three": 10])
        let error = #expect(throws: ReviewRefusal.self) {
            try bench.fromFolder(judged) { folder in
                let file = URL(fileURLWithPath: folder + "/manifest.json")
                let parsed = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
                var manifest = try #require(parsed as? [String: Any])
                manifest["pin"] = "no pin"
                try JSONSerialization.data(withJSONObject: manifest).write(to: file)
            }
        }
        #expect(error?.code == "review-not-a-run", "\(error?.message ?? "")")
    }

    @Test("a zip with one changed byte in a picture is refused before the store gets anything")
    func damagedZip() async throws {
        let bench = try ReviewBench()
        let judged = try await bench.finish(["one": 200, "two": 10, "three": 10])
        let sets = try bench.store.sets()
        let picture = try ReviewBench.png(200)
        let run = try bench.fromZip(judged) { bytes in
            let place = try #require(bytes.range(of: picture))
            bytes[place.lowerBound + picture.count / 2] ^= 0xFF
        }
        #expect(throws: (any Error).self) { try bench.approve(run) }
        #expect(try bench.store.sets() == sets)
    }

    @Test("a zip that is cut off is refused when it is opened")
    func cutZip() async throws {
        let bench = try ReviewBench()
        let judged = try await bench.finish(["one": 200, "two": 10, "three": 10])
        #expect(throws: ZipReadError.self) {
            try bench.fromZip(judged) { $0 = $0.prefix($0.count - 30) }
        }
    }

    @Test("a picture in the folder that is another one is named with both digests")
    func otherBytes() async throws {
        let bench = try ReviewBench()
        let judged = try await bench.finish(["one": 200, "two": 10, "three": 10])
        let other = try ReviewBench.png(201)
        let run = try bench.fromFolder(judged) { folder in
            try other.write(to: URL(fileURLWithPath: folder + "/snap/A/S/failed_one.png"))
        }
        let refusal = ReviewRefusal.wrongDigest(
            try ReviewBench.id("one"),
            expected: Digest(of: try ReviewBench.png(200)),
            actual: Digest(of: other),
            origin: bench.folder.file("out")
        )
        #expect(throws: refusal) { try bench.approve(run) }
    }

    @Test("a picture that is not there any more is named")
    func goneBytes() async throws {
        let bench = try ReviewBench()
        let judged = try await bench.finish(["one": 200, "two": 10, "three": 10])
        let run = try bench.fromFolder(judged) { folder in
            try FileManager.default.removeItem(atPath: folder + "/snap/A/S/failed_one.png")
        }
        let refusal = ReviewRefusal.pictureAbsent(
            try ReviewBench.id("one"),
            origin: bench.folder.file("out")
        )
        #expect(throws: refusal) { try bench.approve(run) }
    }

    @Test("the pictures of a failing test keep their references")
    func failingTest() async throws {
        let bench = try ReviewBench()
        try await bench.finish(["one": 200, "two": 10, "three": 10], ending: .failed("no"))
        let review = try bench.review(try await bench.fromLedger())
        let error = #expect(throws: ReviewRefusal.self) {
            try Approval(of: review, over: bench.base, in: bench.store).plan()
        }
        #expect(error?.code == "review-never-approved")
    }

    @Test("a run of another pipeline is not this project's to decide about")
    func otherPipeline() async throws {
        let bench = try ReviewBench()
        try await bench.finish(["one": 200, "two": 10, "three": 10])
        let run = try await bench.fromLedger()
        var project = ReviewedProject(bench.plan)
        project.pipeline = "other"
        #expect(
            throws: ReviewRefusal.otherPipeline(run: "r1", pipeline: "p", ours: "other")
        ) { try Review(run, of: project) }
    }
}
