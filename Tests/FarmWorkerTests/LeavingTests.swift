import FarmAPI
import FarmCore
import FarmDrivers
import FarmLedger
import FarmServer
import FarmWorker
import Testing

@Suite("A worker that is stopped")
struct LeavingTests {
    @Test("is listed as gone at once, and as live again when it comes back")
    func left() async throws {
        let farm = try RestartableFarm("leaving")
        try await farm.serve { coordinator, _ in
            func state() async throws -> WorkerLiveness? {
                try await coordinator.workers(limit: 9).first?.state
            }
            for _ in 0..<2 {
                let stop = Door()
                async let work: Void = farm.work(ScriptedDriver { _, _ in }, until: stop)
                for _ in 0..<2_000 where try await state() != .live {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(try await state() == .live)
                stop.open()
                try await work
                #expect(try await state() == .left)
                #expect(try await coordinator.counts().workers.unfit == 0, "no alert for it")
            }
            try await farm.submit(tests: 1, to: coordinator)
            let progress = try await coordinator.progress(farm.run)
            #expect(progress.notes.isEmpty, "nobody need act on a worker that was stopped")
            let why = try await coordinator.whyOpen(farm.run, progress).map(\.text)
            #expect(why[1].hasPrefix("No worker calls. Start one"), "\(why)")
        }
    }
}
