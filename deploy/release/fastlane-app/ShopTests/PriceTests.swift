import XCTest

final class PriceTests: XCTestCase {
    func testTax() { XCTAssertEqual(1200 * 110 / 100, 1320) }
    func testGrouped() { XCTAssertEqual(12400.formatted(), "12,400") }
}
