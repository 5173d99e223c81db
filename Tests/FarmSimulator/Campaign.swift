// Simulates many seeds on a few threads, and collects those that fail.
import FarmCore
import Foundation
import Synchronization

/// The result of one seed.
package struct SeedOutcome: Sendable {
    package let seed: UInt64
    /// The broken promise, or `nil` if every promise was kept.
    package let broken: String?
    /// The number of simulated events.
    package let steps: Int
}

/// Simulates seeds.
package enum Campaign {
    /// Simulates one seed; nothing else may use `table` meanwhile.
    package static func simulate(
        _ seed: UInt64,
        bug: PlantedBug? = nil,
        on table: LedgerTable,
        trace: Trace = .none
    ) async throws -> SeedOutcome {
        var simulation = try Simulation(seed: seed, bug: bug, table: table, trace: trace)
        do {
            try await simulation.run()
            return SeedOutcome(seed: seed, broken: nil, steps: simulation.steps)
        } catch let broken as BrokenPromise {
            return SeedOutcome(seed: seed, broken: broken.description, steps: simulation.steps)
        }
    }

    /// Simulates seeds on `threads` threads.
    ///
    /// `found` gets each outcome, in no order, and returns `false` to stop.
    package static func simulate(
        _ seeds: [UInt64],
        bug: PlantedBug? = nil,
        threads: Int,
        folder: String,
        found: @escaping @Sendable (SeedOutcome) -> Bool
    ) async throws {
        let threads = max(1, threads)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    let table = try LedgerTable(folder: folder + "/blobs\(thread)")
                    for place in stride(from: thread, to: seeds.count, by: threads) {
                        let outcome = try await simulate(seeds[place], bug: bug, on: table)
                        guard !Task.isCancelled, found(outcome) else { return }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Returns the first of the seeds that finds a planted bug, or `nil` if none does.
    package static func firstFinding(
        _ bug: PlantedBug,
        seeds: [UInt64],
        threads: Int,
        folder: String
    ) async throws -> SeedOutcome? {
        let first = Mutex<SeedOutcome?>(nil)
        try await simulate(seeds, bug: bug, threads: threads, folder: folder) { outcome in
            first.withLock { first in
                if outcome.broken != nil, outcome.seed < first?.seed ?? .max { first = outcome }
                // Other threads may still simulate an earlier seed.
                return first.map { outcome.seed < $0.seed } ?? true
            }
        }
        return first.withLock { $0 }
    }
}
