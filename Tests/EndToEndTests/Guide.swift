// A page of docs/ as a test reads it: its blocks of code in their order, each with its section.
// A block whose first line is a comment with a path is a file; the others of `sh` are commands.
import FarmTesting
import Foundation
import Testing

/// The blocks of a page.
struct Guide {
    struct Block {
        /// Without its number.
        let section: String
        /// The word behind the backticks.
        let language: String
        let text: String

        /// Relative to the root of the app's repository; nil: this is no file.
        var file: String? {
            let match = text.prefixMatch(of: #/# (?<path>[\w.\/-]+\.[a-z]+|[\w\/]+\/[A-Z]\w+)\n/#)
            return match.map { String($0.output.path) }
        }

        /// One a line, but for lines that end in a backslash.
        ///
        /// `# exit 1` behind a command says how it ends where that is not 0.
        var commands: [(words: String, status: Int32)] {
            let lines = text.replacing("\\\n", with: " ").split(separator: "\n")
            return lines.map { line in
                let status = line.firstMatch(of: #/# exit (\d+)/#).flatMap { Int32($0.1) }
                return (String(line), status ?? 0)
            }
        }
    }

    let blocks: [Block]

    init(_ name: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
        var blocks: [Block] = []
        var section = ""
        var open: (language: String, lines: [String])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let (language, lines) = open {
                guard line.hasPrefix("```") else {
                    open = (language, lines + [String(line)])
                    continue
                }
                let text = lines.joined(separator: "\n") + "\n"
                blocks.append(Block(section: section, language: language, text: text))
                open = nil
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), [])
            } else if let title = line.wholeMatch(of: #/#+ (?:\d+\. )?(?<title>.*)/#) {
                section = String(title.output.title)
            }
        }
        try #require(open == nil, "a block of docs/\(name) has no end")
        self.blocks = blocks
    }
}
