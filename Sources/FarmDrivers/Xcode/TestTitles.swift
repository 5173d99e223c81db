// Swift Testing's console calls a test that has a display name by that alone, and no list of tests
// tells whose it is. Results do: what one launch has told, the next ones of this process know.
import FarmCore

/// The display names of the tests that ran last.
actor TestTitles {
    private var products: XcodeProducts?
    private var titles: [TestID: String] = [:]

    /// Those of some products; empty where others ran last.
    func known(of products: XcodeProducts) -> [TestID: String] {
        products == self.products ? titles : [:]
    }

    /// Forgets those of other products: a worker meets new ones for as long as it lives.
    func learn(_ told: [TestID: String], of products: XcodeProducts) {
        if products != self.products { (self.products, titles) = (products, [:]) }
        titles.merge(told) { _, new in new }
    }
}
