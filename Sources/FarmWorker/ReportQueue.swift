// Reports leave one by one when the coordinator is quick and in batches when it is not; the test
// that runs next never waits for the network, unless the queue is full. When no test runs any more,
// what is left leaves with the lease's completion: one call less for each lease.
import FarmAPI
import FarmCore
import Synchronization

/// Reports on their way to the coordinator.
final class ReportQueue: Sendable {
    private struct State {
        var waiting: [TestReport] = []
        var running: TestID?
        /// Tests that were started before it and have no report, until a renewal has said so.
        var started: Set<TestID> = []
        /// Since when the oldest waits.
        var since = ContinuousClock.now
        var testsEnded = false
        var isFinished = false
    }
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init() {
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The test that runs now, for the renewal.
    var running: TestID? { state.withLock { $0.running } }

    func started(_ test: TestID) {
        state.withLock { state in
            if let before = state.running, before != test { state.started.insert(before) }
            state.running = test
        }
    }

    /// Tests that were started before the one that runs, as many as a renewal says.
    var startsToTell: [TestID] {
        state.withLock { Array($0.started.prefix(FarmLimits.startsPerRenewalMax)) }
    }

    /// The coordinator knows that these were started.
    func told(_ tests: [TestID]) { state.withLock { $0.started.subtract(tests) } }

    /// Reports the coordinator has not answered.
    var unanswered: [TestReport] { state.withLock { $0.waiting } }

    /// The coordinator has answered the oldest `count` reports.
    func answered(_ count: Int) {
        state.withLock { state in
            state.waiting.removeFirst(count)
            state.since = .now
        }
    }

    /// Queues a report, within the limits of what a coordinator takes; waits while the queue is
    /// full.
    func add(_ report: TestReport) async throws {
        let report = report.withinLimits
        while state.withLock({ $0.waiting.count }) >= FarmLimits.reportsWaitingMax {
            try await Task.sleep(for: .milliseconds(10))
        }
        state.withLock {
            if $0.waiting.isEmpty { $0.since = .now }
            $0.waiting.append(report)
            if $0.running == report.test { $0.running = nil }
            $0.started.remove(report.test)
        }
        wake.yield()
    }

    /// No test runs any more: reports that still come wait for each other, but not for long.
    func testsEnded() { state.withLock { $0.testsEnded = true } }

    /// No more reports will come.
    func finish() {
        state.withLock { $0.isFinished = true }
        wake.finish()
    }

    /// Sends until ``finish()``, but for a last message that fits into the completion; throws when
    /// the lease is lost.
    func send(_ token: LeaseToken, to client: CoordinatorClient) async throws {
        for await _ in wakes { try await sendWaiting(token, client) }
        try await sendWaiting(token, client)
    }

    private func sendWaiting(_ token: LeaseToken, _ client: CoordinatorClient) async throws {
        while let batch = nextMessage() {
            let answers = try await client.report(token, batch)
            // Kept until they are answered: a coordinator may be killed in between.
            answered(batch.count)
            if answers.contains(.stale) { throw WorkerError.leaseLost(token.id) }
        }
    }

    /// Nil where nothing is to be sent now.
    private func nextMessage() -> [TestReport]? {
        state.withLock { state in
            let isDue = Self.isDue(
                waiting: state.waiting.count,
                seconds: (.now - state.since) / .seconds(1),
                testsEnded: state.testsEnded,
                isFinished: state.isFinished
            )
            return isDue ? Array(state.waiting.prefix(FarmLimits.reportsPerMessageMax)) : nil
        }
    }

    /// Whether reports leave by themselves, of which the oldest has waited for some seconds.
    static func isDue(
        waiting: Int,
        seconds: Double,
        testsEnded: Bool,
        isFinished: Bool
    ) -> Bool {
        // They have no place in the completion.
        if waiting > FarmLimits.reportsPerMessageMax { return true }
        if waiting == 0 || isFinished { return false }
        return !testsEnded || seconds > FarmLimits.reportsWaitSeconds
    }
}
