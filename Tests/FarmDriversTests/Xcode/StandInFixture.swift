// A stand-in for a Mac with a small built app and one simulator.
import FarmTesting
import Foundation
import Testing

struct StandInApp {
    let mac: StandInMac
    let app: TemporaryFolder
    /// The simulator's UDID.
    let simulator: String
    let testRun: String

    static let project = """
        {"app": "Shop", "frameworks": ["ShopKit"],
         "schemes": {"Shop": {"targets": ["ShopTests", "ShopUITests"],
            "testPlans": {"Shop": {"skip": ["ShopTests/CartTests/testOld"]}}}},
         "targets": {
          "ShopTests": {"tests": [
            "CartTests/testEmpty", "CartTests/testOld",
            {"test": "CartTests/testFails", "does": [{"fail": "XCTFail - no cart", "line": 14}]},
            {"test": "CartTests/testCrash", "does": [{"crash": "Index out of range"}]},
            {"test": "CartTests/testAfter"},
            {"test": "CartTests/testHangs", "does": [{"hang": true}]},
            {"test": "CartTests/testMode", "does": [{"need": {"MODE": "fast"}}]},
            {"test": "CartTests/testFB", "does": [{"picture": {"with": "fb", "identifier": "a b"}}]},
            {"test": "CartTests/testPF", "does": [{"picture": {"with": "pf", "named": "cart"}}]},
            {"test": "CartTests/testShot", "does": [{"picture": {"with": "attachment"}}]},
            {"test": "CartTests/testKit", "does": [{"picture": {"with": "kit", "name": "kit"}}]},
            {"test": "CartTests/testBar",
             "does": [{"picture": {"with": "kit", "name": "bar", "statusBar": true}}]},
            {"test": "CartSuite/prices(_:)", "arguments": [1, 2],
             "does": [{"when": {"argument": 2}, "does": [{"fail": "Expectation failed: 1 == 2"}]}]},
            {"test": "CartSuite/`two words`()"},
            {"test": "CartSuite/total()"},
            {"test": "CartSuite/later()", "disabled": "not yet"}]},
          "ShopUITests": {"kind": "ui", "tests": ["TapTests/testTap"]}}}
        """

    init(_ machine: String = #"{"hangSecondsMax": 60}"#) throws {
        mac = try StandInMac(machine)
        app = try TemporaryFolder("shop")
        try app.write("Shop.xcworkspace/standin.json", Self.project)
        simulator = try mac.simulator("Phone")
        let built = try mac.run(
            [
                "xcodebuild", "build-for-testing", "-scheme", "Shop", "-derivedDataPath",
                app.file("built"),
            ],
            in: app.path
        )
        try #require(built.status == 0, "\(built.output)\(built.errors)")
        testRun = app.file(
            "built/Build/Products/Shop_Shop_iphonesimulator18.5-arm64-x86_64.xctestrun"
        )
    }

    func simctl(_ words: String...) throws -> ProcessEnding {
        try mac.run(["xcrun", "simctl"] + words)
    }

    func words(_ tests: [String], _ more: [String], on udid: String?, by file: String?) -> [String]
    {
        [
            "xcodebuild", "test-without-building", "-xctestrun", file ?? testRun, "-destination",
            "platform=iOS Simulator,id=\(udid ?? simulator)",
        ] + tests.map { "-only-testing:\($0)" } + more
    }

    /// Runs the tests with these identifiers, or all tests if there are none.
    func test(
        _ tests: [String],
        _ more: [String] = [],
        _ variables: [String: String] = [:],
        on udid: String? = nil,
        by file: String? = nil
    ) throws -> ProcessEnding {
        try mac.run(words(tests, more, on: udid, by: file), variables)
    }

    /// Returns the output of `xcresulttool get test-results`, without spaces at its ends.
    func results(_ kind: String, of bundle: String) throws -> ProcessEnding {
        try mac.run(
            ["xcrun", "xcresulttool", "get", "test-results", kind, "--compact", "--path", bundle]
        )
    }

    /// Edits the property list of a test run and writes it beside the original.
    func edited(_ change: (inout [String: Any]) -> Void) throws -> String {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: testRun))
        let read = try PropertyListSerialization.propertyList(from: bytes, format: nil)
        var plist = try #require(read as? [String: Any])
        var configurations = plist["TestConfigurations"] as? [[String: Any]] ?? []
        for index in configurations.indices {
            var targets = configurations[index]["TestTargets"] as? [[String: Any]] ?? []
            for target in targets.indices { change(&targets[target]) }
            configurations[index]["TestTargets"] = targets
        }
        plist["TestConfigurations"] = configurations
        let copy = try PropertyListSerialization.data(
            fromPropertyList: plist,
            format: .xml,
            options: 0
        )
        let path = (testRun as NSString).deletingLastPathComponent + "/copy.xctestrun"
        try copy.write(to: URL(fileURLWithPath: path))
        return path
    }
}
