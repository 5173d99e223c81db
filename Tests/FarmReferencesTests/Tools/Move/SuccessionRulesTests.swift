import FarmCore
import FarmReferences
import ReferenceTesting
import Testing

@Suite("predecessors of pictures")
struct SuccessionRulesTests {
    private static let dark = [VariantValue(axis: "appearance", value: "dark")]

    private static func cell(
        _ name: String,
        _ os: String?,
        succeeds: String? = nil,
        width: Int = 0,
        height: Int = 0,
        scale: Double = 0
    ) -> Cell {
        let device = Device(
            name: name,
            os: os,
            width: width,
            height: height,
            scale: scale,
            succeeds: succeeds
        )
        return Cell(
            id: Matrix.cellID(device: device, variant: dark),
            device: device,
            variant: dark
        )
    }

    @Test(
        "names that carry the device or its OS are rewritten in the spelling they use",
        arguments: [
            ("S/login", "S/login"),
            ("S/login-iPhone-16-18-2", "S/login-iPhone-8-13-1"),
            ("S/login_iPhone_16_18_2", "S/login_iPhone_8_13_1"),
            ("S/login iPhone 16 (18.2)", "S/login iPhone 8 (13.1)"),
            ("S/login-iPhone16-18.2", "S/login-iPhone8-13.1"),
            ("iPhone-16/login", "iPhone-8/login"),
            ("S/iPhone-16-login-18.2", "S/iPhone-8-login-13.1"),
            ("S/login_393x852@3x", "S/login_375x667@2x"),
            // Other words and other numbers are kept.
            ("S/login-iPhone-160", "S/login-iPhone-160"),
            ("S/MyiPhone-16", "S/MyiPhone-16"),
        ]
    )
    func words(new: String, old: String) throws {
        let rules = SuccessionRules(cells: [
            Self.cell(
                "iPhone 16",
                "18.2",
                succeeds: "iPhone 8 (13.1)",
                width: 393,
                height: 852,
                scale: 3
            )
        ])
        let found = rules.predecessors(of: try id("iPhone-16_18.2_dark", new))
        #expect(found.first == (try id("iPhone-8_13.1_dark", old)))
        let same = try id("iPhone-8_13.1_dark", new)
        #expect(found.contains(same))
    }

    @Test("an OS that took the place of a device name in the pictures' names")
    func generation() throws {
        let rules = SuccessionRules(cells: [
            Self.cell("iPad", "18.1", succeeds: "iPad (10th generation)")
        ])
        #expect(
            rules.predecessors(of: try id("iPad_18.1_dark", "S/flow-1-iPad-18-1-en")).first
                == (try id("iPad-10th-generation_dark", "S/flow-1-iPad-10th-generation-en"))
        )
    }

    @Test("a name of one word was joined to more words in any of the ways")
    func oneWord() throws {
        let cells = [
            Self.cell("iPhone", nil, succeeds: "iPhone 16"), Self.cell("iPhone 16", "18.1"),
            Self.cell("iPhone 16", nil),
        ]
        let rules = SuccessionRules(cells: cells)
        for old in ["S/login.iPhone-16-en", "S/login.iPhone16-en", "S/login.iPhone 16-en"] {
            let found = rules.predecessors(of: try id("iPhone_dark", "S/login.iPhone-en"))
            #expect(found.contains(try id("iPhone-16_dark", old)))
        }
    }

    @Test("the chain of devices is followed, nearest first, and a circle ends")
    func chain() throws {
        let cells = [
            Self.cell("C", "3", succeeds: "B (2)"), Self.cell("B", "2", succeeds: "A (1)"),
            Self.cell("A", "1", succeeds: "C (3)"),
        ]
        let rules = SuccessionRules(cells: cells)
        #expect(rules.predecessors(of: CellID("C_3_dark")).map(\.text) == ["B_2_dark", "A_1_dark"])
        #expect(rules.predecessors(of: CellID("unknown")) == [])
        #expect(rules.predecessors(of: CellID.host) == [])
    }

    @Test("rename rules help in the own cell and in the predecessor's")
    func renames() throws {
        let rule = try RenameRule(old: "test_{s}-{c}.{n}", new: "{s}.{n}-{c}")
        let rules = SuccessionRules(
            cells: [Self.cell("iPhone 16", "18.2", succeeds: "iPhone 15 (18.2)")],
            renames: [rule]
        )
        let found = rules.predecessors(
            of: try id("iPhone-16_18.2_dark", "S/login.Empty-iPhone_16")
        )
        #expect(found.first == (try id("iPhone-16_18.2_dark", "S/test_login-iPhone_16.Empty")))
        #expect(found.contains(try id("iPhone-15_18.2_dark", "S/test_login-iPhone_15.Empty")))
        #expect(found.count <= SuccessionRules.proposalsMax)
        #expect(Set(found).count == found.count)
    }
}
