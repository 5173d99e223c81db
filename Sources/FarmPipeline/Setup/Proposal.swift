// What `snapfarm init` proposes: a pipeline file with its jobs, files beside it, and what it could not
// know. What is guessed is marked, in the files and for the terminal.
import FarmCore

/// A key of a proposed job, as it stands in the file.
package struct ProposedEntry: Hashable, Sendable {
    let key: String
    /// YAML of one line.
    let value: String
    /// Why it is a guess; nil where the repository says it.
    let guess: String?

    init(_ key: String, _ value: String, guess: String? = nil) {
        self.key = key
        self.value = value
        self.guess = guess
    }

    /// A text in quotes where YAML needs them.
    init(_ key: String, text: String, guess: String? = nil) {
        self.init(key, YAMLText.scalar(text), guess: guess)
    }
}

/// A job of the proposed pipeline.
package struct ProposedJob: Hashable, Sendable {
    let name: String
    var entries: [ProposedEntry]
    /// It compares its pictures with references of the store.
    var hasReferences: Bool
    /// It runs on the devices of the file.
    var runsOnDevices: Bool
}

/// A file that init would write.
package struct ProposedFile: Hashable, Sendable {
    /// Relative to the repository's root.
    package let path: String
    package let text: String
    /// It is there already, and gets lines at its end.
    package let appends: Bool
}

/// All that init has to say.
package struct Proposal: Hashable, Sendable {
    /// What was found, one line each.
    package var found: [String] = []
    /// What init could not know, or leaves to people; one line each, with what to do.
    package var open: [String] = []
    package var files: [ProposedFile] = []
    /// What to type next, in this order.
    package var next: [String] = []

    /// What could not be set up is not lost: `open` says it.
    package var isEmpty: Bool { files.isEmpty }
}

/// Texts in YAML.
enum YAMLText {
    /// In double quotes where a plain text would be read as something else.
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

    /// A list of one line ends an entry at a comma, which `scalar` quotes.
    private static func listed(_ text: String) -> String { scalar(text) }
}
