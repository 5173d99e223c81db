// Reports leave one by one if the coordinator is quick, and in batches if it is not. The next test
// waits for the network only if the queue is full. When no test runs any more, the last reports
// leave with the lease's completion: one call less for each lease.
import FarmAPI
import FarmCore
import Synchronization

/// The reports of a lease on their way to the coordinator.
final class ReportQueue: Sendable {
    private struct State {
        var waiting: [TestReport] = []
        var running: TestID?
        /// The tests without a report that were started before `running` and that no renewal has
        /// named yet.
        var started: Set<TestID> = []
        /// The time since which the oldest report waits to be sent.
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

    /// The test that runs now, or `nil` if none does, for the renewal.
    var running: TestID? { state.withLock { $0.running } }

    func started(_ test: TestID) {
        state.withLock { state in
            if let before = state.running, before != test { state.started.insert(before) }
            state.running = test
        }
    }

    /// The started tests without a report that the next renewal names, at most as many as fit.
    var startsToTell: [TestID] {
        state.withLock { Array($0.started.prefix(FarmLimits.startsPerRenewalMax)) }
    }

    /// Notes that a renewal has named these started tests.
    func startsReported(_ tests: [TestID]) { state.withLock { $0.started.subtract(tests) } }

    /// The reports that the coordinator has not answered.
    var unanswered: [TestReport] { state.withLock { $0.waiting } }

    /// Removes the oldest `count` reports, because the coordinator has answered them.
    func answered(_ count: Int) {
        state.withLock { state in
            state.waiting.removeFirst(count)
            state.since = .now
        }
    }

    /// Queues a report, cut to the limits of a coordinator; waits while the queue is full.
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

    /// Notes that no test runs any more: later reports wait a little, to leave together.
    func testsEnded() { state.withLock { $0.testsEnded = true } }

    /// Notes that no more reports will come.
    func finish() {
        state.withLock { $0.isFinished = true }
        wake.finish()
    }

    /// Sends reports until ``finish()``; leaves the last ones, if they fit, for the message of the
    /// lease's completion.
    ///
    /// Throws when the lease is lost.
    func send(_ token: LeaseToken, to client: CoordinatorClient) async throws {
        for await _ in wakes { try await sendWaiting(token, client) }
        try await sendWaiting(token, client)
    }

    private func sendWaiting(_ token: LeaseToken, _ client: CoordinatorClient) async throws {
        while let batch = nextMessage() {
            let answers = try await client.report(token, batch)
            // Kept until answered: a coordinator may be killed meanwhile.
            answered(batch.count)
            if answers.contains(.stale) { throw WorkerError.leaseLost(token.id) }
        }
    }

    /// Returns the reports of the next message, or `nil` if none is due now.
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

    /// Returns whether waiting reports are to be sent now, before the completion; `seconds` is how
    /// long the oldest has waited.
    static func isDue(
        waiting: Int,
        seconds: Double,
        testsEnded: Bool,
        isFinished: Bool
    ) -> Bool {
        // More reports than fit into the completion.
        if waiting > FarmLimits.reportsPerMessageMax { return true }
        if waiting == 0 || isFinished { return false }
        return !testsEnded || seconds > FarmLimits.reportsWaitSeconds
    }
}
