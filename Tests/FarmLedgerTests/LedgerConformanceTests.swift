// Tests that SQLite keeps every promise of a ledger, even if its file is closed and reopened
// between any two calls: no needed state is only in memory.
import FarmCore
import FarmLedger
import FarmTesting
import LedgerConformance
import Testing

@Suite("The SQLite ledger keeps the promises of a ledger")
struct LedgerConformanceTests {
    @Test("as one open file", arguments: LedgerPromise.all)
    func open(_ promise: LedgerPromise) async throws {
        let folder = try TemporaryFolder("conformance")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        try await promise.check(on: LedgerBench { ledger })
    }

    @Test("opened again before every call", arguments: LedgerPromise.all)
    func reopened(_ promise: LedgerPromise) async throws {
        let folder = try TemporaryFolder("reopened")
        let path = folder.file("ledger.sqlite")
        try await promise.check(on: LedgerBench { try SQLiteLedger(path: path) })
    }
}
