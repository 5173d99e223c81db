// A child that lives while other work goes on, for the code that does this work.
import FarmCore

/// A running child of ``ChildProcess/withRunning(onOutput:body:)``.
package struct RunningChild: Sendable {
    /// The process id, which is also the id of its process group and of its session.
    package let pid: Int32
    fileprivate let fate: ChildFate

    /// Waits until the child has ended.
    ///
    /// Any number of tasks may wait; a cancelled one stops waiting at once.
    ///
    /// - Throws: `CancellationError`, or the error that kept the child from being watched.
    package func ending() async throws -> ChildEnding {
        try await fate.ending()
    }

    /// The child's ending, or `nil` while it lives.
    package var endedAlready: ChildEnding? { fate.endedAlready }
}

/// The start and the end of one child, for any number of tasks that wait for them.
final class ChildFate: Sendable {
    private let pid = Promise<Result<Int32, any Error>>()
    private let end = Promise<Result<ChildEnding, any Error>>()

    func start(_ pid: Int32) { self.pid.set(.success(pid)) }

    func end(_ ending: Result<ChildEnding, any Error>) {
        end.set(ending)
        // If the child ran before, its process id stays.
        if case .failure(let error) = ending { pid.set(.failure(error)) }
    }

    /// Waits until the child runs; throws the error that kept it from starting.
    func started() async throws -> RunningChild {
        RunningChild(pid: try await pid.value.get(), fate: self)
    }

    func ending() async throws -> ChildEnding { try await end.value.get() }

    var endedAlready: ChildEnding? { try? end.known?.get() }
}
