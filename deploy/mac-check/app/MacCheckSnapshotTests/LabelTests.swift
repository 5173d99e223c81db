import Testing
import UIKit

@testable import MacCheck

@MainActor
struct LabelTests {
    @Test(arguments: [1, 3])
    func label(items: Int) throws {
        let label = cartLabel(items: items)
        #expect(label.text == "\(items) in the cart")
        try snapfarmRecord(drawn(label), named: "\(items)")
    }
}
