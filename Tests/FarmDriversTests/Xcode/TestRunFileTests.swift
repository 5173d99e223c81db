import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("An .xctestrun file")
struct TestRunFileTests {
    private static func target(_ name: String, _ more: String = "") -> String {
        """
        <dict><key>BlueprintName</key><string>\(name)</string>
        <key>TestBundlePath</key><string>__TESTHOST__/PlugIns/\(name).xctest</string>
        <key>EnvironmentVariables</key><dict><key>KEPT</key><string>yes</string></dict>
        <key>SkipTestIdentifiers</key><array><string>A/testOff</string></array>
        <key>OnlyTestingIdentifiers</key><dict><key>suites</key><array/></dict>
        <key>SkipTestingIdentifiers</key><dict><key>suites</key><array><dict><key>name</key>
        <string>A</string></dict></array></dict>
        <key>SomethingNew</key><integer>7</integer>\(more)</dict>
        """
    }

    private static func plist(_ body: String) -> String {
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(body)</dict></plist>"
    }

    private static func metadata(_ version: Int) -> String {
        "<key>__xctestrun_metadata__</key><dict><key>FormatVersion</key><integer>\(version)"
            + "</integer></dict>"
    }

    static let versions: [(version: Int, text: String)] = [
        (
            2,
            plist(
                """
                <key>TestPlan</key><dict><key>IsDefault</key><true/><key>Name</key>
                <string>Plan</string></dict><key>TestConfigurations</key><array><dict>
                <key>Name</key><string>ja</string><key>TestTargets</key><array>
                \(target("AppTests"))\(target("OtherTests"))</array></dict></array>
                """ + metadata(2)
            )
        ),
        (
            1,
            plist(
                "<key>AppTests</key>\(target("AppTests"))<key>OtherTests</key>"
                    + target("OtherTests") + metadata(1)
            )
        ),
        (
            0,
            plist(
                "<key>AppTests</key>\(target("AppTests"))<key>OtherTests</key>\(target("OtherTests"))"
            )
        ),
    ]

    private static let edit = TestRunEdit(
        environment: ["NEW": "1"],
        only: ["AppTests": ["A/testOne", "S/two()"]],
        language: "ja",
        region: "JP"
    )

    /// Returns the entry of a target after an edit, or `nil` if it was removed.
    private func entry(_ name: String, in bytes: Data) throws -> [String: Any]? {
        let value = try PropertyListSerialization.propertyList(from: bytes, format: nil)
        let root = try #require(value as? [String: Any])
        guard let configurations = root["TestConfigurations"] as? [[String: Any]] else {
            return root[name] as? [String: Any]
        }
        let targets = try #require(configurations[0]["TestTargets"] as? [[String: Any]])
        return targets.first { $0["BlueprintName"] as? String == name }
    }

    @Test(
        "of every version is edited for a launch, and keeps what nobody knows",
        arguments: [0, 1, 2]
    )
    func edited(version: Int) throws {
        let text = try #require(Self.versions.first { $0.version == version }).text
        var file = try TestRunFile(Data(text.utf8), path: "x")
        #expect(file.version == version)
        #expect(file.targets == ["AppTests", "OtherTests"])
        file.apply(Self.edit)
        let bytes = try file.encoded(path: "x")
        let target = try #require(try entry("AppTests", in: bytes))
        for key in ["EnvironmentVariables", "TestingEnvironmentVariables"] {
            #expect((target[key] as? [String: String])?["NEW"] == "1")
        }
        #expect((target["EnvironmentVariables"] as? [String: String])?["KEPT"] == "yes")
        #expect(target["OnlyTestIdentifiers"] as? [String] == ["A/testOne", "S/two()"])
        let choice = try #require(target["OnlyTestingIdentifiers"] as? [String: [[String: Any]]])
        #expect(choice["suites"]?.map { $0["name"] as? String } == ["A", "S"])
        #expect(
            choice["suites"]?.map { $0["testFunctions"] as? [String] } == [["testOne"], ["two()"]]
        )
        #expect(choice["xctestClasses"]?.first?["xctestMethods"] as? [String] == ["testOne"])
        for key in ["SkipTestIdentifiers", "SkipTestingIdentifiers"] { #expect(target[key] == nil) }
        #expect(target["ParallelizationEnabled"] as? Bool == false)
        #expect(target["UserAttachmentLifetime"] as? String == "keepAlways")
        #expect(target["TestLanguage"] as? String == "ja")
        #expect(target["TestRegion"] as? String == "JP")
        #expect(target["SomethingNew"] as? Int == 7)
        // A target without a selected test would run all its tests.
        #expect(try entry("OtherTests", in: bytes) == nil)
    }

    @Test("names nested suites, functions without a suite, and tests of one suite together")
    func choice() {
        func names(_ value: PropertyList?) -> [String] {
            guard case .list(let values)? = value else { return [] }
            return values.compactMap { value in
                value.text ?? value.dictionary?["name"]?.text
            }
        }
        let choice = TestChoice(["free()", "S/a()", "T/testE", "S/`b c`(x:)", "S/In/d()"])
            .propertyList.dictionary
        #expect(names(choice?["testFunctions"]) == ["free()"])
        #expect(names(choice?["suites"]) == ["S", "T"])
        #expect(names(choice?["xctestClasses"]) == ["S", "T"])
        guard case .list(let suites)? = choice?["suites"] else { return }
        #expect(names(suites[0].dictionary?["testFunctions"]) == ["a()", "`b c`(x:)"])
        #expect(names(suites[0].dictionary?["suites"]) == ["In"])
    }

    @Test("in binary stays binary")
    func binary() throws {
        let value = try PropertyListSerialization.propertyList(
            from: Data(Self.versions[0].text.utf8),
            format: nil
        )
        let bytes = try PropertyListSerialization.data(
            fromPropertyList: value,
            format: .binary,
            options: 0
        )
        var file = try TestRunFile(bytes, path: "x")
        file.apply(Self.edit)
        let edited = try file.encoded(path: "x")
        #expect(edited.prefix(6) == Data("bplist".utf8))
        #expect(try TestRunFile(edited, path: "x").targets == ["AppTests"])
    }

    @Test("without a language in the launch keeps its plan's")
    func language() throws {
        let text = Self.plist(
            "<key>A</key>" + Self.target("A", "<key>TestLanguage</key><string>de</string>")
        )
        var file = try TestRunFile(Data(text.utf8), path: "x")
        file.apply(TestRunEdit(only: ["A": ["B/c"]]))
        let target = try #require(try entry("A", in: try file.encoded(path: "x")))
        #expect(target["TestLanguage"] as? String == "de")
    }

    private static let skipping = """
        <dict><key>BlueprintName</key><string>App</string>
        <key>TestBundlePath</key><string>x</string>
        <key>SkipTestIdentifiers</key><array><string>A</string><string>S/old()</string></array>
        <key>SkipTestingIdentifiers</key><dict>
          <key>suites</key><array>
            <dict><key>name</key><string>Whole</string></dict>
            <dict><key>name</key><string>S</string><key>suites</key><array>
              <dict><key>name</key><string>In</string>
                <key>testFunctions</key><array><string>deep(_:)</string></array></dict></array></dict></array>
          <key>testFunctions</key><array><string>free()</string></array>
          <key>xctestClasses</key><array><dict><key>name</key><string>B</string>
            <key>xctestMethods</key><array><string>testOld</string></array></dict></array></dict></dict>
        """

    @Test("knows the tests that its plan skips, in the list and in the dictionary")
    func skips() throws {
        let text = Self.plist("<key>App</key>" + Self.skipping)
        let file = try TestRunFile(Data(text.utf8), path: "x")
        let off = [
            "App/A/testOne()", "App/S/old()", "App/Whole/one()", "App/S/In/deep(_:)", "App/free()",
            "App/B/testOld()",
        ]
        let on = [
            "App/S/new()", "App/S/In/deep()", "App/B/testNew", "Other/S/old()", "App/AB/testOne",
        ]
        let found = file.skipped(among: (off + on).map { TestID($0) })
        #expect(found == Set(off.map { TestID($0) }))
        // One of two configurations runs them.
        let both = Self.plist(
            "<key>App</key>" + Self.skipping + "<key>More</key>" + Self.target("App")
        )
        #expect(try TestRunFile(Data(both.utf8), path: "x").skipped(among: [TestID(off[1])]) == [])
    }

    @Test("knows its plan, and the modules of its targets")
    func plan() throws {
        let file = try TestRunFile(Data(Self.versions[0].text.utf8), path: "x")
        #expect(file.planName == "Plan" && file.isDefaultPlan == true)
        let more = "<key>ProductModuleName</key><string>Mod</string>"
        let text = Self.plist("<key>A</key>" + Self.target("A", more))
        #expect(try TestRunFile(Data(text.utf8), path: "x").modules == ["A": "Mod"])
    }

    @Test(
        "that cannot be used is refused by name",
        arguments: [
            "", "{}", plist(""), plist("<key>A</key><dict/>"),
            versions[0].text.replacing(">2<", with: ">3<"),
        ]
    )
    func refused(text: String) {
        #expect(throws: XcodeError.self) { try TestRunFile(Data(text.utf8), path: "x") }
    }

    @Test("is copied beside itself, and copies of processes that are gone are removed")
    func copies() throws {
        let folder = try TemporaryFolder("copies")
        let path = try folder.write("a.xctestrun", Self.versions[0].text)
        let dead = "snapfarm-\(ProcessMark.own.split(separator: "-")[0])-99999999-1_abc.xctestrun"
        try folder.write(dead, "x")
        let copy = try TestRunFile(reading: path).writeCopy(beside: path)
        #expect((copy as NSString).deletingLastPathComponent == folder.path)
        TestRunFile.removeLeftovers(beside: path)
        #expect(FileManager.default.fileExists(atPath: copy))
        #expect(!FileManager.default.fileExists(atPath: folder.file(dead)))
        #expect(TestRunFile.names(in: folder.path) == ["a.xctestrun"])
    }

    @Test("what nobody knows keeps its kind, in both formats")
    func kinds() throws {
        let body = """
            <key>flag</key><true/><key>number</key><integer>-7</integer><key>real</key><real>1.5</real>
            <key>date</key><date>2026-11-21T00:00:00Z</date><key>bytes</key><data>AQ==</data>
            <key>list</key><array><string>a</string><dict/><array/></array>
            """
        let decoder = PropertyListDecoder()
        let read = try decoder.decode(PropertyList.self, from: Data(Self.plist(body).utf8))
        let values = try #require(read.dictionary)
        #expect(values["flag"] == .flag(true) && values["number"] == .integer(-7))
        #expect(values["real"] == .real(1.5) && values["bytes"] == .bytes(Data([1])))
        #expect(values["date"] == .date(Date(timeIntervalSince1970: 1_795_219_200)))
        #expect(values["list"] == .list([.text("a"), .dictionary([:]), .list([])]))
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let bytes = try encoder.encode(read)
            #expect(try decoder.decode(PropertyList.self, from: bytes) == read)
        }
    }
}
