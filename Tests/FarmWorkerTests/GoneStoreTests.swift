import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Testing

@Suite("A worker that is given a run whose store is gone")
struct GoneStoreTests {
    private struct Gone: ExplainedError {
        var code: String { "store-gone" }
        var message: String { "the store /gone is not there." }
        var remedy: String { "Bring it back." }
        var exit: ExitCode { .configuration }
    }

    @Test("it errors that run's tests with the reason, and works for the others")
    func worksOn() async throws {
        let farm = try RestartableFarm("gone-store")
        let driver = ScriptedDriver { _, _ in }
        let isOver = Door()
        async let worked: Void = farm.work(driver, until: isOver)
        let stores: StoreProvider = { plan in
            if plan.jobs.contains(where: { $0.job.kind == .snapshot }) { throw Gone() }
            return nil
        }
        try await farm.serve(stores: stores) { coordinator, ledger in
            var gone = RestartableFarm.planned("snap", tests: 1)
            gone.job.kind = .snapshot
            _ = try await coordinator.submit(farm.request([gone]))
            var request = farm.request([RestartableFarm.planned(tests: 3)], key: "other")
            request.facts.id = "other"
            let other = try await coordinator.submit(request)
            while try await coordinator.progress(other).state == .running {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(try await coordinator.judged(other)?.summary.state == .passed)
            let attempts = try await ledger.evidence(farm.run).tests.flatMap(\.attempts)
            let endings = attempts.compactMap(\.report?.ending)
            #expect(endings.contains(.errored(Problem(Gone()))), "\(endings)")
        }
        isOver.open()
        try await worked
        #expect(driver.ran.values.reduce(0, +) == 3, "no test runs without references")
    }
}
