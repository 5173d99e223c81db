// Finds the program that a shell command starts, if its text shows it. For a word that the shell
// would expand, or a word of the shell itself, there is no answer: better none than a wrong one.

import FarmCore

/// Finds the first program of a shell command.
enum ProgramWord {
    /// Returns the first program of a command, or `nil` if its text does not show it.
    static func first(of command: String) -> String? {
        let words = command.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let word = words.first(where: { !isAssignment($0) }), isPlain(word),
            // The assignments before the program must be plain, too.
            words.prefix(while: isAssignment).allSatisfy({ isPlain($0) }),
            !shellWords.contains(word)
        else { return nil }
        return word
    }

    /// Builtins and keywords of the POSIX shell, except those that are also programs.
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
