// Folders of small pictures for the tests of `snapfarm compare`.
import FarmTesting
import Foundation

/// Two folders `a` and `b`, and the program that compares them.
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

    /// Writes a picture; `shade` is 0...12, and every step is plain to see.
    func picture(_ path: String, shade: UInt8, width: Int = 8, height: Int = 8) throws {
        try folder.write(path, Project.png(shade: shade * 20, width: width, height: height))
    }

    func run(_ words: [String]) throws -> ProcessEnding {
        try Program(folder: folder.path).run(["compare"] + words)
    }

    /// Runs with standard input from a file of these lines.
    func run(_ words: String, input: String) throws -> ProcessEnding {
        try folder.write("input", input)
        return try TestProcess.run(
            ["/bin/sh", "-c", "'\(Program.path)' compare \(words) < input"],
            in: folder.path
        )
    }

    /// The one JSON document of `--json`.
    func document(_ words: [String]) throws -> [String: Any] {
        try Self.object(try run(words + ["--json"]).output)
    }

    static func object(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return value as? [String: Any] ?? [:]
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.file(path))
    }
}
