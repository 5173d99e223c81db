// Reports leave one by one when the coordinator is quick and in batches when it is not; the test
// that runs next never waits for the network, unless the queue is full.
import FarmAPI
import FarmCore
import Synchronization

/// Reports on their way to the coordinator.
final class ReportQueue: Sendable {
    private struct State {
        var waiting: [TestReport] = []
        var running: TestID?
        var isLost = false
    }
    private let state = Mutex(State())
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    init() {
        (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The test that runs now, for the renewal.
    var running: TestID? { state.withLock { $0.running } }

    func started(_ test: TestID) { state.withLock { $0.running = test } }

    /// Reports the coordinator has not answered.
    var unanswered: [TestReport] { state.withLock { $0.waiting } }

    /// Queues a report; waits while the queue is full.
    func add(_ report: TestReport) async throws {
        while state.withLock({ $0.waiting.count }) >= FarmLimits.reportsWaitingMax {
            try await Task.sleep(for: .milliseconds(10))
        }
        state.withLock {
            $0.waiting.append(report)
            if $0.running == report.test { $0.running = nil }
        }
        ring.yield()
    }

    /// No more reports will come.
    func finish() { ring.finish() }

    /// Sends until ``finish()``; throws when the lease is lost.
    func send(_ token: LeaseToken, to client: CoordinatorClient) async throws {
        for await _ in bell { try await sendWaiting(token, client) }
        try await sendWaiting(token, client)
    }

    private func sendWaiting(_ token: LeaseToken, _ client: CoordinatorClient) async throws {
        while true {
            let batch = state.withLock {
                Array($0.waiting.prefix(FarmLimits.reportsPerMessageMax))
            }
            guard !batch.isEmpty else { return }
            let answers = try await client.report(token, batch)
            // Kept until they are answered: a coordinator may be killed in between.
            state.withLock { $0.waiting.removeFirst(batch.count) }
            if answers.contains(.stale) { throw WorkerError.leaseLost(token.id) }
        }
    }
}
