// Which program a command of the shell starts, as far as its text tells. A word that the shell would
// change, or that is the shell's own, tells nothing: better no answer than a wrong one.

import FarmCore

/// The first program of a command.
enum ProgramWord {
    /// Nil where the text does not tell.
    static func first(of command: String) -> String? {
        let words = command.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let word = words.first(where: { !isAssignment($0) }), isPlain(word),
            // What stands before it is all that is skipped, and must be plain, too.
            words.prefix(while: isAssignment).allSatisfy({ isPlain($0) }),
            !shellWords.contains(word)
        else { return nil }
        return word
    }

    /// Builtins and keywords of POSIX's shell, but for those that are programs, too.
    private static let shellWords: Set<String> = [
        ".", ":", "!", "alias", "bg", "break", "case", "cd", "command", "continue", "do", "done",
        "elif", "else", "esac", "eval", "exec", "exit", "export", "fc", "fg", "fi", "for",
        "getopts", "hash", "if", "jobs", "local", "read", "readonly", "return", "set", "shift",
        "source", "then", "times", "trap", "type", "ulimit", "umask", "unalias", "unset", "until",
        "wait", "while",
    ]

    private static func isAssignment(_ word: String) -> Bool {
        guard let equals = word.firstIndex(of: "="), equals != word.startIndex else { return false }
        return word[..<equals].utf8.allSatisfy {
            (65...90).contains($0) || (97...122).contains($0) || (48...57).contains($0) || $0 == 95
        }
    }

    private static func isPlain(_ word: String) -> Bool {
        word.utf8.allSatisfy {
            (65...90).contains($0) || (97...122).contains($0) || (48...57).contains($0)
                || "._-+/=:,@%".utf8.contains($0) || $0 >= 128
        }
    }
}
