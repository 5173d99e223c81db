import FarmArtifacts
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Testing

@Suite("A coordinator whose disk or bucket fails")
struct StorageFaultsTests {
    private static let full = LedgerError.storage(path: "/data/x", reason: "full", full: true)

    @Test("says so to callers, to `why` and on the page, since when, until it works again")
    func said() async throws {
        let bench = try EndingBench()
        let run = try await bench.submit("other")
        let faults = bench.coordinator.faults
        faults.note(Self.full)
        bench.world.pass(seconds: 9)
        faults.note(ArtifactError.diskFull(path: "/data/blobs/tmp/a1b2"))
        let progress = try await bench.coordinator.progress(run)
        let words =
            "the coordinator cannot store anything since 1970-01-01T00:16:40.000Z: "
            + "the disk is full."
        #expect(progress.notes.map(\.message) == [words], "one fault, whatever file it was")
        let why = try await bench.coordinator.whyOpen(run, progress).map(\.text)
        #expect(why[0].hasPrefix(words) && why[0].contains("Free space"), "\(why)")
        let page = try await bench.coordinator.judgeOpen(run, cancelled: false)
        #expect(page.summary.problems.map(\.message).contains(words))
        bench.world.pass(seconds: 11)
        #expect(try await bench.coordinator.progress(run).notes.isEmpty)
        faults.note(Self.full)
        #expect(faults.current[0].message.contains("00:17:00"), "another fault begins anew")
    }

    @Test("an error of a caller is no fault of the storage")
    func others() throws {
        let faults = try EndingBench().coordinator.faults
        faults.note(LedgerError.noRun(RunID("r")))
        faults.note(LedgerError.damaged("x"))
        faults.note(LedgerError.notLeading)
        #expect(faults.current.isEmpty)
    }
}
