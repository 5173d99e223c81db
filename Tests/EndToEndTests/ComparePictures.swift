// Folders of small pictures for the tests of `snapfarm compare`.
import FarmTesting
import Foundation

/// Two folders `a` and `b`, and calls of the program that compares them.
struct ComparePictures {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("compare")
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name),
                withIntermediateDirectories: true
            )
        }
    }

    /// Writes a picture; `shade` is 0...12, and each step is a visible difference.
    func picture(
        _ path: String,
        shade: UInt8,
        width: Int = 8,
        height: Int = 8,
        corner: UInt8 = 255
    ) throws {
        try folder.write(
            path,
            Project.png(shade: shade * 20, width: width, height: height, corner: corner)
        )
    }

    func run(_ words: [String]) throws -> ProcessEnding {
        try Program(folder: folder.path).run(["compare"] + words)
    }

    /// Runs the program with these lines as standard input.
    func run(_ words: String, input: String) throws -> ProcessEnding {
        try folder.write("input", input)
        return try TestProcess.run(
            ["/bin/sh", "-c", "'\(Program.path)' compare \(words) < input"],
            in: folder.path
        )
    }

    /// Returns the JSON document that `--json` prints.
    func document(_ words: [String]) throws -> [String: Any] {
        try Self.object(try run(words + ["--json"]).output)
    }

    static func object(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return value as? [String: Any] ?? [:]
    }

    static var hasJSONSchema: Bool {
        (try? TestProcess.run(["python3", "-c", "import jsonschema"]))?.status == 0
    }

    /// Returns a validator's errors against a part of the schema, or an empty string for a valid
    /// document.
    func schemaErrors(_ document: String, _ part: String) throws -> String {
        try folder.write("document.json", document)
        let schema = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/schema/compare.schema.json").path
        let program = """
            import json,sys,jsonschema
            schema=json.load(open(sys.argv[1])); part=sys.argv[2]
            if part!="#": schema={"$schema":schema["$schema"],"$defs":schema["$defs"],"$ref":part}
            jsonschema.Draft202012Validator(schema).validate(json.load(open("document.json")))
            """
        let words = ["python3", "-c", program, schema, part]
        return try TestProcess.run(words, in: folder.path).errors
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.file(path))
    }
}
