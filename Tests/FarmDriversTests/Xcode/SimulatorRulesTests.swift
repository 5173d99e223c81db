import FarmCore
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Which simulator a device is")
struct SimulatorRulesTests {
    private static let json = """
        {"devicetypes": [
           {"name": "iPhone 8", "identifier": "t.8"}, {"name": "iPhone Xʀ", "identifier": "t.xr"},
           {"name": "iPhone 16", "identifier": "t.16"}],
         "runtimes": [
           {"identifier": "r.13", "name": "iOS 13.1", "version": "13.1.2", "isAvailable": true,
            "supportedDeviceTypes": [{"name": "iPhone 8", "identifier": "t.8"},
                                     {"name": "iPhone Xʀ", "identifier": "t.xr"}]},
           {"identifier": "r.9", "name": "iOS 15.9", "version": "15.9", "isAvailable": true},
           {"identifier": "r.10", "name": "iOS 15.10", "version": "15.10", "isAvailable": true},
           {"identifier": "r.26", "name": "iOS 26.0", "version": "26.0", "isAvailable": false},
           {"identifier": "r.tv", "name": "tvOS 18.0", "version": "18.0", "isAvailable": true}],
         "devices": {"r.13": [
           {"udid": "U2", "name": "snapfarm-gone iPhone 8", "state": "Booted"},
           {"udid": "U1", "name": "snapfarm-gone iPhone 8", "state": "Shutdown"},
           {"udid": "U3", "name": "snapfarm-alive iPhone 8", "state": "Booted"},
           {"udid": "U4", "name": "iPhone 8", "state": "Shutdown"}]}, "pairs": {}}
        """

    private func model(_ name: String, _ os: String?) throws -> SimulatorModel {
        let list = try #require(SimulatorList(Data(Self.json.utf8)))
        return try list.model(of: Device(name: name, os: os, width: 1, height: 1, scale: 1))
    }

    @Test(
        "its type by name, its runtime by version",
        arguments: [
            ("iPhone 8", "13.1", "t.8", "r.13"), ("iPhone 8", "13.1.2", "t.8", "r.13"),
            ("iPhone XR", "13.1", "t.xr", "r.13"), ("iPhone 8", nil, "t.8", "r.10"),
            ("iPhone 16", "15.9", "t.16", "r.9"), ("iPhone 16", "15.9.0", "t.16", "r.9"),
        ] as [(String, String?, String, String)]
    )
    func found(_ name: String, _ os: String?, _ type: String, _ runtime: String) throws {
        let model = try model(name, os)
        #expect(model.type == type && model.runtime == runtime)
    }

    @Test("no other simulator stands in for one that is not there")
    func missing() {
        for (name, os) in [("iPhone 16", "13.1"), ("iPhone 8", "26.0"), ("iPhone 8", "18.0")] {
            #expect(throws: XcodeError.self) { try model(name, os) }
        }
        #expect(throws: XcodeError.self) { try model("iPhone 99", nil) }
        #expect(SimulatorList(Data("no".utf8)) == nil)
    }

    @Test("what a dead process made is left over, and nothing else")
    func leftovers() throws {
        let list = try #require(SimulatorList(Data(Self.json.utf8)))
        let left = list.leftovers { SimulatorName.mark(in: $0) == "gone" }
        #expect(left == ["U1", "U2"])
        #expect(list.has("U4") && !list.has("U5"))
    }

    @Test("marks: the own process lives, one that is not there is gone, others are nobody's")
    func marks() {
        let name = SimulatorName.name(mark: ProcessMark.own, title: "iPhone 8 (13.1)")
        #expect(SimulatorName.mark(in: name) == ProcessMark.own)
        #expect(SimulatorName.mark(in: "iPhone 8") == nil)
        #expect(!ProcessMark.isGone(ProcessMark.own))
        let space = ProcessMark.own.split(separator: "-")[0]
        #expect(ProcessMark.isGone("\(space)-99999999-1"))
        #expect(!ProcessMark.isGone("1-99999999-1"))
        #expect(!ProcessMark.isGone("mine"))
    }

    struct Locale: Sendable {
        var variant: [String: String]
        var language: String?
        var region: String?
        var arguments: [String]
    }

    @Test(
        "a cell's language and region",
        arguments: [
            Locale(variant: [:], language: nil, region: nil, arguments: []),
            Locale(
                variant: ["locale": "ja"],
                language: "ja",
                region: nil,
                arguments: ["-testLanguage", "ja"]
            ),
            Locale(
                variant: ["locale": "ja_JP"],
                language: "ja",
                region: "JP",
                arguments: ["-testLanguage", "ja", "-testRegion", "JP"]
            ),
            Locale(
                variant: ["language": "zh-Hans"],
                language: "zh-Hans",
                region: nil,
                arguments: ["-testLanguage", "zh-Hans"]
            ),
            Locale(
                variant: ["language": "de", "region": "CH"],
                language: "de",
                region: "CH",
                arguments: ["-testLanguage", "de", "-testRegion", "CH"]
            ),
        ]
    )
    func locale(_ example: Locale) {
        let setup = CellSetup(XcodeMac.cell("iPhone 8", "13.1", example.variant))
        #expect(setup.language == example.language && setup.region == example.region)
        #expect(setup.testArguments == example.arguments)
    }

    @Test("what a simulator shows already is not set again")
    func looks() {
        let dark = CellSetup(
            XcodeMac.cell("iPhone 8", "13.1", ["appearance": "dark", "Text Size": "Extra Large"])
        )
        let light = CellSetup(XcodeMac.cell("iPhone 8", "13.1"))
        func commands(_ setup: CellSetup, _ before: CellSetup?, _ kept: CellSetup.Kept = .init())
            -> [[String]]
        {
            setup.lookCommands("U", before: before, kept: kept).map(\.arguments)
        }
        #expect(
            commands(dark, nil) == [
                ["ui", "U", "appearance", "dark"], ["ui", "U", "content_size", "extra-large"],
            ]
        )
        #expect(commands(dark, dark, dark.kept).isEmpty)
        // A text size survives a boot; the other settings are unknown after it.
        #expect(
            commands(light, nil, dark.kept) == [
                ["ui", "U", "appearance", "light"], ["ui", "U", "content_size", "large"],
            ]
        )
        #expect(
            commands(light, dark, dark.kept) == [
                ["ui", "U", "appearance", "light"], ["ui", "U", "content_size", "large"],
            ]
        )
        #expect(CellSetup.statusBarCommand("U").contains("9:41"))
        let high = CellSetup(XcodeMac.cell("iPhone 8", "13.1", ["contrast": "increased"]))
        #expect(commands(high, light) == [["ui", "U", "increase_contrast", "enabled"]])
        #expect(commands(high, high, high.kept).isEmpty)
        #expect(
            commands(light, nil, high.kept).last == ["ui", "U", "increase_contrast", "disabled"]
        )
    }

    @Test(
        "an appearance that fails matters if a cell of the job says one, or another was set before"
    )
    func neededAppearance() {
        let plain = XcodeMac.cell("iPhone 8", "13.1")
        let dark = XcodeMac.cell("iPhone 8", "13.1", ["Appearance": "dark"])
        func isNeeded(_ cells: [Cell], _ kept: CellSetup.Kept = CellSetup.Kept()) -> Bool? {
            CellSetup(plain, among: cells).lookCommands("U", before: nil, kept: kept).first?
                .isNeeded
        }
        #expect(isNeeded([plain]) == false)
        #expect(isNeeded([plain, dark]) == true)
        #expect(isNeeded([plain], CellSetup(dark).kept) == true)
    }

    @Test(
        "SpringBoard answers if a process has its service",
        arguments: [
            ("\t 0x1b07    M   A   com.apple.springboard.services", true),
            ("\t 0x0       M   D   com.apple.springboard.services", false),
            ("\t 0x1203    M   A   com.apple.backboardd", false),
            ("\t 0x1203    M   A   com.apple.springboard.services.other", false), ("", false),
        ]
    )
    func springBoard(_ line: String, _ answers: Bool) {
        let list = "com.apple.xpc.launchd.domain.system = {\n\(line)\n}\n"
        #expect(CellSetup.springBoardAnswers(in: Array(list.utf8)) == answers)
    }

    @Test(
        "the Xcode of a job: the selected one where it will do, else the newest that fits",
        arguments: [
            (nil, "16.2"), (">=16 <17", "16.2"), (">=15", "16.2"), ("<16", "15.10"),
            ("15.9", "15.9"),
        ] as [(String?, String)]
    )
    func xcode(_ need: String?, _ version: String) throws {
        let all = [
            XcodeInstallation(developerFolder: nil, version: "16.2"),
            XcodeInstallation(developerFolder: "/a", version: "15.9"),
            XcodeInstallation(developerFolder: "/b", version: "15.10"),
        ]
        let needs = Needs(try need.map { [try Need(name: "xcode", parsing: $0)] } ?? [])
        #expect(try XcodeInstallation.choice(needs, among: all)?.version == version)
        let none = Needs([try Need(name: "xcode", parsing: ">=99")])
        #expect(throws: XcodeError.self) { try XcodeInstallation.choice(none, among: all) }
    }
}
