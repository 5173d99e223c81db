// A child that lives while other work goes on, as that work sees it.
import FarmCore
import Synchronization

/// A running child of ``ChildProcess/withRunning(onOutput:body:)``.
package struct RunningChild: Sendable {
    /// Also the id of its process group and of its session.
    package let pid: Int32
    fileprivate let fate: ChildFate

    /// Waits until the child has ended; any number of tasks may wait, and a cancelled one stops
    /// waiting at once.
    ///
    /// - Throws: `CancellationError`, or why the child could not be watched.
    package func ending() async throws -> ChildEnding {
        try await fate.ending()
    }

    /// How the child ended; nil while it lives.
    package var endedAlready: ChildEnding? { fate.endedAlready }
}

/// What becomes of a child, for any number of tasks that wait for it.
final class ChildFate: Sendable {
    private struct State {
        var pid: Int32?
        var ending: Result<ChildEnding, any Error>?
        var waiting: [AsyncStream<Void>.Continuation] = []
    }
    private let state = Mutex(State())

    func start(_ pid: Int32) {
        change { $0.pid = pid }
    }

    func end(_ ending: Result<ChildEnding, any Error>) {
        change { $0.ending = ending }
    }

    /// Waits until the child runs; throws what kept it from starting.
    func started() async throws -> RunningChild {
        while true {
            let (pid, ending, news) = look()
            if let pid { return RunningChild(pid: pid, fate: self) }
            if case .failure(let error) = ending { throw error }
            try await wait(news)
        }
    }

    func ending() async throws -> ChildEnding {
        while true {
            let (_, ending, news) = look()
            if let ending { return try ending.get() }
            try await wait(news)
        }
    }

    var endedAlready: ChildEnding? {
        state.withLock { try? $0.ending?.get() }
    }

    private func look() -> (Int32?, Result<ChildEnding, any Error>?, AsyncStream<Void>) {
        let (news, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        return state.withLock {
            $0.waiting.append(continuation)
            return ($0.pid, $0.ending, news)
        }
    }

    private func wait(_ news: AsyncStream<Void>) async throws {
        for await _ in news { break }
        try Task.checkCancellation()
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting {
            continuation.yield()
            continuation.finish()
        }
    }
}
