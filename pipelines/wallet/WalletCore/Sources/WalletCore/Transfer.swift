// Which transfers a wallet allows. The rules are checked in the order a person can act on them.

/// Why a transfer is not allowed.
package enum TransferRefusal: Error, Equatable {
    case toOneself
    case nothingToSend
    case currencyNotHeld(Currency)
    case overDailyLimit(remaining: Money)
    case overBalance(missing: Money)
}

/// A wish to send money.
package struct Transfer: Hashable, Sendable {
    package let from: String
    package let to: String
    package let amount: Money

    package init(from: String, to: String, amount: Money) {
        self.from = from
        self.to = to
        self.amount = amount
    }
}

/// The rules of one wallet.
package struct TransferRules: Sendable {
    package let dailyLimit: Money
    /// From this amount on a transfer asks for the passcode.
    package let passcodeFrom: Money

    package init(dailyLimit: Money, passcodeFrom: Money) {
        self.dailyLimit = dailyLimit
        self.passcodeFrom = passcodeFrom
    }

    /// Throws the first ``TransferRefusal`` that applies.
    package func check(_ transfer: Transfer, balance: Money, sentToday: Money) throws {
        guard transfer.from != transfer.to else { throw TransferRefusal.toOneself }
        guard transfer.amount.units > 0 else { throw TransferRefusal.nothingToSend }
        guard transfer.amount.currency == balance.currency else {
            throw TransferRefusal.currencyNotHeld(transfer.amount.currency)
        }
        let remaining = dailyLimit.units - sentToday.units
        guard transfer.amount.units <= remaining else {
            throw TransferRefusal.overDailyLimit(
                remaining: Money(max(0, remaining), balance.currency)
            )
        }
        guard transfer.amount.units <= balance.units else {
            throw TransferRefusal.overBalance(
                missing: Money(transfer.amount.units - balance.units, balance.currency)
            )
        }
    }

    package func asksForPasscode(_ transfer: Transfer) -> Bool {
        transfer.amount.units >= passcodeFrom.units
    }
}
