// A payment app on six devices, and the stand-ins for the Macs that test it: unit tests, snapshot
// tests of every device in light English, and of one more cell in dark Japanese.
import FarmCore
import FarmTesting
import Foundation
import Testing

/// A project for the driver `xcodebuild`.
struct PaymentApp {
    /// The project of the app; its jobs are those of ``pipeline``.
    let project: Project

    /// Returns the app with references of all pictures.
    static func recorded() throws -> PaymentApp { try PaymentApp(copying: template.get()) }

    /// The recorded app, made once because a record run takes every picture twice.
    private static let template = Result {
        let app = PaymentApp(project: try Project())
        try app.project.folder.write("app.yaml", pipeline)
        try app.write()
        let mac = try StandInMac()
        let ending = try app.run(["--mode", "record", "--workers", "3"], on: mac)
        try #require(ending.status == 0, "\(ending.said)")
        #expect(ending.output.contains("Recorded: 14 new"), "\(ending.output)")
        let calls = try XcodeCalls([mac], names: app.names)
        #expect(calls.builds == 1 && calls.simulatorsLeft.isEmpty)
        try FileManager.default.removeItem(atPath: app.project.folder.file(".snapfarm"))
        return app.project.folder
    }

    private init(project: Project) { self.project = project }

    /// Copies the app to another machine: its own path, and no data of earlier runs.
    init(copying folder: TemporaryFolder) throws {
        project = try Project()
        let ending = try TestProcess.run(["cp", "-a", folder.path + "/.", project.folder.path])
        try #require(ending.status == 0, "\(ending.said)")
        try? FileManager.default.removeItem(atPath: project.folder.file(".snapfarm"))
    }

    private static let pipeline = """
        version: 1
        name: app
        references: {store: store.git, pin: snapfarm.refs}
        devices:
          - iPhone SE (3rd generation) (18.5)
          - iPhone 14 (18.5)
          - iPhone 15 (17.5)
          - iPhone 16 (18.5)
          - iPhone 16 Plus (18.5)
          - iPad Pro 11-inch (M4) (18.5)
        variants: {appearance: [light, dark], locale: [en-US, ja-JP]}
        jobs:
          unit_test:
            kind: unit
            \(app)
            targets: [PayTests]
          snapshot_test:
            kind: snapshot
            framework: iOSSnapshotTestCase
            \(app)
            targets: [PaySnapshotTests]
            matrix: {variants: {appearance: [light], locale: [en-US]}}
          japanese_test:
            kind: snapshot
            framework: iOSSnapshotTestCase
            \(app)
            targets: [PaySnapshotTests]
            matrix:
              devices: [iPhone 16 (18.5)]
              variants: {appearance: [dark], locale: [ja-JP]}

        """

    private static let app = """
        driver: xcodebuild
            workspace: Pay.xcworkspace
            scheme: Pay
        """

    /// Writes the tests; `balance` and `pay` are the actions of the tests with these names, in the
    /// stand-in's format.
    func write(
        balance: String = #"{"picture": {"with": "fb"}}"#,
        pay: String = #"{"picture": {"with": "fb"}}"#
    ) throws {
        try project.folder.write(
            "Pay.xcworkspace/standin.json",
            """
            {"app": "Pay", "schemes": {"Pay": {"targets": ["PayTests", "PaySnapshotTests"]}},
             "targets": {
               "PayTests": {"kind": "unit", "host": "Pay",
                 "tests": ["AmountTests/testSum", "AmountTests/testRounding"]},
               "PaySnapshotTests": {"kind": "unit", "host": "Pay", "tests": [
                 {"test": "HomeTests/testBalance", "does": [\(balance)]},
                 {"test": "TransferTests/testPay", "does": [\(pay)]}]}}}
            """
        )
    }

    /// Makes the balance larger, and makes the payment test fail for another reason than its
    /// picture.
    func change() throws {
        let failure = #"{"fail": "XCTAssertEqual failed: 1 is not 2", "line": 31}"#
        try write(
            balance: #"{"picture": {"with": "fb", "look": "larger"}}"#,
            pay: failure + #", {"picture": {"with": "fb"}}"#
        )
    }

    /// Returns the environment of the app's programs on a Mac.
    static func environment(on mac: StandInMac) -> [String: String] {
        [
            "PATH": mac.path, "HOME": mac.folder.path,
            "SNAPFARM_XCODES": mac.folder.file("Applications"),
        ]
    }

    func run(
        _ arguments: [String],
        on mac: StandInMac,
        _ variables: [String: String] = [:]
    ) throws -> ProcessEnding {
        let environment = Self.environment(on: mac).merging(variables) { _, new in new }
        return try project.run(arguments, environment: environment)
    }

    /// The names that replace this copy's own paths in a trace.
    var names: [String: String] { ["$APP": project.folder.path] }
}
