// Threads for work that waits for a store: a disk behind a network, a clone that is fetched, a lock
// that a prune holds. Swift's task threads are as few as the cores and keep leases alive, so they
// must not block.
import FarmCore
import Foundation
import Synchronization

/// Runs blocking or long work on threads of its own, a few threads for each queue.
///
/// A store that hangs blocks only its own queue.
package final class StoreThreads: Sendable {
    /// The key of a queue: calls with the same key share a few threads.
    package enum Line: Hashable, Sendable {
        /// The queue of calls of a pipeline's store.
        case store(String)
        /// The queue of calls for a pipeline's pages.
        case pages(String)
        /// The queue of judgements, which only compute.
        case judging
    }
    private typealias Work = @Sendable () -> Void
    private struct Queue {
        var threads = 0
        var waiting: [Work] = []
    }
    /// The queues that have work; an idle queue is removed.
    private let queues = Mutex<[Line: Queue]>([:])

    package init() {}

    /// Runs `work` on a thread of its queue and returns its result.
    ///
    /// A cancelled task stops waiting, but work that has begun goes on.
    ///
    /// - Throws: ``CoordinatorError/storeBusy`` if too many calls wait already.
    package func run<Value: Sendable>(
        in line: Line,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let answer = OneAnswer<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.park(continuation)
                let isQueued = begin(line) {
                    guard !answer.isGiven else { return }
                    answer.give(Result { try work() })
                }
                if !isQueued { answer.give(.failure(CoordinatorError.storeBusy)) }
            }
        } onCancel: {
            answer.give(.failure(CancellationError()))
        }
    }

    /// Starts `work` on a thread of its queue, or queues it; returns `false` if the queue is full.
    private func begin(_ line: Line, _ work: @escaping Work) -> Bool {
        enum Place { case thread, queue, none }
        let place: Place = queues.withLock { queues in
            let queue = queues[line, default: Queue()]
            if queue.threads < FarmLimits.storeThreadsMax {
                queues[line, default: Queue()].threads += 1
                return .thread
            }
            guard queue.waiting.count < FarmLimits.storeCallsWaitingMax else { return .none }
            queues[line, default: Queue()].waiting.append(work)
            return .queue
        }
        if place == .thread { startThread(line, work) }
        return place != .none
    }

    private func startThread(_ line: Line, _ first: @escaping Work) {
        let thread = Thread { [self] in
            var work: Work? = first
            while let now = work {
                now()
                work = next(in: line)
            }
        }
        // Git needs a stack of this depth. A secondary thread has less on some systems.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Returns the next work of a queue, or `nil` if the thread is to end.
    private func next(in line: Line) -> Work? {
        queues.withLock { queues in
            guard let queue = queues[line] else { return nil }
            if let work = queue.waiting.first {
                queues[line]?.waiting.removeFirst()
                return work
            }
            if queue.threads > 1 {
                queues[line]?.threads -= 1
            } else {
                queues[line] = nil
            }
            return nil
        }
    }
}

/// An answer for a waiting task, given before or after the task begins to wait.
///
/// Only the first answer counts.
private final class OneAnswer<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case asked
        case awaited(CheckedContinuation<Value, any Error>)
        case given(Result<Value, any Error>)
    }
    private let state = Mutex(State.asked)

    var isGiven: Bool {
        state.withLock { state in
            if case .given = state { true } else { false }
        }
    }

    func park(_ continuation: CheckedContinuation<Value, any Error>) {
        let known: Result<Value, any Error>? = state.withLock { state in
            if case .given(let result) = state { return result }
            state = .awaited(continuation)
            return nil
        }
        if let known { continuation.resume(with: known) }
    }

    func give(_ result: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
            var waiting: CheckedContinuation<Value, any Error>?
            switch state {
            case .given: return nil
            case .asked: break
            case .awaited(let continuation): waiting = continuation
            }
            state = .given(result)
            return waiting
        }
        waiting?.resume(with: result)
    }
}
