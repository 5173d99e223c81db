// Puts test cases into a job's `run` command. Names are quoted for /bin/sh, so that no test's name
// can split or expand a word of the command.
import FarmCore

/// One invocation of a job's `run` command, with the tests that it runs.
package struct CommandInvocation: Equatable {
    /// The script for /bin/sh.
    package var script: String
    package var tests: [TestID]
    /// The content of the file for `{tests-file}`, one test case per line, or `nil` if the command
    /// does not use it.
    package var testsFile: [UInt8]?
    package var input: ChildInput

    /// The most bytes of quoted words in one invocation: a quarter of Linux's usual limit of 2 MiB
    /// for a program's arguments and environment together.
    package static let wordsBytesMax = 512 << 10

    /// Returns the invocations of `command` for some tests: one, or several if `{tests}` would be
    /// too long.
    package static func invocations(
        of command: String,
        for tests: [TestID],
        testsFile: String,
        flags: [String] = [],
        wordsBytesMax: Int = wordsBytesMax
    ) -> [CommandInvocation] {
        let hasWords = command.contains("{tests}")
        let groups = hasWords ? grouped(tests, wordsBytesMax) : [tests]
        return groups.map { group in
            let list = Array(group.map { $0.text + "\n" }.joined().utf8)
            let hasFile = command.contains("{tests-file}")
            let script = replace(
                in: command,
                with: group.map { quoted($0.text) }.joined(separator: " "),
                file: quoted(testsFile),
                flags: flags.map(quoted).joined(separator: " ")
            )
            return CommandInvocation(
                script: script,
                tests: group,
                testsFile: hasFile ? list : nil,
                input: hasWords || hasFile ? .none : .bytes(list)
            )
        }
    }

    /// Replaces the placeholders of a command in one pass, so that a test called `{tests-file}`
    /// keeps its name.
    private static func replace(
        in command: String,
        with words: String,
        file: String,
        flags: String
    ) -> String {
        var result = ""
        var rest = command[...]
        while let brace = rest.firstIndex(of: "{") {
            result += rest[..<brace]
            rest = rest[brace...]
            if rest.hasPrefix("{tests}") {
                result += words
                rest = rest.dropFirst("{tests}".count)
            } else if rest.hasPrefix("{tests-file}") {
                result += file
                rest = rest.dropFirst("{tests-file}".count)
            } else if rest.hasPrefix("{flags}") {
                result += flags
                rest = rest.dropFirst("{flags}".count)
            } else {
                result += "{"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private static func grouped(_ tests: [TestID], _ bytesMax: Int) -> [[TestID]] {
        var groups: [[TestID]] = []
        var room = 0
        for test in tests {
            let size = quoted(test.text).utf8.count + 1
            if groups.isEmpty || size > room {
                groups.append([])
                room = bytesMax
            }
            groups[groups.count - 1].append(test)
            room -= size
        }
        return groups
    }

    /// Returns the text as one word for /bin/sh: no character is special inside single quotes.
    static func quoted(_ text: String) -> String {
        // Splits by bytes: an accent after a quote hides the quote from Swift, but not from the
        // shell.
        "'" + text.parts(between: UInt8(ascii: "'")).joined(separator: "'\\''") + "'"
    }
}
