import FarmLedger
import FarmTesting
import Testing

/// Tests specific to SQLite; `LedgerPromise` checks the promises of every ledger.
@Suite("The SQLite ledger")
struct SQLiteLedgerTests {
    @Test("what was accepted is on the disk before it is answered")
    func synchronous() async throws {
        let folder = try TemporaryFolder("ledger")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        #expect(try await ledger.syncsEveryCommit())
    }
}
