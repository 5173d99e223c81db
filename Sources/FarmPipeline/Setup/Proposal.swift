// The proposal of `snapfarm init`: a pipeline file with its jobs, files beside it, and open
// questions. Guesses are marked, in the files and on the terminal.
import FarmCore

/// A key of a proposed job, as it is written in the file.
package struct ProposedEntry: Hashable, Sendable {
    let key: String
    /// The value of the key as YAML of one line.
    let value: String
    /// The reason for a guess, or `nil` if the repository states the value.
    let guess: String?

    init(_ key: String, _ value: String, guess: String? = nil) {
        self.key = key
        self.value = value
        self.guess = guess
    }

    /// Makes an entry whose value is a text, in quotes if YAML needs them.
    init(_ key: String, text: String, guess: String? = nil) {
        self.init(key, YAMLText.scalar(text), guess: guess)
    }
}

/// A job of the proposed pipeline.
package struct ProposedJob: Hashable, Sendable {
    let name: String
    var entries: [ProposedEntry]
    /// Whether the job compares its pictures with references of the store.
    var hasReferences: Bool
    /// Whether the job runs on the devices of the pipeline file.
    var runsOnDevices: Bool
}

/// A file that `snapfarm init` would write.
package struct ProposedFile: Hashable, Sendable {
    /// The path of the file, relative to the repository's root.
    package let path: String
    package let text: String
    /// Whether the file exists already and gets lines at its end.
    package let appends: Bool
}

/// The result of `snapfarm init`.
package struct Proposal: Hashable, Sendable {
    /// The facts about the repository that were found, one line each.
    package var found: [String] = []
    /// The facts that init could not find or leaves to people, one line each, with the next step.
    package var open: [String] = []
    package var files: [ProposedFile] = []
    /// The commands to run after init, in order.
    package var next: [String] = []

    /// Whether there is no file to write; `open` may still have lines.
    package var isEmpty: Bool { files.isEmpty }
}

/// Writes texts in YAML.
enum YAMLText {
    /// Returns the text as a YAML scalar, in double quotes if YAML would misread it.
    static func scalar(_ text: String) -> String {
        let plain = text.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                || "._/-+ ()".unicodeScalars.contains($0)
        }
        let isWord = text.unicodeScalars.first.map {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0)
        }
        let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        if plain, isWord == true, !words.contains(text.lowercased()), !text.hasSuffix(" ") {
            return text
        }
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            default: scalar.value < 32 || scalar.value == 127 ? " " : String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    static func list(_ texts: [String]) -> String {
        "[" + texts.map(listed).joined(separator: ", ") + "]"
    }

    /// Returns an item of a one-line list; `scalar` quotes a comma, which would end the item.
    private static func listed(_ text: String) -> String { scalar(text) }
}
