import Testing
import WalletCore

@Suite("money")
struct MoneyTests {
    @Test(
        "an amount is written with its symbol and grouped by thousands",
        arguments: [
            (Money(0), "¥0"), (Money(999), "¥999"), (Money(1_000), "¥1,000"),
            (Money(128_450), "¥128,450"), (Money(12_345_678), "¥12,345,678"),
            (Money(-2_480), "−¥2,480"), (Money(305, .dollar), "$3.05"),
            (Money(-5, .euro), "−€0.05"), (Money(123_456_789, .euro), "€1,234,567.89"),
        ]
    )
    func text(money: Money, expected: String) {
        #expect(money.text == expected)
    }

    @Test("only income carries a plus sign")
    func sign() {
        #expect(Money(286_000).signedText == "+¥286,000")
        #expect(Money(-740).signedText == "−¥740")
        #expect(Money(0).signedText == "¥0")
    }

    @Test("the smallest number there is can be written")
    func smallest() {
        #expect(Money(.min).text == "−¥9,223,372,036,854,775,808")
    }

    @Test("amounts of one currency add up")
    func sum() throws {
        #expect(try Money(1_200).adding(Money(-200)) == Money(1_000))
    }

    @Test("amounts of two currencies do not add up")
    func currencies() {
        #expect(throws: MoneyError.currenciesDiffer(.yen, .dollar)) {
            try Money(1).adding(Money(1, .dollar))
        }
    }

    @Test("a sum that does not fit is refused")
    func overflow() {
        #expect(throws: MoneyError.tooLarge) { try Money(.max).adding(Money(1)) }
    }

    @Test("a split loses no unit", arguments: [1, 2, 3, 7, 10])
    func split(people: Int) {
        for amount in [0, 1, 100, 6_401, -6_401] {
            let shares = Money(amount).split(between: people)
            #expect(shares.count == people)
            #expect(shares.map(\.units).reduce(0, +) == amount)
        }
    }

    @Test("the shares of a split differ by at most one unit")
    func fairness() throws {
        let shares = Money(1_000).split(between: 3).map(\.units)
        #expect(shares == [334, 333, 333])
    }

    @Test("nobody gets a share of a split between nobody")
    func nobody() {
        #expect(Money(100).split(between: 0).isEmpty)
        #expect(Money(100).split(between: -2).isEmpty)
    }

    @Test("yen has no fraction", arguments: Currency.allCases)
    func fraction(currency: Currency) {
        #expect(currency.fractionDigits == (currency == .yen ? 0 : 2))
    }
}
