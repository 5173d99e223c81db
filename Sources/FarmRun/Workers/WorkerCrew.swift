// Which worker processes a pool has, and how many it should have.
import FarmCore
import Synchronization

/// How many workers the command line asks for.
package enum WorkerCount: Hashable, Sendable {
    case fixed(Int)
    /// As many as the machine has room for.
    case measured
}

/// How many workers a pool is to have, as it changes.
final class WorkerDemand: Sendable {
    let counts: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation
    private let newest: Mutex<Int>

    init(_ count: Int) {
        (counts, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        newest = Mutex(count)
        continuation.yield(count)
    }

    var count: Int { newest.withLock { $0 } }

    func set(_ count: Int) {
        newest.withLock { $0 = count }
        continuation.yield(count)
    }

    /// Nobody is left.
    func end() { continuation.finish() }
}

/// The processes of a pool, by slots; the number of a slot is never given twice.
final class WorkerCrew: Sendable {
    private struct Member {
        var isRetired = false
        /// Nil before it runs.
        var process: Int32?
    }
    private struct State {
        var members: [Int: Member] = [:]
        var slots = 0

        var active: [Int] { members.filter { !$0.value.isRetired }.keys.sorted() }
    }
    private let state = Mutex(State())

    /// New slots, so that so many are not retired.
    func begin(upTo wanted: Int) -> [Int] {
        state.withLock { state in
            let lacking = max(0, wanted - state.active.count)
            let slots = (0..<lacking).map { state.slots + 1 + $0 }
            state.slots += lacking
            for slot in slots { state.members[slot] = Member() }
            return slots
        }
    }

    /// Retires the newest that run, until so many are left; returns their processes.
    func retire(downTo wanted: Int) -> [Int32] {
        state.withLock { state in
            let surplus = max(0, state.active.count - wanted)
            let running = state.active.filter { state.members[$0]?.process != nil }
            return running.suffix(surplus).compactMap { slot in
                state.members[slot]?.isRetired = true
                return state.members[slot]?.process
            }
        }
    }

    func started(_ slot: Int, _ process: Int32) {
        state.withLock { $0.members[slot]?.process = process }
    }

    /// The process has ended: its number may be another's by now.
    func stopped(_ slot: Int) { state.withLock { $0.members[slot]?.process = nil } }

    func isRetired(_ slot: Int) -> Bool {
        state.withLock { $0.members[slot]?.isRetired ?? true }
    }

    /// A slot has ended; true where it was the last.
    func end(_ slot: Int) -> Bool {
        state.withLock { state in
            state.members[slot] = nil
            return state.members.isEmpty
        }
    }
}
