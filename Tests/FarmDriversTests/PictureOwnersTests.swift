import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Whose picture it is, by its name")
struct PictureOwnersTests {
    private static let tests = [
        "App.CartTests/testEmpty", "App.CartTests/testEmptyCart", "App.ListTests/testEmpty",
        "Shop/CartTests/testPaid", "tests/test_axes.py::test_bar",
        "tests/test_axes.py::test_bar[png]", "tests/test_pie.py::TestPie::test_slices",
        "Wallet/home", "App.Rows/`a row`()", "testAlone",
    ].map { TestID($0) }

    @Test(
        "a folder named after the class and a name that begins with the test's say it",
        arguments: [
            ("App.CartTests", "testEmpty@2x", "App.CartTests/testEmpty"),
            ("App.CartTests", "testEmpty_dark_iPhone12_1_375x667@2x", "App.CartTests/testEmpty"),
            ("App.CartTests", "testEmptyCart_dark@2x", "App.CartTests/testEmptyCart"),
            ("CartTests", "testEmpty.1", "App.CartTests/testEmpty"),
            ("Tests/CartTests", "testEmpty.1", nil),
            ("ListTests", "testEmptyAndReturnError__login@3x", "App.ListTests/testEmpty"),
            ("CartTests", "testPaid.de", "Shop/CartTests/testPaid"),
            ("Shop.CartTests", "testEmpty@2x", nil),
            ("test_axes", "test_bar[png]", "tests/test_axes.py::test_bar[png]"),
            ("tests.test_axes.test_bar", "result", nil),
            ("test_axes.test_bar_png", "result", "tests/test_axes.py::test_bar[png]"),
            (
                "tests.test_pie.TestPie.test_slices", "result",
                "tests/test_pie.py::TestPie::test_slices"
            ),
            ("Wallet", "home", "Wallet/home"),
            ("CartTests", "empty", nil),
            ("Elsewhere", "testEmpty", nil),
            ("", "testAlone", nil),
        ] as [(String, String, String?)]
    )
    func byName(suite: String, name: String, owner: String?) {
        let owners = PictureOwners(Self.tests)
        #expect(owners.owner(suite: suite, name: name)?.text == owner)
    }

    @Test("a framework whose pictures say class and test is asked by its own rule")
    func byFields() throws {
        let paparazzi = try #require(FrameworkCatalog.profile(named: "Paparazzi"))
        let tests = ["com.app.CartTest.empty", "com.app.CartTest.empty_cart"].map { TestID($0) }
        let owners = PictureOwners(tests, framework: paparazzi)
        func owner(_ name: String) -> String? { owners.owner(suite: "images", name: name)?.text }
        #expect(owner("com.app_CartTest_empty") == "com.app.CartTest.empty")
        #expect(owner("com.app_CartTest_empty_dark") == "com.app.CartTest.empty")
        #expect(owner("com.app_CartTest_empty_cart_dark") == "com.app.CartTest.empty_cart")
        #expect(owner("com.app_CartTest_full") == nil)
        #expect(owners.usesMessages)
    }

    @Test("a text that Roborazzi writes beside a picture belongs to the picture's test")
    func treeDumps() throws {
        let roborazzi = try #require(FrameworkCatalog.profile(named: "Roborazzi"))
        let tests = ["com.app.CartTest.empty", "com.app.CartTest.full"].map { TestID($0) }
        let owners = PictureOwners(tests, framework: roborazzi)
        func owner(_ name: String) -> String? {
            owners.owner(suite: "ReferenceImages", name: "com.app.CartTest.\(name)")?.text
        }
        #expect(owner("empty_2") == "com.app.CartTest.empty")
        #expect(owner("empty.uitree.json") == "com.app.CartTest.empty")
        #expect(owner("empty_2.uitree.json") == "com.app.CartTest.empty")
        #expect(owner("gone.uitree.json") == nil)
    }

    @Test("the job's own pattern says it first")
    func byTemplate() {
        let owners = PictureOwners(Self.tests, template: "Shop/{suite}/{name}")
        #expect(
            owners.owner(suite: "CartTests", name: "testPaid")?.text == "Shop/CartTests/testPaid"
        )
        #expect(
            owners.owner(suite: "CartTests", name: "testEmpty.1")?.text == "App.CartTests/testEmpty"
        )
    }
}

@Suite("Every picture of a batch has an owner")
struct OwnedPicturesTests {
    private func run(
        _ script: String,
        tests: [String],
        captures: CapturePattern? = nil,
        in folder: TemporaryFolder
    ) async throws -> Heard {
        let heard = Heard()
        let settings = CommandSettings(
            discover: "",
            run: script,
            results: "out.xml",
            captures: captures
        )
        try await CommandDriver(environment: testEnvironment).run(
            shard(.command(settings), kind: .snapshot, tests: tests, workTree: folder.path),
            folders: try leaseFolders(in: folder)
        ) { heard.take($0) }
        return heard
    }

    /// Returns a script that writes a result for each given test; `draw` sees each one as `$t`.
    private func batch(_ draw: String) -> String {
        """
        cd "$SNAPFARM_LEASE_DIR"; mkdir -p "$SNAPFARM_CAPTURE_DIR/S" shots
        echo '<testsuite>' > out.xml
        while read -r t; do
          echo "<testcase name='$t'/>" >> out.xml
          \(draw)
        done
        echo '</testsuite>' >> out.xml
        """
    }

    @Test("by its sidecar, by its name, by the job's pattern")
    func named() async throws {
        let folder = try TemporaryFolder()
        let draw = """
            case $t in
              S/a) echo 1 > $SNAPFARM_CAPTURE_DIR/S/x.png
                   echo '{"test": "S/a"}' > $SNAPFARM_CAPTURE_DIR/S/x.json;;
              S/b) echo 2 > $SNAPFARM_CAPTURE_DIR/S/b_dark.png;;
              c) echo 3 > shots/c.png;;
            esac
            """
        let heard = try await run(
            batch(draw),
            tests: ["S/a", "S/b", "c"],
            captures: CapturePattern("shots/*.png", test: "{name}"),
            in: folder
        )
        #expect(
            heard.endings.mapValues(\.word) == ["S/a": "passed", "S/b": "passed", "c": "passed"]
        )
        #expect(heard.result("S/a")?.captures.map(\.name) == ["x"])
        #expect(heard.result("S/b")?.captures.map(\.name) == ["b_dark"])
        #expect(heard.result("c")?.captures.map(\.name) == ["c"])
    }

    @Test("what no name gives away is the test's that makes it when it runs alone")
    func alone() async throws {
        let folder = try TemporaryFolder()
        let draw = """
            echo "$t" >> \(folder.path)/ran
            case $t in a) echo 1 > $SNAPFARM_CAPTURE_DIR/S/one.png;;
              b) echo 2 > $SNAPFARM_CAPTURE_DIR/S/two.png;; esac
            """
        let heard = try await run(batch(draw), tests: ["a", "b", "c"], in: folder)
        #expect(heard.endings.mapValues(\.word) == ["a": "passed", "b": "passed", "c": "passed"])
        #expect(heard.result("a")?.captures.map(\.name) == ["one"])
        #expect(heard.result("b")?.captures.map(\.name) == ["two"])
        #expect(heard.result("c")?.captures == [])
        let bytes = heard.result("a")?.captures.first.flatMap {
            FileManager.default.contents(atPath: $0.path)
        }
        #expect(bytes == Data("1\n".utf8))
        let ran = try String(contentsOfFile: folder.file("ran"), encoding: .utf8)
        #expect(ran == "a\nb\nc\na\nb\nc\n")
    }

    @Test("what no test makes alone lets none of them pass, and says how to name it")
    func nobody() async throws {
        let folder = try TemporaryFolder()
        let draw =
            "[ \"$t\" = b ] && [ -e seen ] && echo 1 > $SNAPFARM_CAPTURE_DIR/S/both.png; echo > seen"
        let heard = try await run(batch(draw), tests: ["a", "b"], in: folder)
        let code = "picture-without-owner"
        #expect(heard.endings.mapValues(\.word) == ["a": code, "b": code])
        #expect(heard.results.allSatisfy { $0.captures.isEmpty })
        guard case .errored(let problem) = heard.endings["a"] else { return }
        #expect(problem.message.hasPrefix("the picture S/both is of no known test."))
        #expect(problem.remedy.contains("captures: {pattern"))
    }

    @Test("what two tests make alone lets neither pass")
    func two() async throws {
        let folder = try TemporaryFolder()
        let draw = "[ \"$t\" = c ] || echo $t > $SNAPFARM_CAPTURE_DIR/S/screen.png"
        let heard = try await run(batch(draw), tests: ["a", "b", "c"], in: folder)
        let code = "picture-without-owner"
        #expect(heard.endings.mapValues(\.word) == ["a": code, "b": code, "c": "passed"])
    }

    /// Returns a script in which tests named `dead…` have no result: the process dies after the
    /// results of the others.
    private func deadly(_ draw: String) -> String {
        """
        cd "$SNAPFARM_LEASE_DIR"; mkdir -p "$SNAPFARM_CAPTURE_DIR/S"
        echo '<testsuite>' > out.xml
        while read -r t; do
          case $t in dead*) dies=1;; *) echo "<testcase name='$t'/>" >> out.xml;; esac
          \(draw)
        done
        echo '</testsuite>' >> out.xml
        [ -z "${dies:-}" ] || kill -SEGV $$
        """
    }

    @Test("what nobody else makes is the test's that did not come to its end, and the others pass")
    func died() async throws {
        let folder = try TemporaryFolder()
        let draw = """
            case $t in
              a) echo 1 > $SNAPFARM_CAPTURE_DIR/S/one.png;;
              dead) echo 2 > $SNAPFARM_CAPTURE_DIR/S/odd.png
                    echo 3 > $SNAPFARM_CAPTURE_DIR/S/named.png
                    echo '{"test": "dead"}' > $SNAPFARM_CAPTURE_DIR/S/named.json;;
            esac
            """
        let heard = try await run(deadly(draw), tests: ["a", "b", "dead"], in: folder)
        #expect(
            heard.endings.mapValues(\.word)
                == ["a": "passed", "b": "passed", "dead": "test-crashed"]
        )
        #expect(heard.result("a")?.captures.map(\.name) == ["one"])
        #expect(heard.result("b")?.captures == [])
        #expect(heard.result("dead")?.captures.map(\.name).sorted() == ["named", "odd"])
    }

    @Test("what one of several such tests made is its own, as each of them dies alone at last")
    func manyDied() async throws {
        let folder = try TemporaryFolder()
        let draw = "[ $t != dead1 ] || echo 1 > $SNAPFARM_CAPTURE_DIR/S/odd.png"
        let heard = try await run(deadly(draw), tests: ["a", "dead1", "dead2"], in: folder)
        let code = "test-crashed"
        #expect(
            heard.endings.mapValues(\.word) == ["a": "passed", "dead1": code, "dead2": code]
        )
        #expect(heard.result("dead1")?.captures.map(\.name) == ["odd"])
        #expect(["a", "dead2"].allSatisfy { heard.result($0)?.captures.isEmpty == true })
    }

    @Test("who makes it alone has made it, whoever else died")
    func madeBesideADeath() async throws {
        let folder = try TemporaryFolder()
        let draw = "[ $t != a ] || echo 1 > $SNAPFARM_CAPTURE_DIR/S/odd.png"
        let heard = try await run(deadly(draw), tests: ["a", "b", "dead"], in: folder)
        #expect(heard.result("a")?.captures.map(\.name) == ["odd"])
        #expect(heard.endings["b"] == .passed)
    }

    @Test("a test that the results do not name may have made it, and who did not passes")
    func unnamed() async throws {
        let folder = try TemporaryFolder()
        let script = """
            cd "$SNAPFARM_LEASE_DIR"; mkdir -p "$SNAPFARM_CAPTURE_DIR/S"
            echo '<testsuite><testcase name="a"/></testsuite>' > out.xml
            while read -r t; do [ $t != b ] || echo 1 > $SNAPFARM_CAPTURE_DIR/S/odd.png; done
            """
        let heard = try await run(script, tests: ["a", "b"], in: folder)
        #expect(heard.endings == ["a": .passed])
        #expect(heard.result("a")?.captures == [])
    }

    @Test("a framework's difference is a failed test's, and no test that passed is blamed for it")
    func difference() async throws {
        let folder = try TemporaryFolder()
        let script = """
            cd "$SNAPFARM_LEASE_DIR"; mkdir -p result_images/all; cat > /dev/null
            case $SNAPFARM_LEASE_DIR in */alone*) ;; *)
              for f in bars bars-failed-diff; do echo $f > result_images/all/$f.png; done;;
            esac
            echo '<testsuite><testcase name="a"/><testcase name="b"><failure
              message="images not close (RMS 1.000)"/></testcase></testsuite>' > out.xml
            """
        let heard = Heard()
        let settings = CommandSettings(discover: "", run: script, results: "out.xml")
        try await CommandDriver(environment: testEnvironment).run(
            shard(
                .command(settings),
                kind: .snapshot,
                judge: .framework,
                tests: ["a", "b"],
                workTree: folder.path
            ),
            folders: try leaseFolders(in: folder)
        ) { heard.take($0) }
        #expect(heard.endings.mapValues(\.word) == ["a": "passed", "b": "failed"])
        #expect(heard.result("b")?.differences.map(\.name) == ["bars"])
    }

    @Test("a framework's difference is the failed test's whose words name its file")
    func spoken() async throws {
        let folder = try TemporaryFolder()
        let script = """
            cd "$SNAPFARM_LEASE_DIR"; mkdir -p result_images/test_axes; cat > /dev/null
            for f in bars bars-failed-diff; do echo $f > result_images/test_axes/$f.png; done
            echo expected > ../baseline.png
            ln -s "$PWD/../baseline.png" result_images/test_axes/bars-expected.png
            echo '<testsuite><testcase name="a"/><testcase name="b"><failure
              message="images not close: result_images/test_axes/bars.png vs bars-expected.png"/>
              </testcase></testsuite>' > out.xml
            """
        let heard = Heard()
        let settings = CommandSettings(discover: "", run: script, results: "out.xml")
        try await CommandDriver(environment: testEnvironment).run(
            shard(
                .command(settings),
                kind: .snapshot,
                judge: .framework,
                tests: ["a", "b"],
                workTree: folder.path
            ),
            folders: try leaseFolders(in: folder)
        ) { heard.take($0) }
        #expect(heard.result("a")?.differences == [])
        let difference = try #require(heard.result("b")?.differences.first)
        #expect(difference.name == "bars" && difference.diff != nil)
        let reference = difference.reference.flatMap { FileManager.default.contents(atPath: $0) }
        #expect(reference == Data("expected\n".utf8))
    }
}
