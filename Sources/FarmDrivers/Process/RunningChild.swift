// A child that lives while other work goes on, as that work sees it.
import FarmCore

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
    private let pid = Promise<Result<Int32, any Error>>()
    private let end = Promise<Result<ChildEnding, any Error>>()

    func start(_ pid: Int32) { self.pid.set(.success(pid)) }

    func end(_ ending: Result<ChildEnding, any Error>) {
        end.set(ending)
        // Of a child that ran before, its process stays.
        if case .failure(let error) = ending { pid.set(.failure(error)) }
    }

    /// Waits until the child runs; throws what kept it from starting.
    func started() async throws -> RunningChild {
        RunningChild(pid: try await pid.value.get(), fate: self)
    }

    func ending() async throws -> ChildEnding { try await end.value.get() }

    var endedAlready: ChildEnding? { try? end.known?.get() }
}
