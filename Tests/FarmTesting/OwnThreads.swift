// Swift Testing runs all tests of a process on as many threads as there are cores. A test that
// waits for a program blocks its thread, and two of them stop everything else: other tests exceed
// their time limits, and timing decides their results.
import Foundation
import Testing

/// Runs each test on a thread of its own.
package struct OwnThreads: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadsOnDemand.shared) { try await body() }
    }
}

extension Trait where Self == OwnThreads {
    /// A trait for tests that wait for programs without `await`.
    package static var ownThreads: Self { OwnThreads() }
}

/// Runs each job on a new thread.
///
/// A queue of Dispatch does not work: it has as many threads as there are cores, and checks only
/// once a second whether all of them are blocked.
private final class ThreadsOnDemand: TaskExecutor {
    static let shared = ThreadsOnDemand()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
