// Tests of texts that are references: their names, and the form in which they are compared.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("The file of a snapshot")
struct SnapshotFileTests {
    @Test(
        "is a picture without its ending, or a text with it",
        arguments: [
            ("cart.png", "cart"), ("greeting.txt", "greeting.txt"), ("a.json", "a.json"),
            ("icon.svg", "icon.svg"), ("index.html", "index.html"),
            ("index.html.png", "index.html.png"), ("index.html.png.png", "index.html.png.png"),
            ("a.png.png", "a.png"), ("page.txt.old.png", "page.txt.old"),
        ]
    )
    func names(file: String, name: String) {
        #expect(SnapshotFile.name(of: file) == name)
        #expect(SnapshotFile.file(of: name) == file)
    }

    @Test(
        "is none if it is hidden, of another kind, or only an ending",
        arguments: [".renderer.json", ".txt", ".png", "a.PNG", "a.TXT", "a.gif", "a", ""]
    )
    func others(file: String) {
        #expect(SnapshotFile.name(of: file) == nil)
    }

    @Test("has a name of its own, in 2,000 random names")
    func unique() {
        var random = SeededGenerator.announced("SnapshotFileTests.unique")
        let pieces = ["a", ".png", ".txt", ".json", ".html", "-"]
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...5, using: &random)
            let file = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            guard let name = SnapshotFile.name(of: file) else { continue }
            #expect(SnapshotFile.file(of: name) == file, "\(file)")
            #expect(SnapshotFile.isText(name) == !file.hasSuffix(".png"), "\(file)")
        }
    }

    @Test("finds the test of a picture whose record was written before texts were references")
    func oldRecord() throws {
        let record = SuiteRecord(job: JobName("j"), renderer: [:], tests: ["S/a.html": TestID("t")])
        func test(_ name: String) throws -> TestID? {
            record.test(of: try SnapshotID(cell: CellID("A"), suite: "S", name: name))
        }
        #expect(try test("a.html.png") == TestID("t"))
        #expect(try test("a.html") == TestID("t"))
        #expect(try test("a") == nil)
    }
}

@Suite("A text on the way of a picture")
struct TextSnapshotTests {
    private func capture(_ name: String, bytes: Int) throws -> CaptureReport {
        let data = Data(repeating: 0x61, count: bytes)
        return CaptureReport(
            capture: Capture(
                id: try SnapshotID(cell: CellID("A"), suite: "S", name: name),
                test: nil,
                digest: Digest(of: data),
                objectID: ObjectID(ofBlob: data),
                bytes: bytes
            )
        )
    }

    @Test("is a blob of its report although it is empty; a picture without bytes is none")
    func empty() throws {
        let reports = PictureReports(
            captures: [try capture("a.txt", bytes: 0), try capture("b", bytes: 0)]
        )
        #expect(reports.blobs.map(\.name) == ["A/S/a.txt"])
    }

    @Test("is never stored as a smaller picture")
    func reencoding() throws {
        let rule = Reencoding(suites: ["*"]) { _ in Data() }
        #expect(!rule.applies(to: try SnapshotID(cell: CellID("A"), suite: "S", name: "a.txt")))
        #expect(rule.applies(to: try SnapshotID(cell: CellID("A"), suite: "S", name: "a")))
    }
}

@Suite("The form of a text")
struct TextFormTests {
    @Test("of findings has no line that an ignored pattern matches anywhere")
    func ignoredFindings() throws {
        let rule = TextRule(
            for: try SnapshotID(cell: CellID("c"), suite: "s", name: "home.axe.yaml"),
            ignored: [try #require(IgnoredText("/^- region /"))]
        )
        let text = "- image-alt (critical): img: h\n- region (moderate): p: h\n"
        let form = try TextForm(Data(text.utf8), #require(rule))
        #expect(form.lines == [Array("- image-alt (critical): img: h".utf8)])
    }

    private func form(_ text: String, _ ignored: String..., isJSON: Bool = true) throws -> [String]
    {
        let rule = TextRule(isJSON: isJSON, ignored: ignored.compactMap { IgnoredText($0) })
        #expect(rule.ignored.count == ignored.count)
        return try TextForm(Data(text.utf8), rule).lines.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "is the same for two spellings of one JSON value",
        arguments: [
            ("{\"a\": 1, \"b\": [true, null]}", "{\"b\":[true,null],\n\"a\":1.0}"),
            ("1", "1.0"), ("1", "10e-1"), ("100", "1e2"), ("-0", "0"), ("0.5", "5e-1"),
            ("\"\\u00e9\"", "\"é\""), ("\"a\\/b\"", "\"a/b\""),
            ("{\"a\": 1, \"a\": 2}", "{\"a\": 2}"),
            ("12345678901234567890", "1234567890123456789e1"),
        ]
    )
    func equal(one: String, other: String) throws {
        #expect(try form(one) == form(other))
    }

    @Test(
        "differs for two JSON values",
        arguments: [
            ("{\"a\": 1}", "{\"a\": \"1\"}"), ("[1, 2]", "[2, 1]"), ("[]", "{}"), ("[[]]", "[]"),
            ("null", "false"), ("12345678901234567890", "12345678901234567891"),
            ("\"e\\u0301\"", "\"\\u00e9\""), ("{\"\\u00e9\": 1}", "{\"e\\u0301\": 1}"),
            ("0.1", "0.10000000000000001"),
        ]
    )
    func different(one: String, other: String) throws {
        let rule = TextRule(isJSON: true)
        #expect(
            try TextForm(Data(one.utf8), rule) != TextForm(Data(other.utf8), rule)
        )
    }

    @Test(
        "of a file that is no JSON says where",
        arguments: [
            ("{\"a\": 1,\n}", "the name of a member is missing, in line 2."),
            ("[1,]", "a value is missing, in line 1."), ("[1 2]", "\",\" is missing, in line 1."),
            ("", "a value is missing, in line 1."),
            ("{} x", "something follows its end, in line 1."),
            ("01", "a number has no digits, or begins with 0, in line 1."),
            ("\"a", "a text has no end, in line 1."), ("[", "a value is missing, in line 1."),
            ("\"\\q\"", "a text has a wrong escape or a control character, in line 1."),
        ]
    )
    func broken(text: String, reason: String) {
        #expect(throws: TextDefect.notJSON(reason: reason)) {
            _ = try TextForm(Data(text.utf8), TextRule(isJSON: true))
        }
    }

    @Test("of a file that is deep, long or no text is an error")
    func hostile() throws {
        let deep = Data(String(repeating: "[", count: 100_000).utf8)
        #expect(throws: TextDefect.self) { _ = try TextForm(deep, TextRule(isJSON: true)) }
        #expect(throws: TextDefect.notText) {
            _ = try TextForm(Data([0x61, 0xFF]), TextRule(isJSON: false))
        }
        let long = Data(repeating: 0x61, count: FarmLimits.textBytesMax + 1)
        #expect(throws: TextDefect.tooLong(bytes: long.count)) {
            _ = try TextForm(long, TextRule(isJSON: false))
        }
    }

    @Test("leaves out what is ignored")
    func ignored() throws {
        let text = "{\"date\": \"2026\", \"items\": [{\"id\": 1, \"n\": \"a\"}, {\"id\": 2}]}"
        let kept = try form(text, "$.date", "$.items[*].id")
        #expect(
            kept == [
                "{", "  \"items\": [", "    {", "      \"n\": \"a\"", "    }", "    {", "    }",
                "  ]", "}",
            ]
        )
        #expect(try form("{\"items\": [{\"n\": \"a\"}, {}]}") == kept)
        #expect(try form("[1, 2]", "$[0]") == ["[", "  …", "  2", "]"])
        #expect(
            try form("{\"a\": {\"b\": 1, \"c\": 2}}", "$.*['b']") == [
                "{", "  \"a\": {", "    \"c\": 2", "  }", "}",
            ]
        )
        #expect(try form("took 31 ms\nok\n", "/[0-9]+ ms/", isJSON: false) == ["took …", "ok"])
        for wrong in ["date", "$", "$.", "$[x]", "$[-1]", "//", "/(/", "$date"] {
            #expect(IgnoredText(wrong) == nil, "\(wrong)")
        }
    }

    @Test("has lines whose ends count only at the end of the text")
    func lines() throws {
        #expect(try form("a\r\nb\n", isJSON: false) == ["a", "b"])
        #expect(try form("a\nb", isJSON: false) == ["a", "b", "\\ No newline at end of file"])
        #expect(try form("", isJSON: false) == [])
        #expect(try form("\n", isJSON: false) == [""])
    }

    // MARK: random values

    private indirect enum Value: Equatable {
        case text(String)
        case number(Int)
        case flag(Bool)
        case null
        case list([Value])
        case object([String: Value])
    }

    private func value(_ random: inout SeededGenerator, depth: Int = 0) -> Value {
        switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &random) {
        case 0: .text(["", "a", "ä\"\\\n", "b/c"].randomElement(using: &random) ?? "")
        case 1: .number(Int.random(in: -30...30, using: &random) * 10)
        case 2: .flag(Bool.random(using: &random))
        case 3: .null
        case 4:
            .list(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    value(&random, depth: depth + 1)
                }
            )
        default:
            .object(
                Dictionary(
                    (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        (
                            ["k", "l", "é"].randomElement(using: &random) ?? "",
                            value(&random, depth: depth + 1)
                        )
                    }
                ) { _, last in last }
            )
        }
    }

    /// Returns a value that is often the same, and else differs in one place or more.
    private func changed(_ value: Value, _ random: inout SeededGenerator) -> Value {
        guard Int.random(in: 0..<8, using: &random) > 0 else {
            return self.value(&random, depth: 2)
        }
        switch value {
        case .list(let values): return .list(values.map { changed($0, &random) })
        case .object(let members):
            return .object(members.mapValues { changed($0, &random) })
        default: return value
        }
    }

    /// Writes a value in one of its spellings.
    private func spelled(_ value: Value, _ random: inout SeededGenerator) -> String {
        let space = ["", " ", "\n\t"].randomElement(using: &random) ?? ""
        switch value {
        case .text(let text): return JSONText.quoted(text)
        case .number(let number):
            let forms = ["\(number)", "\(number).0", "\(number / 10)e1", "\(number * 10)E-1"]
            return forms.randomElement(using: &random) ?? ""
        case .flag(let flag): return "\(flag)"
        case .null: return "null"
        case .list(let values):
            return "[\(space)\(values.map { spelled($0, &random) }.joined(separator: ",\(space)"))]"
        case .object(let members):
            let parts = members.shuffled(using: &random).map {
                "\(JSONText.quoted($0.key)):\(space)\(spelled($0.value, &random))"
            }
            return "{\(parts.joined(separator: "\(space),"))\(space)}"
        }
    }

    @Test("of JSON is equal where the values are, in 1,000 random pairs")
    func random() throws {
        var random = SeededGenerator.announced("TextFormTests.random")
        var equal = 0
        for number in 0..<1_000 {
            let one = value(&random)
            let other = changed(one, &random)
            let texts = [one, other].map { spelled($0, &random) }
            let forms = try texts.map { try TextForm(Data($0.utf8), TextRule(isJSON: true)) }
            #expect((forms[0] == forms[1]) == (one == other), "\(number): \(texts)")
            if one == other { equal += 1 }
        }
        #expect((100...900).contains(equal), "\(equal)")
    }
}
