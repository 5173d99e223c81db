import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Testing

@Suite("A coordinator that stood still")
struct StallTests {
    /// Returns the attempts of a test whose worker was silent for a minute, while the coordinator
    /// ran or stood still.
    private func attempts(isStill: Bool) async throws -> Int {
        let clock = SetClock()
        let name = isStill ? "still" : "awake"
        return try await withAttempts(name, clock) { coordinator in
            for second in isStill ? [0, 60, 61] : Array(0...61) {
                clock.set(Int64(second) * 1000)
                try await coordinator.sweep()
            }
        }
    }

    private func withAttempts(
        _ name: String,
        _ clock: SetClock,
        _ body: @Sendable (Coordinator) async throws -> Void
    ) async throws -> Int {
        var attempts = -1
        try await RestartableFarm.withCoordinator(name, clock: clock.read) {
            farm,
            coordinator,
            ledger in
            try await farm.submit(tests: 1, to: coordinator)
            let claim = ClaimRequest(request: "1", warm: nil, waitSeconds: 0)
            let lease = try await coordinator.claim(WorkerID("w"), claim).lease
            let token = try #require(lease?.token)
            try await body(coordinator)
            #expect(try await coordinator.renew(token, running: nil) == .stale)
            attempts = try await ledger.evidence(farm.run).tests[0].attempts.count
        }
        return attempts
    }

    @Test("blames nobody for having been silent meanwhile")
    func still() async throws { #expect(try await attempts(isStill: true) == 0) }

    @Test("blames who is silent while it listens")
    func awake() async throws { #expect(try await attempts(isStill: false) == 1) }
}
