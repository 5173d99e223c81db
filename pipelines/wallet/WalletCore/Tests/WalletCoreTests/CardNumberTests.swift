import WalletCore
import XCTest

final class CardNumberTests: XCTestCase {
    func testNumberWithSpacesIsRead() {
        XCTAssertNotNil(CardNumber("4242 4242 4242 4242"))
    }

    func testNumberWithHyphensIsRead() {
        XCTAssertNotNil(CardNumber("5555-5555-5555-4444"))
    }

    func testWrongCheckDigitIsRefused() {
        XCTAssertNil(CardNumber("4242 4242 4242 4243"))
    }

    func testTwoSwappedDigitsAreRefused() {
        XCTAssertNotNil(CardNumber("4012888888881881"))
        XCTAssertNil(CardNumber("4102888888881881"))
    }

    func testLettersAreRefused() {
        XCTAssertNil(CardNumber("4242 4242 4242 424x"))
    }

    func testFullWidthDigitsAreRefused() {
        XCTAssertNil(CardNumber("４２４２４２４２４２４２４２４２"))
    }

    func testTooShortAndTooLongAreRefused() {
        XCTAssertNil(CardNumber("0"))
        XCTAssertNil(CardNumber(String(repeating: "0", count: 20)))
        XCTAssertNil(CardNumber(""))
    }

    func testMaskShowsTheLastFourDigitsOnly() {
        XCTAssertEqual(CardNumber("4242424242424242")?.masked, "•••• •••• •••• 4242")
    }

    func testMaskKeepsTheGroupsOfAFifteenDigitNumber() {
        XCTAssertEqual(CardNumber("378282246310005")?.masked, "•••• •••• •••0 005")
    }

    func testLastFour() {
        XCTAssertEqual(CardNumber("5555555555554444")?.lastFour, "4444")
    }
}
