// Tests that one pattern both reads and writes paths.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@Suite("patterns of pictures")
struct PicturePatternTests {
    @Test(
        "a field holds what its form allows",
        arguments: [
            ("{suite}/{name}.png", "a/b.png", ["a", "b"]),
            ("{suite}/{name}.png", "a/b/c.png", nil),
            ("{suite:path}/{name}.png", "a/b/c.png", ["a/b", "c"]),
            ("{suite:path}/{name}.png", "a//c.png", nil),
            ("{suite:path}/{name}.png", "/a/c.png", nil),
            ("{suite}/{name=result}.png", "a/result.png", ["a", "result"]),
            ("{suite}/{name=result}.png", "a/other.png", nil),
            ("{suite}.{name:word}", "com.x.Y.z", ["com.x.Y", "z"]),
            ("{suite}.{name:word}", "com.x.Y.z-1", nil),
            ("{suite}/{name}", "é/日本", ["é", "日本"]),
            ("{suite}_{suite}_{name}", "ab_ab_c", ["ab", "c"]),
            ("{suite}_{suite}_{name}", "ab_a_c", nil),
        ] as [(String, String, [String]?)]
    )
    func forms(text: String, path: String, values: [String]?) throws {
        let pattern = try PicturePattern(text)
        let fields = pattern.read(path)
        #expect(fields == values.map { [.suite: $0[0], .name: $0[1]] })
        if let fields { #expect(pattern.write(fields) == path) }
    }

    @Test(
        "numbers are numbers",
        arguments: [
            ("{counter}", "12", true), ("{counter}", "1a", false), ("{scale}", "2.625", true),
            ("{scale}", "2.", false), ("{os}", "17_2", true), ("{os}", "17.2.1", true),
            ("{os}", "17__2", false), ("{size}", "390x844", true), ("{size}", "390", false),
            ("{size}", "x844", false), ("{identifier}", "a@b", false),
        ]
    )
    func numbers(text: String, path: String, fits: Bool) throws {
        #expect(try (PicturePattern(text).read(path) != nil) == fits)
    }

    @Test(
        "a text that is no pattern is refused in words",
        arguments: [
            ("", PicturePatternError.empty), ("{nam}", .unknownField("nam")),
            ("{name", .open("{")), ("a]", .open("]")), ("[a{name}", .open("[")),
            ("name}", .open("}")), ("{suite}{name}", .fieldsTouch("name")),
            ("{suite}[{name}]", .fieldsTouch("name")), ("{suite}[-]{name}", .nothingOptional),
            ("{suite}[_{test}]{name}", .fieldsTouch("name")), ("{name:many}", .unknownForm("many")),
            ("/{name}", .leavesFolder), ("../{name}", .leavesFolder),
        ]
    )
    func mistakes(text: String, error: PicturePatternError) {
        #expect(throws: error) { try PicturePattern(text) }
        #expect(!error.message.isEmpty && !error.remedy.isEmpty)
    }

    @Test("a pattern travels as its text, and one that is none is refused")
    func coding() throws {
        let pattern = try PicturePattern("{suite}/{name}[@{scale}x].png")
        let data = try JSONEncoder().encode([pattern])
        #expect(try JSONDecoder().decode([PicturePattern].self, from: data) == [pattern])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([PicturePattern].self, from: Data("[\"{x}\"]".utf8))
        }
    }

    @Test("a path that would take too long to understand is none")
    func hostile() throws {
        let text = "{suite}a{test}a{name}a{identifier}a{module}b"
        let pattern = try PicturePattern(text)
        let path = String(repeating: "a", count: 1_000)
        #expect(pattern.read(path) == nil)
        #expect(pattern.read(String(repeating: "a", count: 5_000)) == nil)
    }

    // MARK: for every built-in pattern

    /// Every pattern of the profiles.
    private static let patterns: [PicturePattern] = FrameworkCatalog.profiles.flatMap { profile in
        profile.names + [profile.references?.path].compactMap { $0 }
            + profile.pictures.flatMap { Array($0.paths.values) + $0.ignored }
    }

    private static let letters = [
        "a", "Z", "7", "_", "-", ".", "@", " ", "é", "語", "x", "1", "[", "{",
    ]

    private static func word(_ random: inout SeededGenerator, path: Bool = false) -> String {
        let all = path ? letters + ["/"] : letters
        return (0..<Int.random(in: 1...8, using: &random))
            .map { _ in all[Int.random(in: 0..<all.count, using: &random)] }.joined()
    }

    private static func value(_ field: PictureField, _ random: inout SeededGenerator) -> String {
        let number = Int.random(in: 1...20, using: &random)
        return switch field {
        case .counter: "\(number)"
        case .scale: ["1", "2", "3", "2.625"][number % 4]
        case .os: ["17", "17_2", "13.1"][number % 3]
        case .size: "\(number)x\(number + 1)"
        case .device: ["iPhone", "iPad", "iPod_touch", "other"][number % 4]
        case .project: ["chromium", "own"][number % 2]
        case .platform: ["linux", "plan9"][number % 2]
        case .folder: ["a", "a/b", "__Snapshots__"][number % 3]
        default: word(&random)
        }
    }

    @Test("what is written is read back as the same fields")
    func writtenAndRead() {
        var random = SeededGenerator.announced()
        var count = 0
        for pattern in Self.patterns {
            for _ in 0..<200 {
                var fields = PictureFields([:])
                for field in pattern.fields where Bool.random(using: &random) || field != .folder {
                    if Int.random(in: 0..<4, using: &random) > 0 {
                        fields[field] = Self.value(field, &random)
                    }
                }
                guard let path = pattern.write(fields) else { continue }
                count += 1
                let known = fields[.test].map { [PictureField.test: [$0]] } ?? [:]
                #expect(pattern.read(path, known: known) == fields, "\(pattern.text) \(path)")
            }
        }
        #expect(count > 1_000)
    }

    @Test("what is read is written back as the same path")
    func readAndWritten() {
        var random = SeededGenerator.announced()
        var count = 0
        let ends = [
            ".png", "@2x.png", "_iPhone_17_2_390x844@3x.png", ".1.png", "-failed-diff.png",
            "/result.png", "-1-snap.png", "", "_2", ".2", "_actual.png",
        ]
        for pattern in Self.patterns {
            for _ in 0..<300 {
                let begin = ["", "a/", "__Snapshots__/", "x/result_images/"].randomElement(
                    using: &random
                )
                let end = ends.randomElement(using: &random)
                let path = (begin ?? "") + Self.word(&random, path: true) + (end ?? "")
                guard let fields = pattern.read(path) else { continue }
                count += 1
                #expect(pattern.write(fields) == path, "\(pattern.text) \(path)")
            }
        }
        #expect(count > 1_000)
    }
}
