import Testing
import WalletCore

@Suite("transfer rules")
struct TransferTests {
    private let rules = TransferRules(dailyLimit: Money(100_000), passcodeFrom: Money(10_000))

    private func check(
        _ units: Int,
        to: String = "ken",
        balance: Int = 128_450,
        sentToday: Int = 0
    ) throws {
        try rules.check(
            Transfer(from: "hana", to: to, amount: Money(units)),
            balance: Money(balance),
            sentToday: Money(sentToday)
        )
    }

    @Test("a transfer within every limit is allowed")
    func allowed() throws {
        try check(3_200)
    }

    @Test("a transfer to oneself is refused")
    func oneself() {
        #expect(throws: TransferRefusal.toOneself) { try check(3_200, to: "hana") }
    }

    @Test("a transfer needs an amount", arguments: [0, -1])
    func amount(units: Int) {
        #expect(throws: TransferRefusal.nothingToSend) { try check(units) }
    }

    @Test("the whole balance may be sent, and not one unit more")
    func balance() throws {
        try check(500, balance: 500)
        #expect(throws: TransferRefusal.overBalance(missing: Money(1))) {
            try check(501, balance: 500)
        }
    }

    @Test("the daily limit counts what was sent before")
    func dailyLimit() throws {
        try check(40_000, sentToday: 60_000)
        #expect(throws: TransferRefusal.overDailyLimit(remaining: Money(39_999))) {
            try check(40_000, sentToday: 60_001)
        }
    }

    @Test("nothing remains of an exceeded daily limit")
    func exceeded() {
        #expect(throws: TransferRefusal.overDailyLimit(remaining: Money(0))) {
            try check(1, sentToday: 200_000)
        }
    }

    @Test("the daily limit is said before the balance")
    func order() {
        #expect(throws: TransferRefusal.overDailyLimit(remaining: Money(100_000))) {
            try check(100_001, balance: 10)
        }
    }

    @Test("money of another currency cannot be sent")
    func currency() {
        #expect(throws: TransferRefusal.currencyNotHeld(.euro)) {
            try rules.check(
                Transfer(from: "hana", to: "ken", amount: Money(5, .euro)),
                balance: Money(500),
                sentToday: Money(0)
            )
        }
    }

    @Test("large transfers ask for the passcode", arguments: [(9_999, false), (10_000, true)])
    func passcode(units: Int, asks: Bool) {
        let transfer = Transfer(from: "hana", to: "ken", amount: Money(units))
        #expect(rules.asksForPasscode(transfer) == asks)
    }
}
