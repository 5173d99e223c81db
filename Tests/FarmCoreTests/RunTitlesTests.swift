// Tests of readable titles for a run's tests and pictures.
import FarmCore
import FarmTesting
import Testing

@Suite("Titles")
struct RunTitlesTests {
    private func titles(_ pictures: [String]) -> [String] {
        let summary = SampleRun.summary(pictures: pictures)
        let titles = RunTitles(summary)
        return summary.snapshots.map { titles.title(of: $0) }
    }

    @Test("a test class loses its module and its Tests, and a lone counter goes")
    func known() {
        #expect(
            titles([
                "A/App.CartTests/testEmpty.1 of App.CartTests/testEmpty",
                "B/App.CartTests/testEmpty.1 of App.CartTests/testEmpty",
                "A/App/WalletSnapshotTests/testFull of App/WalletSnapshotTests/testFull",
                "A/Checkout/cart",
            ]) == ["Cart/testEmpty", "Cart/testEmpty", "Wallet/testFull", "Checkout/cart"]
        )
        #expect(titles(["A/AppSnapshotTests.LoginTests/testLogin"]) == ["Login/testLogin"])
    }

    @Test("a module that all suites share goes, one that some have stays")
    func shared() {
        #expect(titles(["A/App.Cart/a", "A/App.Login/b"]) == ["Cart/a", "Login/b"])
        #expect(titles(["A/App.Cart/a", "A/Web.Login/b"]) == ["App.Cart/a", "Web.Login/b"])
        #expect(titles(["A/App.Cart/a", "B/App.Cart/b"]) == ["App.Cart/a", "App.Cart/b"])
        #expect(titles(["A/v1.2/a", "A/v1.3/a"]) == ["v1.2/a", "v1.3/a"])
        #expect(titles(["A/B Tests/a"]) == ["B Tests/a"])
    }

    @Test("suites that would be called alike keep what tells them apart")
    func collisions() {
        #expect(
            titles(["A/CartTests/a", "A/CartSnapshotTests/a", "A/LoginTests/a"]) == [
                "CartTests/a", "CartSnapshotTests/a", "Login/a",
            ]
        )
        #expect(
            titles(["A/App.CartTests/a", "A/Web.CartTests/a", "A/Cart/a"]) == [
                "App.CartTests/a", "Web.CartTests/a", "Cart/a",
            ]
        )
    }

    @Test("a counter stays where there is a second, or where it is no counter")
    func counters() {
        let test = " of CartTests/testEmpty"
        #expect(
            titles(["A/CartTests/testEmpty.1\(test)", "A/CartTests/testEmpty.2\(test)"]) == [
                "Cart/testEmpty.1", "Cart/testEmpty.2",
            ]
        )
        #expect(titles(["A/CartTests/version.1\(test)"]) == ["Cart/version.1"])
        #expect(
            titles(["A/CartTests/testEmpty.1\(test)", "A/CartTests/testEmpty\(test)"]) == [
                "Cart/testEmpty.1", "Cart/testEmpty",
            ]
        )
    }

    @Test("a test is called by its class and its method, with a cell where its job has several")
    func tests() {
        let ids = ["AppTests/MoneyTests/testSum", "Core.ParserTests/ok()", "rates", "a/b/c"]
        var summary = SampleRun.summary(tests: ids)
        var titles = RunTitles(summary)
        #expect(
            summary.tests.map { titles.title(of: $0) } == [
                "Money/testSum", "Parser/ok()", "rates", "a/b/c",
            ]
        )
        #expect(titles.name(of: Array(summary.tests.prefix(1))) == "Money/testSum")
        summary.tests.append(SampleRun.test(ids[0], on: "B"))
        titles = RunTitles(summary)
        #expect(
            titles.name(of: Array(summary.tests.prefix(1)))
                == "Money/testSum on Device A (13.1)"
        )
        let both = summary.tests.filter { $0.test == ids[0] }
        #expect(
            titles.name(of: both) == "Money/testSum on 2 cells: Device A (13.1), Device B (13.1)"
        )
        #expect(
            titles.name(of: summary.tests) == "5 tests: Money/testSum on 2 cells, "
                + "Parser/ok() on Device A (13.1), rates on Device A (13.1), …"
        )
    }

    @Test("no two pictures of a cell and no two tests have one title, whatever their names")
    func unique() {
        var generator = SeededGenerator.announced("RunTitlesTests.unique")
        let modules = ["", "App.", "App/", "Web.", "App.App."]
        let classes = ["Cart", "CartTests", "CartSnapshotTests", "CartTestsTests", "SnapshotTests"]
        let names = ["testA", "testA.1", "testA.2", "testA.1.1", "a", "a.1", "testA()"]
        for _ in 0..<500 {
            var ids: Set<String> = []
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let module = modules.randomElement(using: &generator) ?? ""
                let name = classes.randomElement(using: &generator) ?? ""
                ids.insert("\(module)\(name)/\(names.randomElement(using: &generator) ?? "")")
            }
            var summary = SampleRun.summary(
                pictures: ids.sorted().map { "A/\($0) of \($0)" },
                tests: ids.sorted()
            )
            for index in summary.snapshots.indices where Bool.random(using: &generator) {
                summary.snapshots[index].identifier = ["testA", "a", "Cart/a"][index % 3]
            }
            let titles = RunTitles(summary)
            let pictures = Set(summary.snapshots.map { titles.title(of: $0) })
            let tests = Set(summary.tests.map { titles.title(of: $0) })
            #expect(pictures.count == ids.count, "\(ids)")
            #expect(tests.count == ids.count, "\(ids)")
        }
    }
}
