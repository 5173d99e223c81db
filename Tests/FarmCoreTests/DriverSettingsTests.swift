// Tests that driver settings in plans of earlier versions are read, and written again byte for
// byte.
import FarmCore
import Foundation
import Testing

@Suite("A driver's settings in a plan")
struct DriverSettingsTests {
    /// Settings as version 1 wrote them, with sorted keys.
    private static let written: [(String, DriverSettings)] = [
        (
            #"{"command":{"_0":{"captures":{"pattern":"shots/**/*.png","test":"{suite}/{name}"},"#
                + #""discover":"./list","results":"out/*.xml","run":"./run {tests}"}}}"#,
            DriverSettings(
                "command",
                [
                    "discover": "./list", "run": "./run {tests}", "results": "out/*.xml",
                    "captures": ["pattern": "shots/**/*.png", "test": "{suite}/{name}"],
                ]
            )
        ),
        (
            #"{"command":{"_0":{"discover":"d","run":"r"}}}"#,
            DriverSettings("command", ["discover": "d", "run": "r"])
        ),
        (
            #"{"swiftpm":{"_0":{"package":"Core"}}}"#,
            DriverSettings("swiftpm", ["package": "Core"])
        ),
        (
            #"{"webdriver":{"_0":{"scenes":"scenes.yaml","timeZone":"Europe/Berlin"}}}"#,
            DriverSettings("webdriver", ["scenes": "scenes.yaml", "timeZone": "Europe/Berlin"])
        ),
    ]

    private func sorted(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("are what earlier versions wrote, and are written so again", arguments: written)
    func sameJSON(text: String, settings: DriverSettings) throws {
        let read = try JSONDecoder().decode(DriverSettings.self, from: Data(text.utf8))
        #expect(read == settings)
        #expect(try sorted(read) == text)
    }

    /// Returns a plan in the format of version 1, for its ledger and zips.
    private static func plan(driver: String, kind: String, name: String) -> String {
        """
        {"job":{"bundle":[],"cells":[{"id":"host","variant":[]}],"comparison":{"ignored":
        {"boxes":[]},"overrides":[],"policy":{"visible":{"_0":{"antiAliasing":"ignored",
        "cluster":8,"noise":1,"share":0}}}},"driver":\(driver),"env":{},"exclusive":false,
        "flaky":"accept","judge":"farm","kind":"\(kind)","moved":"fail","name":"\(name)",
        "new":"fail","retries":0,"timeouts":{"shardSeconds":1800,"testSeconds":60}},
        "prepared":{},"tests":["a"]}
        """
    }

    @Test("give a stored plan the digest that it had")
    func sameDigest() throws {
        let names = ["unit", "plain", "package", "pages"]
        let jobs = zip(names, Self.written).map { name, written in
            Self.plan(
                driver: written.0,
                kind: name == "pages" ? "snapshot" : "unit",
                name: name
            )
        }
        let text = """
            {"filtered":false,"jobs":[\(jobs.joined(separator: ","))],"matrix":[],"mode":"verify",
            "pin":"","pipeline":"app","reencode":[],"renames":[],"workTree":"/w"}
            """
        let plan = try JSONDecoder().decode(Plan.self, from: Data(text.utf8))
        #expect(plan.jobs.map(\.job.driver) == Self.written.map(\.1))
        #expect(
            plan.digest.description
                == "sha256:e3a10b758ec9f8f47c1a56c05d46bf995ff06ba911166f535f925b3940189f01"
        )
        #expect(PlanMistakes(plan) == nil)
    }

    @Test(
        "are of one driver and an object, or are refused",
        arguments: [
            "{}", #"{"a":{"_0":{}},"b":{"_0":{}}}"#, #"{"a":{}}"#, #"{"a":{"_0":[]}}"#,
            #"{"a":{"_0":"text"}}"#, #"{"a":"text"}"#, #""a""#,
        ]
    )
    func refused(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(DriverSettings.self, from: Data(text.utf8))
        }
    }

    @Test("hold every kind of value, and none that is nested without end")
    func values() throws {
        let settings = DriverSettings(
            "any",
            ["a": [1, 2.5, true, "x", .null, ["b": []]], "c": .number(9_007_199_254_740_992)]
        )
        let text = #"{"any":{"_0":{"a":[1,2.5,true,"x",null,{"b":[]}],"c":9007199254740992}}}"#
        #expect(try sorted(settings) == text)
        let read = try JSONDecoder().decode(DriverSettings.self, from: Data(text.utf8))
        #expect(read == settings)
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                DriverSettings.self,
                from: Data(#"{"any":{"_0":{"a":\#(deep)}}}"#.utf8)
            )
        }
    }
}
