// The worker processes of a pool, and the number wanted.
import FarmCore
import Synchronization

/// The number of workers that the command line asks for.
package enum WorkerCount: Hashable, Sendable {
    case fixed(Int)
    /// The number follows the room of the machine.
    case measured
}

/// The number of workers that a pool should have, which may change.
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

    /// Ends the stream of wanted numbers, because no worker is left.
    func end() { continuation.finish() }
}

/// The worker processes of a pool, by slot; a slot's number is never reused.
final class WorkerCrew: Sendable {
    private struct Member {
        var isRetired = false
        /// The id of the worker's process, or `nil` before it runs.
        var process: Int32?
    }
    private struct State {
        var members: [Int: Member] = [:]
        var slots = 0

        var active: [Int] { members.filter { !$0.value.isRetired }.keys.sorted() }
    }
    private let state = Mutex(State())

    /// Adds slots until `wanted` slots are not retired, and returns the new ones.
    func begin(upTo wanted: Int) -> [Int] {
        state.withLock { state in
            let lacking = max(0, wanted - state.active.count)
            let slots = (0..<lacking).map { state.slots + 1 + $0 }
            state.slots += lacking
            for slot in slots { state.members[slot] = Member() }
            return slots
        }
    }

    /// Retires the newest running slots until `wanted` are left, and returns their process ids.
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

    /// Forgets the process of a slot, because its id may be reused.
    func stopped(_ slot: Int) { state.withLock { $0.members[slot]?.process = nil } }

    func isRetired(_ slot: Int) -> Bool {
        state.withLock { $0.members[slot]?.isRetired ?? true }
    }

    /// Removes a slot whose worker has ended; returns whether it was the last.
    func end(_ slot: Int) -> Bool {
        state.withLock { state in
            state.members[slot] = nil
            return state.members.isEmpty
        }
    }
}
