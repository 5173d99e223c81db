// Swift Testing runs all tests of a process on as many threads as there are cores. A test that waits for
// a program holds its thread all the while, and two of them stop everything else: time limits of
// others pass, and a timing decides a test.
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
    /// For tests that wait for programs without `await`.
    package static var ownThreads: Self { OwnThreads() }
}

/// Runs each job on a new thread.
///
/// A queue of Dispatch would not do: it has as many threads as there are cores, and looks once a second
/// whether all of them wait.
private final class ThreadsOnDemand: TaskExecutor {
    static let shared = ThreadsOnDemand()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
