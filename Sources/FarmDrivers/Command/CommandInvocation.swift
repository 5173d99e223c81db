// Puts test cases into a job's `run` command. A word of the command is never split or expanded by
// what a test is called: names are quoted for /bin/sh.
import FarmCore

/// One invocation of `run`.
package struct CommandInvocation: Equatable {
    /// What /bin/sh runs.
    package var script: String
    package var tests: [TestID]
    /// The file for `{tests-file}`, one test case per line; nil: not asked for.
    package var testsFile: [UInt8]?
    package var input: ChildInput

    /// Bytes of quoted words in one invocation: a quarter of Linux's usual limit of 2 MiB for
    /// arguments and environment of a program together.
    package static let wordsBytesMax = 512 << 10

    /// The invocations for some tests: one, or several where `{tests}` would not fit.
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

    /// One pass over the command: a test called `{tests-file}` stays what it is.
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

    /// A word for /bin/sh: nothing inside single quotes means anything.
    static func quoted(_ text: String) -> String {
        // By bytes: an accent after a quote hides it from Swift, and not from the shell.
        "'" + text.parts(between: UInt8(ascii: "'")).joined(separator: "'\\''") + "'"
    }
}
