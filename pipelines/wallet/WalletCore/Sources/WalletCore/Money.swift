// Money is a whole number of a currency's smallest unit, so that no sum is ever rounded.

/// A currency the wallet holds.
package enum Currency: String, Sendable, CaseIterable {
    case yen = "JPY"
    case dollar = "USD"
    case euro = "EUR"

    /// Digits after the decimal point.
    package var fractionDigits: Int { self == .yen ? 0 : 2 }

    package var symbol: String {
        switch self {
        case .yen: "¥"
        case .dollar: "$"
        case .euro: "€"
        }
    }
}

/// Why two amounts do not go together.
package enum MoneyError: Error, Equatable {
    case currenciesDiffer(Currency, Currency)
    case tooLarge
}

/// An amount in a currency's smallest unit.
package struct Money: Hashable, Sendable {
    package let units: Int
    package let currency: Currency

    package init(_ units: Int, _ currency: Currency = .yen) {
        self.units = units
        self.currency = currency
    }

    package func adding(_ other: Money) throws -> Money {
        guard currency == other.currency else {
            throw MoneyError.currenciesDiffer(currency, other.currency)
        }
        let (sum, overflow) = units.addingReportingOverflow(other.units)
        guard !overflow else { throw MoneyError.tooLarge }
        return Money(sum, currency)
    }

    /// Splits an amount between people; the first ones carry the units that do not divide.
    ///
    /// - Returns: An empty array for fewer than one person.
    package func split(between people: Int) -> [Money] {
        guard people > 0 else { return [] }
        let share = units / people
        let rest = units - share * people
        return (0..<people).map { index in
            Money(share + (index < abs(rest) ? rest.signum() : 0), currency)
        }
    }

    /// `¥12,400`, `−$3.05`: grouped by thousands, with a real minus sign.
    package var text: String {
        let digits = String(units.magnitude)
        let fraction = currency.fractionDigits
        let padded =
            digits.count > fraction
            ? digits : String(repeating: "0", count: fraction + 1 - digits.count) + digits
        let whole = padded.dropLast(fraction)
        let tail = fraction == 0 ? "" : "." + padded.suffix(fraction)
        return (units < 0 ? "−" : "") + currency.symbol + grouped(whole) + tail
    }

    /// As on a list of payments: income carries a plus sign.
    package var signedText: String { units > 0 ? "+" + text : text }

    private func grouped(_ digits: Substring) -> String {
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
            result.append(digit)
        }
        return result
    }
}
