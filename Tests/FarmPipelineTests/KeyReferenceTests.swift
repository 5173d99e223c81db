// Tests of the documents generated from the keys of files: the committed ones are current, and the
// program accepts every example.
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@Suite("The reference of keys")
struct KeyReferenceTests {
    private static let kinds = DriverCatalog.kinds
    private static let sections =
        PipelineSchema.sections(drivers: kinds) + ScenesSchema.sections

    @Test(
        "schemas and docs/keys.md are the decoder's own list of keys",
        arguments: [
            ("docs/schema/pipeline.schema.json", PipelineSchema.text(drivers: kinds)),
            ("docs/schema/scenes.schema.json", ScenesSchema.text),
            ("docs/keys.md", KeyReference.markdown(sections)),
        ]
    )
    func committed(path: String, text: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent(path)
        #expect(try String(contentsOf: file, encoding: .utf8) == text, "Run: make schema")
    }

    @Test("each key is explained in sentences, in the reference and in the schemas")
    func explained() {
        let schemas = PipelineSchema.text(drivers: Self.kinds) + ScenesSchema.text
        for section in Self.sections {
            for key in section.keys {
                #expect(key.summary.hasSuffix("."), "\(section.title): \(key.name)")
                #expect(key.summary.first?.isUppercase == true || key.summary.hasPrefix("`"))
                let words = key.summary.replacing("\"", with: "\\\"")
                #expect(schemas.contains(words), "\(section.title): \(key.name)")
            }
        }
    }

    /// The file around a map of each section; `…` stands for the map in one line.
    private static let around: [String: (file: String, base: String)] = [
        "The pipeline file": (
            "", "version: 1\njobs: {u: {kind: unit, driver: swiftpm, package: P}}"
        ),
        "`references`": ("references: {…}", "store: s"),
        "`publish`": ("publish: {…}", ""),
        "A rename": (
            "references: {store: s, renames: [{…}]}", "from: \"{screen}-a\"\nto: \"{screen}-b\""
        ),
        "A device": ("devices: [{…}]", "name: iPhone 8\nwidth: 1\nheight: 1"),
        "A quarantined test or picture": ("quarantine: [{…}]", "until: 2026-12-31\nreason: r"),
        "A job": ("jobs: {s: {…}}", "kind: unit\ndriver: swiftpm\npackage: P"),
        "`matrix`": ("jobs: {s: {kind: unit, driver: swiftpm, package: P, matrix: {…}}}", ""),
        "`timeout`": ("jobs: {s: {kind: unit, driver: swiftpm, package: P, timeout: {…}}}", ""),
        "`reuse`": ("jobs: {s: {kind: unit, driver: swiftpm, package: P, reuse: {…}}}", ""),
        "`comparison`": (
            "jobs: {s: {kind: snapshot, driver: swiftpm, package: P, comparison: {…}}}", ""
        ),
    ]

    private static let devices = """
        devices: [iPhone 8 (13.1), iPad Pro (11-inch)]
        variants: {appearance: [light, dark]}
        """

    @Test("each example of a pipeline file is taken")
    func pipelineExamples() throws {
        for section in PipelineSchema.sections(drivers: Self.kinds) {
            let around = Self.around[section.title]
            for key in section.keys {
                let text: String
                if section.title == "The pipeline file", let around {
                    text = file(key.example, base: "\(Self.devices)\n\(around.base)")
                } else if let around {
                    text = file(nested(around, key), base: Self.base)
                } else {
                    let driver = section.title.split(separator: "`")[1]
                    let job = "jobs: {s: {kind: unit, driver: \(driver), \(inline(key.example))}}"
                    text = file(job, base: Self.base)
                }
                #expect(throws: Never.self, "\(section.title): \(key.name):\n\(text)") {
                    try PipelineDecoder.decode(
                        text,
                        file: "p",
                        drivers: Self.kinds,
                        frameworks: AnyFramework()
                    )
                }
            }
        }
    }

    private static let base = """
        version: 1
        references: {store: s}
        \(devices)
        jobs: {u: {kind: unit, driver: swiftpm, package: P}}
        """

    /// Returns the base file, with the key of `example` replaced.
    private func file(_ example: String, base: String) -> String {
        let key = example.prefix { $0 != ":" }
        let rest = base.split(separator: "\n").filter { !$0.hasPrefix("\(key):") }
        return (rest + [Substring(example)]).joined(separator: "\n") + "\n"
    }

    private func nested(_ around: (file: String, base: String), _ key: FileKey) -> String {
        let lines = key.example.split(separator: "\n")
        let own = Set(lines.map { $0.prefix { $0 != ":" } })
        var base = around.base.split(separator: "\n").filter {
            !own.contains($0.prefix { $0 != ":" })
        }
        if key.name == "driver" { base = ["kind: unit", "scenes: s"] }
        if around.file.hasPrefix("quarantine"), !own.contains("test"), !own.contains("snapshot") {
            base.append("test: a")
        }
        return around.file.replacing("…", with: inline((base + lines).joined(separator: "\n")))
    }

    private func inline(_ lines: String) -> String { lines.replacing("\n", with: ", ") }

    @Test("each example of a scenes file is taken")
    func sceneExamples() throws {
        for section in ScenesSchema.sections {
            for key in section.keys {
                var lines = key.example.split(separator: "\n").map(String.init)
                switch section.title {
                case "`wait`": lines = ["wait: {\(inline(key.example))}"]
                case "A step": lines = ["steps: [{\(inline(key.example))}]"]
                case "`type`": lines = ["steps: [{type: {\(inline(key.example))}}]"]
                default: break
                }
                let own = Set(lines.map { String($0.prefix { $0 != ":" }) })
                var base = ["suite: A", "name: b"]
                if !own.contains("file"), !own.contains("url") { base.append("file: a.html") }
                base.removeAll { own.contains(String($0.prefix { $0 != ":" })) }
                let text =
                    section.title == "The scenes file"
                    ? key.example : "scenes: [{\((base + lines).joined(separator: ", "))}]"
                #expect(throws: Never.self, "\(section.title): \(key.name):\n\(text)") {
                    try ScenesFile.decode(text, file: "scenes.yaml")
                }
            }
        }
    }
}

/// Accepts every framework name.
private struct AnyFramework: FrameworkLookup {
    let names: [String] = []

    func profile(_ word: String) throws(DocumentErrors) -> FrameworkProfile? {
        FrameworkProfile(name: word, judge: .farm)
    }
}
