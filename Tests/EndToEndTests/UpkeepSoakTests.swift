// Kills a coordinator's upkeep (backup, restore, retention, prune) while runs go on;
// Benchmarks/faults does the work and judges. `make soak` kills each more often; the tests of every
// change kill four, once each.
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Upkeep that is killed at random moments", .serialized)
    struct UpkeepSoakTests {
        @Test(
            "backups, restores, retention and prunes that are killed harm no run and leave nothing"
        )
        func killed() throws {
            let random = SeededGenerator.announced()
            let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
                .deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().path
            let words = ["python3", root + "/Benchmarks/faults/run.py", "upkeep", Program.path]
            let small = ["--small", "--seed", "\(random.seed)"]
            let ending = try TestProcess.run(words + small, seconds: 240)
            print(ending.output)
            #expect(ending.status == 0, "\(ending.said)")
        }
    }
}
