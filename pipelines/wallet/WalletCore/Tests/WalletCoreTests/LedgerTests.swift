import WalletCore
import XCTest

final class LedgerTests: XCTestCase {
    private func entry(_ id: Int, _ units: Int) -> Entry {
        Entry(id: id, title: "entry \(id)", amount: Money(units))
    }

    func testNewLedgerIsEmpty() {
        XCTAssertEqual(Ledger().balance, Money(0))
        XCTAssertTrue(Ledger().entries.isEmpty)
    }

    func testBalanceIsTheSumOfItsEntries() throws {
        var ledger = Ledger()
        for (id, units) in [286_000, -2_480, -740, 7_900].enumerated() {
            try ledger.record(entry(id, units))
        }
        XCTAssertEqual(ledger.balance, Money(290_680))
    }

    func testBalanceMayReachZero() throws {
        var ledger = Ledger()
        try ledger.record(entry(1, 500))
        try ledger.record(entry(2, -500))
        XCTAssertEqual(ledger.balance.units, 0)
    }

    func testBalanceNeverGoesBelowZero() throws {
        var ledger = Ledger()
        try ledger.record(entry(1, 500))
        XCTAssertThrowsError(try ledger.record(entry(2, -501))) { error in
            XCTAssertEqual(error as? LedgerError, .balanceWouldBeNegative)
        }
    }

    func testRefusedEntryChangesNothing() throws {
        var ledger = Ledger()
        try ledger.record(entry(1, 500))
        XCTAssertThrowsError(try ledger.record(entry(2, -501)))
        XCTAssertEqual(ledger.entries.map(\.id), [1])
        XCTAssertEqual(ledger.balance, Money(500))
    }

    func testSameEntryTwiceIsRefused() throws {
        var ledger = Ledger()
        try ledger.record(entry(1, 500))
        XCTAssertThrowsError(try ledger.record(entry(1, 500))) { error in
            XCTAssertEqual(error as? LedgerError, .alreadyRecorded(1))
        }
    }

    func testEntriesKeepTheirOrder() throws {
        var ledger = Ledger()
        for id in [3, 1, 2] { try ledger.record(entry(id, 10)) }
        XCTAssertEqual(ledger.entries.map(\.id), [3, 1, 2])
    }

    func testSpentCountsPaymentsOnly() throws {
        var ledger = Ledger()
        for (id, units) in [1_000, -300, 50, -200].enumerated() {
            try ledger.record(entry(id, units))
        }
        XCTAssertEqual(ledger.spent, Money(500))
    }

    func testReceivedCountsIncomeOnly() throws {
        var ledger = Ledger()
        for (id, units) in [1_000, -300, 50].enumerated() { try ledger.record(entry(id, units)) }
        XCTAssertEqual(ledger.received, Money(1_050))
    }

    func testForeignEntryIsRefused() {
        var ledger = Ledger()
        let foreign = Entry(id: 1, title: "Airport", amount: Money(100, .euro))
        XCTAssertThrowsError(try ledger.record(foreign)) { error in
            XCTAssertEqual(error as? MoneyError, .currenciesDiffer(.yen, .euro))
        }
    }
}
