// Swift Testing's console names a test with a display name by that alone, and no list of tests
// shows which test it is. Results do: later launches of this process use the names in earlier
// results.
import FarmCore

/// The display names of the tests that ran last.
actor TestTitles {
    private var products: XcodeProducts?
    private var titles: [TestID: String] = [:]

    /// Returns the known display names of the tests of some products; empty if others ran last.
    func known(of products: XcodeProducts) -> [TestID: String] {
        products == self.products ? titles : [:]
    }

    /// Adds display names, and forgets those of other products: a worker meets new ones for as long
    /// as it lives.
    func learn(_ told: [TestID: String], of products: XcodeProducts) {
        if products != self.products { (self.products, titles) = (products, [:]) }
        titles.merge(told) { _, new in new }
    }
}
