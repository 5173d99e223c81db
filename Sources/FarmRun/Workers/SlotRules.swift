// The number of workers on a machine: one per processor, more if they only wait, fewer if its tests
// wait for a CPU. Pure rules; `WorkerTuner` measures once a second.
import FarmCore

/// The free room of a machine; a part is `nil` if it cannot be measured.
package struct HostRoom: Hashable, Sendable {
    /// The load in the busiest half second since the last measurement.
    package var load: HostLoad?
    /// The share of the memory that is still free for programs, 0…1.
    package var freeMemory: Double?
}

package enum SlotRules {
    /// Returns the number of workers at the start.
    ///
    /// A simulator needs memory and processors of its own, beside its worker's tests.
    package static func atFirst(cores: Int, needsSimulators: Bool) -> Int {
        max(1, needsSimulators ? min(cores, FarmLimits.simulatorsPerHost) : cores)
    }

    /// Returns the most workers that a machine gets, even if it has room for more.
    package static func most(atFirst first: Int) -> Int {
        min(first * FarmLimits.workersPerSlotMax, FarmLimits.workersMax)
    }

    /// Returns the new number of workers.
    ///
    /// `open` is the number of test cases without a verdict; more workers than those would have
    /// nothing to do.
    package static func next(_ workers: Int, room: HostRoom, open: Int, atFirst first: Int) -> Int {
        // Only pressure counts: a load average shows the effect of one more worker too late.
        guard let load = room.load, load.source == .pressure else { return workers }
        let isShort = room.freeMemory.map { $0 < FarmLimits.freeMemoryMin } ?? false
        if load.isOverloaded || isShort { return max(min(first, workers), workers - 1) }
        let isIdle = load.waiting < FarmLimits.idleWaitingMax
        let hasMemory = room.freeMemory.map { $0 > 2 * FarmLimits.freeMemoryMin } ?? true
        guard isIdle, hasMemory, open > workers else { return workers }
        // Adds a quarter at a time: each measurement shows the cost of the last workers.
        return min(workers + max(1, workers / 4), most(atFirst: first), open)
    }
}

extension Pipeline {
    /// Whether a job runs on devices that an Apple host simulates.
    package var needsSimulators: Bool {
        jobs.contains { job in
            let ofDevices = job.cells.compactMap(\.device?.needs)
            return ([job.needs].compactMap { $0 } + ofDevices).contains { needs in
                needs.all.contains { $0.name == "simulator" }
            }
        }
    }
}
