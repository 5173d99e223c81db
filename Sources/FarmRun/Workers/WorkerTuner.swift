// `--workers auto`: looks once a second at what the machine has left, and asks for more workers, or
// for fewer (`SlotRules`).
import FarmCore
import FarmLedger
import FarmWorker
import Foundation

/// Keeps the number of workers at what their machine has room for.
struct WorkerTuner: Sendable {
    let demand: WorkerDemand
    /// How many the run began with.
    let first: Int
    /// The file that says how long work waits for a CPU.
    let pressure: String
    let say: @Sendable (String) -> Void
    /// Test cases without a verdict.
    let open: @Sendable () async throws -> Int

    /// Never returns by itself.
    func run() async throws {
        let meter = HostLoadMeter(path: pressure)
        while true {
            let mark = meter.mark()
            // Two looks: of a second's busiest half.
            for _ in 0..<2 {
                try await Task.sleep(for: .seconds(FarmLimits.roomSeconds / 2))
                meter.lookAgain()
            }
            let workers = demand.count
            // A coordinator that is away for a moment changes nothing.
            guard let open = try? await open() else { continue }
            let wanted = SlotRules.next(
                workers,
                room: HostRoom(load: meter.load(since: mark), freeMemory: HostMemory.free()),
                open: open,
                atFirst: first
            )
            guard wanted != workers else { continue }
            say("\(wanted) workers: this machine has \(wanted > workers ? "room" : "too many").")
            demand.set(wanted)
        }
    }
}
