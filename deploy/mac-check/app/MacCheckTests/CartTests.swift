import Foundation
import XCTest

@testable import MacCheck

final class CartTests: XCTestCase {
    func testEmpty() { XCTAssertEqual(cartText(items: 0), "empty") }

    // Where MAC_CHECK_BEGAN names a file, the first call makes it and waits: its worker is killed
    // meanwhile. The next call finds the file and passes.
    func testWaits() throws {
        let began = ProcessInfo.processInfo.environment["MAC_CHECK_BEGAN"] ?? ""
        guard !began.isEmpty, !FileManager.default.fileExists(atPath: began) else { return }
        try Data().write(to: URL(fileURLWithPath: began))
        // No time decides: the kill ends this, or the job's limit where nobody kills.
        Thread.sleep(forTimeInterval: 600)
    }
}
