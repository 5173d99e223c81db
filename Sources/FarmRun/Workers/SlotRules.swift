// How many workers a machine has at once: as many as it has processors, more where they only wait,
// fewer where its tests begin to starve. Pure: somebody looks at the machine once a second.
import FarmCore

/// What a machine has left; nil where nobody can know.
package struct HostRoom: Hashable, Sendable {
    /// In the busiest half second since the last look.
    package var load: HostLoad?
    /// Share of the memory that programs may still take, 0…1.
    package var freeMemory: Double?
}

package enum SlotRules {
    /// Workers to begin with.
    ///
    /// A simulator takes memory and processors of its own, beside its worker's tests.
    package static func atFirst(cores: Int, needsSimulators: Bool) -> Int {
        max(1, needsSimulators ? min(cores, FarmLimits.simulatorsPerHost) : cores)
    }

    /// Workers from which on a machine gets no more, whatever room it has.
    package static func most(atFirst first: Int) -> Int {
        min(first * FarmLimits.workersPerSlotMax, FarmLimits.workersMax)
    }

    /// Workers from now on.
    ///
    /// `open` test cases have no verdict yet; a worker more than those has nothing to do.
    package static func next(_ workers: Int, room: HostRoom, open: Int, atFirst first: Int) -> Int {
        // A load average says too late what a worker more has done.
        guard let load = room.load, load.source == .pressure else { return workers }
        let isShort = room.freeMemory.map { $0 < FarmLimits.freeMemoryMin } ?? false
        if load.isOverloaded || isShort { return max(min(first, workers), workers - 1) }
        let isIdle = load.waiting < FarmLimits.idleWaitingMax
        let hasMemory = room.freeMemory.map { $0 > 2 * FarmLimits.freeMemoryMin } ?? true
        guard isIdle, hasMemory, open > workers else { return workers }
        // A quarter at a time: each look shows what the last ones cost.
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
