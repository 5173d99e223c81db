// `--workers auto`: measures the machine once a second, and asks for more workers or fewer
// (`SlotRules`).
import FarmCore
import FarmLedger
import FarmWorker
import Foundation

/// Adjusts the number of workers to the room of their machine.
struct WorkerTuner: Sendable {
    let demand: WorkerDemand
    /// The number of workers that the run started with.
    let first: Int
    /// The path of the system's file with the time that work waits for a CPU.
    let pressure: String
    let say: @Sendable (String) -> Void
    /// Returns the number of test cases without a verdict.
    let open: @Sendable () async throws -> Int

    /// Measures the machine and adjusts the number of workers until it is cancelled.
    func run() async throws {
        let meter = HostLoadMeter(path: pressure)
        while true {
            let mark = meter.mark()
            // Measures twice, because `load` counts the busiest half of the second.
            for _ in 0..<2 {
                try await Task.sleep(for: .seconds(FarmLimits.roomSeconds / 2))
                meter.lookAgain()
            }
            let workers = demand.count
            // An unreachable coordinator changes nothing.
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
