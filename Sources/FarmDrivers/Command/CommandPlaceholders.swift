// The placeholders of a job's commands. A misspelt one would reach the shell as it is, and the
// tests' names would go to standard input, which most programs do not read.
import FarmCore

/// A word in braces in a command that looks like a misspelt placeholder.
struct MisspeltPlaceholder: Hashable {
    /// The placeholders of `run`; `discover` has none.
    static let ofRun = ["tests", "tests-file", "flags"]

    var word: String
    /// The placeholder of `run` that is probably meant.
    var meant: String

    /// Returns the first misspelt placeholder of a command whose placeholders are `known`, or `nil`
    /// if it has none.
    ///
    /// Only a single word in braces is one: `${x}`, `{a,b}` and `{ test }` belong to the shell.
    static func first(in command: String, known: [String] = ofRun) -> MisspeltPlaceholder? {
        let bytes = Array(command.utf8)
        for start in bytes.indices where bytes[start] == UInt8(ascii: "{") {
            guard start == 0 || bytes[start - 1] != UInt8(ascii: "$") else { continue }
            let inner = bytes[(start + 1)...].prefix { isWord($0) }
            guard !inner.isEmpty, inner.endIndex < bytes.endIndex,
                bytes[inner.endIndex] == UInt8(ascii: "}")
            else { continue }
            let word = String(decoding: inner, as: UTF8.self)
            guard !known.contains(word), let meant = nearest(word, among: ofRun) else { continue }
            return MisspeltPlaceholder(word: word, meant: meant)
        }
        return nil
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (65...90).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}
