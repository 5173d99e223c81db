import FBSnapshotTestCase
import UIKit

final class CartTests: FBSnapshotTestCase {
    override func setUp() {
        super.setUp()
        fileNameOptions = [.device, .OS, .screenSize, .screenScale]
        recordMode = ProcessInfo.processInfo.environment["SNAPSHOT_TEST_RECORD_MODE"] == "true"
    }
    func testEmpty() { FBSnapshotVerifyView(UILabel()) }
    func testFull() { FBSnapshotVerifyView(UILabel()) }
}
