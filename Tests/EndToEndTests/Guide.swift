// A page of docs/ as tests read it: its code blocks in order, each with its section. A block is a
// file if its first line is a comment with a path; other `sh` blocks are commands.
import FarmTesting
import Foundation
import Testing

/// The blocks of a page.
struct Guide {
    struct Block {
        /// The section's title, without its number.
        let section: String
        /// The word after the opening backticks.
        let language: String
        let text: String

        /// The file's path from the root of the app's repository, or `nil` if the block is not a
        /// file.
        var file: String? {
            let match = text.prefixMatch(of: #/# (?<path>[\w.\/-]+\.[a-z]+|[\w\/]+\/[A-Z]\w+)\n/#)
            return match.map { String($0.output.path) }
        }

        /// The block's commands: one per line, joined where a line ends in a backslash.
        ///
        /// `# exit 1` after a command gives its expected exit code if that is not 0.
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
