import FarmCore
import LedgerConformance
import Testing

@testable import FarmLedger

@Suite("A copy of a ledger")
struct LedgerCopyTests {
    @Test("has what was accepted, and never gives a number that the original may have given since")
    func copied() async throws {
        let farm = try LedgerFarm("copy")
        let run = try await farm.open(tests: 100)
        let first = try #require(try await farm.claim("w1", "a"))
        try await farm.ledger.add([try LedgerBench.decision(.accepted, "s")])
        let path = farm.ledger.path + ".copy"
        try SQLiteLedger.copy(farm.ledger.path, to: path)
        // Later changes of the original, whose numbers the copy must not reuse.
        let later = try #require(try await farm.claim("w2", "b"))
        try await farm.ledger.add([try LedgerBench.decision(.rejected, "s")])
        let known = try await farm.ledger.decisions(of: "p", after: 0).newest

        try SQLiteLedger.raiseNumbers(inFileAt: path)
        let copy = try SQLiteLedger(path: path)
        #expect(try await copy.audit().isClean)
        #expect(try await copy.decisions(of: "p").map(\.kind) == [.accepted])
        let renewed = try await copy.renew(first.token, running: nil, now: farm.now)
        #expect(renewed == .accepted)
        try await copy.registerWorker(
            WorkerID("w3"),
            unfit: nil,
            beginsAnew: false,
            now: farm.now
        )
        let next = try #require(
            try await copy.claim(worker: WorkerID("w3"), request: "c", warm: nil, now: farm.now)
        )
        #expect(next.token.epoch > later.token.epoch + 1_000_000)
        try await copy.add([try LedgerBench.decision(.rejected, "t")])
        #expect(try await copy.decisions(of: "p", after: known).decisions.count == 1)
        #expect(try await copy.finishedRuns().contains(run) == false)
        try copy.close()
    }
}
