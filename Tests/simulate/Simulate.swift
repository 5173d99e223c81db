// `simulate`: the simulator as a command, for `make simulate` and CI. It is never shipped.
import FarmCore
import FarmSimulator
import Foundation
import Synchronization

@main
struct Simulate {
    static func main() async {
        do {
            let options = try SimulateOptions(Array(CommandLine.arguments.dropFirst()))
            exit(try await run(options) ? ExitCode.passed.rawValue : ExitCode.differences.rawValue)
        } catch let error as SimulateOptions.Mistake {
            FileHandle.standardError.write(Data("error: \(error.words)\n".utf8))
            exit(ExitCode.usage.rawValue)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(ExitCode.internal.rawValue)
        }
    }

    /// Runs the simulation and returns whether everything is as expected.
    private static func run(_ options: SimulateOptions) async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.path + "/simulate-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if let seed = options.seed { return try await replay(seed, options, folder) }
        if options.planted.isEmpty { return try await search(options, folder) }
        var all = true
        for bug in options.planted { all = try await find(bug, options, folder) && all }
        return all
    }

    private static func replay(
        _ seed: UInt64,
        _ options: SimulateOptions,
        _ folder: String
    ) async throws -> Bool {
        let outcome = try await Campaign.simulate(
            seed,
            bug: options.planted.first,
            on: LedgerTable(folder: folder),
            trace: Trace { print($0) }
        )
        print("seed \(seed): \(outcome.broken ?? "sound") (\(outcome.steps) events)")
        return outcome.broken == nil
    }

    // MARK: many seeds

    private static func search(_ options: SimulateOptions, _ folder: String) async throws -> Bool {
        let kept = options.keptSeeds
        let seeds = kept + options.seeds.filter { !kept.contains($0) }
        let found = Mutex<(count: Int, steps: Int, broken: [SeedOutcome])>((0, 0, []))
        let began = ContinuousClock.now
        try await Campaign.simulate(seeds, threads: options.threads, folder: folder) { outcome in
            found.withLock { found in
                found.count += 1
                found.steps += outcome.steps
                if let broken = outcome.broken {
                    found.broken.append(outcome)
                    print("seed \(outcome.seed): \(broken)")
                    print("  replay it: make simulate SEED=\(outcome.seed)")
                }
                if found.count % 10_000 == 0 { print("\(found.count) seeds …") }
                fflush(nil)
                return found.broken.count < options.brokenMax
            }
        }
        let (count, steps, broken) = found.withLock { $0 }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        try options.keep(broken.map(\.seed))
        print(
            "\(count) seeds, \(steps) events, \(broken.count) broken; "
                + String(format: "%.1f s, %.1f seeds/s", seconds, Double(count) / seconds)
        )
        return broken.isEmpty
    }

    private static func find(
        _ bug: PlantedBug,
        _ options: SimulateOptions,
        _ folder: String
    ) async throws -> Bool {
        let first = try await Campaign.firstFinding(
            bug,
            seeds: options.seeds,
            threads: options.threads,
            folder: folder
        )
        guard let first else {
            print("\(bug.rawValue): not found in \(options.seeds.count) seeds")
            return false
        }
        let place = (options.seeds.firstIndex(of: first.seed) ?? 0) + 1
        print("\(bug.rawValue): seed \(first.seed) (number \(place)): \(first.broken ?? "")")
        return true
    }
}
