// A ledger is a list of entries that only grows; the balance is always their sum.

/// One movement of money.
package struct Entry: Hashable, Sendable {
    package let id: Int
    package let title: String
    package let amount: Money

    package init(id: Int, title: String, amount: Money) {
        self.id = id
        self.title = title
        self.amount = amount
    }
}

/// Why an entry was refused.
package enum LedgerError: Error, Equatable {
    case alreadyRecorded(Int)
    case balanceWouldBeNegative
}

/// What a wallet has received and paid, in one currency.
package struct Ledger: Sendable {
    package private(set) var entries: [Entry] = []
    package private(set) var balance: Money

    package init(currency: Currency = .yen) {
        balance = Money(0, currency)
    }

    /// Records an entry, or refuses it and changes nothing.
    package mutating func record(_ entry: Entry) throws {
        guard !entries.contains(where: { $0.id == entry.id }) else {
            throw LedgerError.alreadyRecorded(entry.id)
        }
        let next = try balance.adding(entry.amount)
        guard next.units >= 0 else { throw LedgerError.balanceWouldBeNegative }
        entries.append(entry)
        balance = next
    }

    /// What was paid, as a positive amount.
    package var spent: Money {
        Money(-entries.map(\.amount.units).filter { $0 < 0 }.reduce(0, +), balance.currency)
    }

    /// What came in.
    package var received: Money {
        Money(entries.map(\.amount.units).filter { $0 > 0 }.reduce(0, +), balance.currency)
    }
}
