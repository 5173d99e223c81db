import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Names of Xcode's tests")
struct XcodeTestNameTests {
    struct Case: Sendable {
        var id: String
        var target: String
        var inTarget: String
        var key: String
    }

    @Test(
        "are taken apart and put together as they were",
        arguments: [
            Case(id: "T/C/testOne", target: "T", inTarget: "C/testOne", key: "T/C/testOne"),
            Case(id: "T/C/testOne()", target: "T", inTarget: "C/testOne()", key: "T/C/testOne"),
            Case(
                id: "T/S/In/two(a:)",
                target: "T",
                inTarget: "S/In/two(a:)",
                key: "T/S/In/two(a:)"
            ),
            Case(id: "T/free()", target: "T", inTarget: "free()", key: "T/free"),
            Case(
                id: "T/`a/b tests`/`c d`()",
                target: "T",
                inTarget: "`a/b tests`/`c d`()",
                key: "T/a/b tests/c d"
            ),
        ]
    )
    func parts(_ example: Case) {
        let name = XcodeTestName(TestID(example.id))
        #expect(name.target == example.target)
        #expect(name.inTarget == example.inTarget)
        #expect(name.key == example.key)
    }

    @Test(
        "are below their target, their suites and themselves",
        arguments: [
            ("T", true), ("T/C", true), ("T/C/testOne", true), ("T/C/testOne()", true),
            ("T/C/testOn", false), ("T/D", false), ("C", false), ("T/C/testOne/x", false),
        ]
    )
    func below(_ wanted: String, _ isBelow: Bool) {
        #expect(XcodeTestName("T/C/testOne()").isBelow(wanted) == isBelow)
    }

    private static let names = XcodeNames(
        [
            "App Tests/CartTests/testEmpty()", "Other/CartTests/testEmpty()",
            "App Tests/CartTests/testFull", "App Tests/S/sum(_:)", "App Tests/S/`a name`()",
        ].map { TestID($0) },
        modules: ["Other": "OtherModule"]
    )

    @Test(
        "are found by what XCTest's console calls them",
        arguments: [
            ("-[App_Tests.CartTests testEmpty]", "App Tests/CartTests/testEmpty()"),
            ("-[OtherModule.CartTests testEmpty]", "Other/CartTests/testEmpty()"),
            ("-[CartTests testFull]", "App Tests/CartTests/testFull"),
            ("CartTests.testFull()", "App Tests/CartTests/testFull"),
            ("S/sum(_:)", "App Tests/S/sum(_:)"), ("-[CartTests testNone]", nil), ("nonsense", nil),
        ] as [(String, String?)]
    )
    func console(_ text: String, _ id: String?) {
        #expect(Self.names.test(console: text)?.text == id)
    }

    @Test(
        "are found by what Swift Testing's console calls them",
        arguments: [
            ("sum(_:)", ["App Tests/S/sum(_:)"]), ("\"a name\"", ["App Tests/S/`a name`()"]),
            ("sum", []), ("run", []), ("other()", []),
        ]
    )
    func function(_ text: String, _ ids: [String]) {
        #expect(Self.names.tests(function: text).map(\.text) == ids)
    }
}

@Suite("Xcode's list of tests")
struct TestEnumerationTests {
    private static let json = """
        {"errors": [], "values": [
          {"testPlan": "Plan", "enabledTests": [{"identifier": "T/C/one()"}, {"identifier": "U/D/two"},
            {"identifier": "T/C/one()"}], "disabledTests": [{"identifier": "T/C/off()"}]},
          {"testPlan": "Other", "enabledTests": [{"identifier": "T/C/three()"}]}]}
        """

    private func list(
        _ json: String,
        plan: String? = nil,
        targets: [String] = [],
        skip: [String] = []
    ) throws -> TestEnumeration {
        try TestEnumeration(Data(json.utf8), plan: plan, targets: targets, skip: skip)
    }

    @Test("has each test once, and knows which are disabled")
    func all() throws {
        let found = try list(Self.json)
        #expect(found.tests.map(\.text) == ["T/C/one()", "U/D/two", "T/C/three()", "T/C/off()"])
        #expect(found.disabled.map(\.text) == ["T/C/off()"])
    }

    @Test("leaves out what the job does not want")
    func chosen() throws {
        #expect(try list(Self.json, plan: "Other").tests.map(\.text) == ["T/C/three()"])
        #expect(try list(Self.json, targets: ["U"]).tests.map(\.text) == ["U/D/two"])
        #expect(try list(Self.json, skip: ["T/C"]).tests.map(\.text) == ["U/D/two"])
    }

    @Test("a test that one plan disables and another runs is run")
    func twoPlans() throws {
        let json = """
            {"values": [{"disabledTests": [{"identifier": "T/C/one()"}]},
             {"enabledTests": [{"identifier": "T/C/one()"}]}]}
            """
        #expect(try list(json) == TestEnumeration(tests: [TestID("T/C/one()")]))
    }

    @Test("without a test, with an error, or unreadable is never an empty suite")
    func refused() {
        #expect(throws: XcodeError.noTests(targets: [])) {
            try list(#"{"errors": [], "values": []}"#)
        }
        #expect(throws: XcodeError.noTests(targets: ["X"])) { try list(Self.json, targets: ["X"]) }
        #expect(throws: XcodeError.enumerationFailed(["no bundle"])) {
            try list(#"{"errors": ["no bundle"], "values": []}"#)
        }
        #expect(throws: XcodeError.enumerationFailed(["no bundle"])) {
            try list(#"{"errors": [{"message": "no bundle"}]}"#)
        }
        #expect(throws: XcodeError.enumerationFailed(["why no bundle"])) {
            try list(
                #"{"errors": [{"code": 70, "a": ["why"], "message": "no bundle", "b": null}]}"#
            )
        }
        #expect(throws: XcodeError.enumerationUnreadable) { try list("Testing failed:") }
        #expect(throws: XcodeError.testUnusable(TestID("alone"))) {
            try list(#"{"values": [{"enabledTests": [{"identifier": "alone"}]}]}"#)
        }
    }

    @Test("a name or a form that is not understood is never left out with what is not wanted")
    func nothingDropped() throws {
        let odd =
            #"{"values": [{"enabledTests": [{"identifier": "T/C/a()"}, {"identifier": "b"}]}]}"#
        #expect(throws: XcodeError.testUnusable(TestID("b"))) { try list(odd, targets: ["T"]) }
        #expect(throws: XcodeError.enumerationUnreadable) {
            try list(
                #"{"values": [{"enabledTests": [{"identifier": "T/C/a()"}]}, {"children": []}]}"#
            )
        }
    }
}

@Suite("The tests of one launch")
struct TestSelectionTests {
    private let tests = (1...10).map { TestID("T/C/test\($0)()") }

    @Test("are named one by one, exactly as Xcode listed them")
    func arguments() {
        let names = ["T/C/one", "T/S/`a b`()", "T/S/two(a:)"].map { TestID($0) }
        #expect(
            TestSelection.launch(names, responseFile: "/tmp/list").arguments == [
                "-only-testing:T/C/one", "-only-testing:T/S/`a b`()", "-only-testing:T/S/two(a:)",
            ]
        )
    }

    @Test("of Swift Testing are named as 16.0 to 16.3 want it, too")
    func doubled() {
        let names = ["T/C/one", "T/S/two(a:)"].map { TestID($0) }
        let launch = TestSelection.launch(names, responseFile: nil, isDoubled: true)
        #expect(
            launch.arguments == [
                "-only-testing:T/C/one", "-only-testing:T/S/two(a:)",
                "-only-testing:T/S/two(a:)()",
            ]
        )
    }

    @Test("are cut into launches that a command line holds")
    func groups() {
        let groups = TestSelection.groups(tests, hasResponseFiles: false, bytesMax: 100)
        #expect(groups.count > 1)
        #expect(groups.flatMap(\.self) == tests)
        #expect(TestSelection.groups([], hasResponseFiles: false).isEmpty)
        #expect(TestSelection.groups(tests, hasResponseFiles: true, bytesMax: 100) == [tests])
    }

    @Test("are in a file where Xcode reads one and the list is long")
    func responseFile() {
        let many = (1...9_000).map { TestID("Target/Class\($0)/testThatHasALongName()") }
        let launch = TestSelection.launch(many, responseFile: "/tmp/list")
        #expect(launch.arguments == ["-only-testing:@/tmp/list"])
        #expect(launch.file?.split(separator: "\n").map(String.init) == many.map(\.text))
        #expect(TestSelection.launch(many, responseFile: nil).file == nil)
    }
}
