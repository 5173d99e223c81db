// Tests that the stand-in for Xcode's tools is as strict as they are, by the calls that it refuses.
import FarmTesting
import Foundation
import Testing

@Suite("Stand-in of xcodebuild")
struct StandInTests {
    static let empty = "ShopTests/CartTests/testEmpty"

    @Test("an existing result bundle is an error, and nothing runs")
    func existingBundle() throws {
        let shop = try StandInApp()
        let bundle = shop.app.file("r.xcresult")
        #expect(try shop.test([Self.empty], ["-resultBundlePath", bundle]).status == 0)
        let again = try shop.test([Self.empty], ["-resultBundlePath", bundle])
        #expect(again.status == 64)
        #expect(again.errors.contains("Existing file at -resultBundlePath"))
        #expect(!again.output.contains("Test Suite"))
    }

    @Test("a test run finds its products beside itself, and elsewhere runs nothing and succeeds")
    func elsewhere() throws {
        let shop = try StandInApp()
        let copy = shop.app.file("copy.xctestrun")
        try FileManager.default.copyItem(atPath: shop.testRun, toPath: copy)
        let ending = try shop.test([], by: copy)
        #expect(ending.status == 0)
        #expect(ending.output.contains("Executed 0 tests, with 0 failures"))
        let list = try shop.test([], enumeration, by: copy)
        #expect(list.output.contains(#""enabledTests": []"#))
    }

    private var enumeration: [String] {
        ["-enumerate-tests", "-test-enumeration-style", "flat", "-test-enumeration-format", "json"]
    }

    @Test("enumeration names tests of both libraries as -only-testing takes them")
    func enumerates() throws {
        let shop = try StandInApp()
        let text = try shop.test([], enumeration).output
        for name in [
            "ShopTests/CartTests/testEmpty()", "ShopTests/CartSuite/prices(_:)",
            "ShopTests/CartSuite/`two words`()",
        ] {
            #expect(text.contains(#""identifier": "\#(name)""#))
            if name.contains("prices") { continue }
            #expect(try shop.test([name]).output.contains(" 1 test"), "\(name)")
        }
        #expect(text.components(separatedBy: "disabledTests").last?.contains("testOld()") == true)
        // A folder without a project.
        let nowhere = try shop.mac.run(
            ["xcodebuild", "test-without-building"] + enumeration,
            in: shop.mac.folder.path
        )
        #expect(nowhere.status == 66)
    }

    @Test(
        "a test that does not exist runs nothing and succeeds",
        arguments: [
            "ShopTests/CartTests/testNone", "ShopTests/NoTests", "ShopTests/CartSuite/total",
            "ShopTests/CartSuite/prices()", "ShopTests/CartSuite/two words()",
        ]
    )
    func unknownTest(name: String) throws {
        let shop = try StandInApp()
        let ending = try shop.test([name])
        #expect(ending.status == 0)
        #expect(ending.output.contains("Executed 0 tests"))
        #expect(ending.output.contains("Test run with 0 tests"))
    }

    @Test("a target that does not exist is an error")
    func unknownTarget() throws {
        let ending = try StandInApp().test(["NoTests/CartTests"])
        #expect(ending.status == 70)
        #expect(ending.errors.contains("There are no test bundles available to test."))
    }

    @Test("a variable of the caller reaches no test, one with the runner's prefix does")
    func environment() throws {
        let shop = try StandInApp()
        let mode = "ShopTests/CartTests/testMode"
        #expect(try shop.test([mode], [], ["MODE": "fast"]).status == 65)
        #expect(try shop.test([mode], [], ["TEST_RUNNER_MODE": "fast"]).status == 0)
        let copy = try shop.edited { target in
            var given = target["EnvironmentVariables"] as? [String: String] ?? [:]
            given["MODE"] = "fa"
            target["EnvironmentVariables"] = given
        }
        #expect(try shop.test([mode], by: copy).status == 65)
        let added = ["TEST_RUNNER_MODE": "__CURRENT_VALUE__st"]
        #expect(try shop.test([mode], [], added, by: copy).status == 0)
    }

    @Test("who drops what injects the test bundle has no tests")
    func injection() throws {
        let shop = try StandInApp()
        let copy = try shop.edited { $0["TestingEnvironmentVariables"] = ["A": "b"] }
        let ending = try shop.test([Self.empty], by: copy)
        #expect(ending.status == 65)
        #expect(ending.output.contains("Test runner never began executing tests after launching."))
    }

    @Test("a test run without a mandatory key is refused")
    func mandatoryKeys() throws {
        let shop = try StandInApp()
        let copy = try shop.edited { $0["TestHostPath"] = nil }
        #expect(try shop.test([Self.empty], by: copy).errors.contains("“TestHostPath” is missing"))
    }

    @Test("simulators of another set are not there, and a platform alone is no destination")
    func destinations() throws {
        let shop = try StandInApp()
        let other = try shop.simctl("--set", shop.app.file("set"), "create", "Other", "iPhone 16")
        let udid = other.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let lost = try shop.test([Self.empty], on: udid)
        #expect(lost.status == 70)
        #expect(lost.errors.contains("Unable to find a device matching the provided destination"))
        for destination in ["platform=iOS Simulator", "generic/platform=iOS Simulator"] {
            let ending = try shop.mac.run(
                [
                    "xcodebuild", "test-without-building", "-xctestrun", shop.testRun,
                    "-destination", destination,
                ]
            )
            #expect(ending.status == 70, "\(destination)")
        }
    }

    @Test("a simulator takes one runner at a time, and another when the first was killed")
    func oneRunner() throws {
        let shop = try StandInApp()
        let first = try shop.mac.start(
            shop.words(["ShopTests/CartTests/testHangs"], [], on: nil, by: nil),
            ["NSUnbufferedIO": "YES"]
        )
        #expect(first.wait(seconds: 60) { first.output.contains("testHangs]' started") })
        let second = try shop.test([Self.empty])
        #expect(second.status == 65)
        #expect(second.output.contains(#"reason: Busy ("Application failed preflight checks")"#))
        #expect(try shop.mac.trace(["--events"]).contains("two-runners"))
        first.kill()
        #expect(try shop.test([Self.empty]).status == 0)
    }

    @Test("lines come in blocks unless they are asked for, and a killed run leaves no bundle")
    func killed() throws {
        let shop = try StandInApp()
        let bundle = shop.app.file("r.xcresult")
        let child = try shop.mac.start(
            shop.words(
                ["ShopTests/CartTests/testHangs"],
                ["-resultBundlePath", bundle],
                on: nil,
                by: nil
            )
        )
        #expect(
            child.wait(seconds: 60) {
                (try? shop.mac.trace(["--events"]).contains("launch {")) == true
            }
        )
        child.kill()
        #expect(!child.output.contains("started"))
        #expect(try shop.results("tests", of: bundle).status == 1)
        #expect(try shop.mac.trace().contains("-> killed"))
        #expect(try shop.simctl("list", "devices").output.contains("(Booted)"))
    }

    @Test("a crash costs the test that ran; the others run in another launch")
    func crash() throws {
        let shop = try StandInApp()
        let bundle = shop.app.file("r.xcresult")
        let ending = try shop.test(
            ["ShopTests/CartTests/testCrash", "ShopTests/CartTests/testAfter"],
            ["-resultBundlePath", bundle]
        )
        #expect(ending.status == 65)
        #expect(
            ending.output.contains(
                "Restarting after unexpected exit, crash, or test timeout in "
                    + "-[CartTests testCrash]; summary will include totals from previous launches."
            )
        )
        #expect(ending.output.contains("testAfter]' passed"))
        #expect(ending.output.contains("Executed 2 tests, with 1 failure (1 unexpected)"))
        #expect(try shop.results("summary", of: bundle).output.contains(#""passedTests": 1"#))
    }

    @Test("a test over its allowance fails, and one without an allowance never ends")
    func allowance() throws {
        let shop = try StandInApp()
        let ending = try shop.test(
            ["ShopTests/CartTests/testHangs"],
            ["-test-timeouts-enabled", "YES", "-default-test-execution-time-allowance", "20"]
        )
        #expect(ending.status == 65)
        #expect(ending.output.contains("exceeded execution time allowance of 1 minute"))
    }

    @Test("text, file and line of a failure are in the lines and in the results")
    func failure() throws {
        let shop = try StandInApp()
        let bundle = shop.app.file("r.xcresult")
        let ending = try shop.test(
            ["ShopTests/CartTests/testFails", "ShopTests/CartSuite/prices(_:)"],
            ["-resultBundlePath", bundle]
        )
        #expect(
            ending.output.contains(
                "/ShopTests/CartTests.swift:14: error: -[ShopTests.CartTests testFails] : "
                    + "XCTFail - no cart"
            )
        )
        #expect(ending.output.contains("with 1 argument value → 2 at CartSuite.swift:10:5: "))
        #expect(ending.output.contains("Failing tests:\n\tShopTests:\n\t\tCartSuite.prices(_:)\n"))
        #expect(ending.output.contains("** TEST EXECUTE FAILED **"))
        let tests = try shop.results("tests", of: bundle).output
        #expect(tests.contains(#""name": "CartTests.swift:14: XCTFail - no cart""#))
        #expect(tests.contains(#""nodeType": "Arguments", "result": "Failed""#))
    }

    @Test("products that lost a link or an executable bit are damaged")
    func damagedProducts() throws {
        let shop = try StandInApp()
        let app =
            (shop.testRun as NSString).deletingLastPathComponent
            + "/Debug-iphonesimulator/Shop.app"
        let link = app + "/Frameworks/ShopKit.framework/ShopKit"
        try FileManager.default.removeItem(atPath: link)
        try Data([1]).write(to: URL(fileURLWithPath: link))
        let ending = try shop.test([Self.empty])
        #expect(ending.status == 65)
        #expect(ending.output.contains("damaged or missing necessary resources."))
    }

    @Test("a second build in the same folder finds the database locked")
    func twoBuilds() throws {
        let shop = try StandInApp()
        try shop.mac.trouble(#"[{"kind": "build-hangs"}]"#)
        let words = [
            "xcodebuild", "build-for-testing", "-scheme", "Shop", "-derivedDataPath",
            shop.app.file("built"),
        ]
        let first = try shop.mac.start(words, in: shop.app.path)
        #expect(
            first.wait(seconds: 60) {
                (try? shop.mac.trace(["--events"]).contains("build-hangs")) == true
            }
        )
        let second = try shop.mac.run(words, in: shop.app.path)
        #expect(second.status == 65)
        #expect(second.output.contains("database is locked"))
        #expect(second.output.contains("** TEST BUILD FAILED **"))
    }

    @Test("unknown options, both kinds of sources and words over the system's limit do not start")
    func wrongOptions() throws {
        let shop = try StandInApp()
        #expect(try shop.test([], ["-shard", "1"]).status == 64)
        #expect(try shop.test([], ["-workspace", "Shop.xcworkspace"]).status == 64)
        let long = Array(repeating: "ShopTests/" + String(repeating: "x", count: 2000), count: 600)
        #expect(try shop.test(long).status == 126)
        #expect(
            try shop.mac.run(["xcodebuild", "-version"], ["DEVELOPER_DIR": "/none"]).status == 1
        )
    }

    @Test("identifiers in a file need Xcode 27")
    func responseFile() throws {
        for (version, count) in [("16.4", 0), ("27.0", 1)] {
            let shop = try StandInApp(
                """
                {"selected": "\(version)", "xcodes": [{"version": "\(version)", "build": "1A1",
                 "sdk": "18.5", "path": "Applications/Xcode.app"}]}
                """
            )
            let file = try shop.app.write("list.txt", Self.empty + "\n\n")
            let ending = try shop.test(version == "27.0" ? ["@" + file] : ["ShopTests/@" + file])
            #expect(ending.output.contains("Executed \(count) test"), "\(version)")
        }
    }
}
