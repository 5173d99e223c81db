// Tests of the farm under every kind of fault, from seeds, and proofs that the simulator finds
// planted bugs.
import FarmSimulator
import FarmTesting
import Foundation
import Synchronization
import Testing

@Suite("The simulated farm", .serialized)
struct SimulatorTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Seeds that failed once.
    private static func kept() throws -> [UInt64] {
        let path = root.appendingPathComponent("Simulation/seeds.txt").path
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .compactMap { $0.split(separator: " ").first.flatMap { UInt64($0) } }
    }

    @Test("many seeds of crashes, losses, repeats and delays break no promise")
    func seeds() async throws {
        let folder = try TemporaryFolder("simulator")
        let count = Mutex(0)
        // A debug build simulates one and a half seeds per second on two cores; `make simulate`
        // runs thousands.
        let seeds = try Self.kept() + Array(1...150)
        try await Campaign.simulate(seeds, threads: 2, folder: folder.path) { outcome in
            count.withLock { $0 += 1 }
            guard let broken = outcome.broken else { return true }
            Issue.record("seed \(outcome.seed): \(broken); make simulate SEED=\(outcome.seed)")
            return false
        }
        #expect(count.withLock { $0 } == seeds.count)
    }

    @Test("each planted bug is found", arguments: PlantedBug.allCases)
    func planted(_ bug: PlantedBug) async throws {
        let folder = try TemporaryFolder("planted")
        let first = try await Campaign.firstFinding(
            bug,
            seeds: Array(1...1_000),
            threads: 2,
            folder: folder.path
        )
        let found = try #require(first, "\(bug.rawValue) is not found")
        print("\(bug.rawValue): seed \(found.seed): \(found.broken ?? "")")
    }

    @Test("the same seed does the same in another process")
    func deterministic() throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("simulate").path
        let traces = try (1...2).map { _ in
            try TestProcess([program, "--seed", "7"]).ending(within: 60)
        }
        #expect(traces[0].status == 0, "\(traces[0].errors)")
        #expect(traces[0].output.split(separator: "\n").count > 50)
        #expect(traces[0].output == traces[1].output)
    }
}
