import UIKit
import XCTest

@testable import MacCheck

final class ScreenTests: XCTestCase {
    @MainActor
    func testCart() throws {
        try snapfarmRecord(drawn(cartLabel(items: 2)), named: "cart")
    }

    /// Makes no picture: it says what a picture would only show.
    @MainActor
    func testSimulator() {
        let wanted = ProcessInfo.processInfo.environment
        let screen = UIScreen.main
        let isDark = screen.traitCollection.userInterfaceStyle == .dark
        XCTAssertEqual(isDark ? "dark" : "light", wanted["SNAPFARM_VARIANT_APPEARANCE"])
        XCTAssertEqual("\(Int(screen.scale))", wanted["SNAPFARM_SCALE"])
        let size = screen.bounds.size
        XCTAssertEqual("\(Int(min(size.width, size.height)))", wanted["SNAPFARM_WIDTH"])
        XCTAssertEqual("\(Int(max(size.width, size.height)))", wanted["SNAPFARM_HEIGHT"])
    }
}

/// A view in the app's window, whose appearance it takes.
@MainActor
func drawn(_ view: UIView) -> Data {
    let scene = UIApplication.shared.connectedScenes.first as? UIWindowScene
    scene?.windows.first?.addSubview(view)
    defer { view.removeFromSuperview() }
    return snapfarmPNG(of: view)
}
