// Kills a coordinator's upkeep (backup, restore, retention, prune) while runs go on;
// Benchmarks/upkeep does the work and judges. `make soak` kills more often; the tests of every
// change kill each of them once.
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
            let isLong = ProcessInfo.processInfo.environment["SNAPFARM_SOAK"] == "1"
            let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
                .deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().path
            var words = ["python3", root + "/Benchmarks/upkeep/run.py", Program.path]
            words += ["--seed", "\(random.seed)", "--rounds", isLong ? "60" : "4"]
            if !isLong { words.append("--no-loss") }
            let ending = try TestProcess.run(words, seconds: isLong ? 1_200 : 240)
            print(ending.output)
            #expect(ending.status == 0, "\(ending.said)")
        }
    }
}
