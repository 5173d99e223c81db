// New lines for the quarantine of a pipeline file. The rest of the file keeps its bytes: people have
// comments there.
import FarmCore
import Yams

/// New entries of a pipeline file's quarantine, as lines at their place.
package struct QuarantinePatch: Hashable, Sendable {
    /// The number of lines of the file before the new ones.
    package let place: Int
    package let lines: [String]
    /// The lines of the file, without the new ones.
    private let old: [String]

    /// Makes the lines of some entries for the text of a pipeline file.
    ///
    /// Returns `nil` if the file's list is in brackets, which no line can extend.
    package init?(_ entries: [QuarantineEntry], for text: String) {
        let old = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        self.old = old
        let list = (try? Yams.compose(yaml: text))?.mapping?["quarantine"]
        guard let list else {
            let isEnded = old.last?.isEmpty == true
            place = isEnded ? old.count - 1 : old.count
            lines = ["quarantine:"] + entries.map { "  " + Self.line($0) }
            return
        }
        guard let sequence = list.sequence, let first = sequence.mark?.line,
            let last = sequence.last?.mark?.line, first >= 1, first <= last, last <= old.count,
            // The mark is that of the entry's content, which may be below its dash.
            let dash = (first - 1..<last).last(where: { old[$0].drop { $0 == " " }.hasPrefix("-") })
        else { return nil }
        let indent = old[dash].prefix { $0 == " " }.count
        var end = dash
        for (index, line) in old.enumerated().dropFirst(dash + 1) {
            let content = line.drop { $0 == " " }
            if content.isEmpty || content.hasPrefix("#") { continue }
            guard line.count - content.count > indent else { break }
            end = index
        }
        place = end + 1
        lines = entries.map { String(repeating: " ", count: indent) + Self.line($0) }
    }

    /// The text of the file with the new lines.
    package var text: String {
        (old[..<place] + lines + old[place...]).joined(separator: "\n")
            + (place == old.count ? "\n" : "")
    }

    /// Returns the change as a patch of the file with this name.
    package func unified(_ file: String) -> String {
        LineDiff(before: old.joined(separator: "\n"), after: text).unified(file)
    }

    private static func line(_ entry: QuarantineEntry) -> String {
        let texts = [("test", entry.test), ("snapshot", entry.snapshot), ("cell", entry.cell)]
            .compactMap { name, text in text.map { "\(name): \($0.yamlText)" } }
        let runs = entry.cleanRuns.map { ["cleanRuns: \($0)"] } ?? []
        let all = texts + ["until: \(entry.until)"] + runs + ["reason: \(entry.reason.yamlText)"]
        return "- {" + all.joined(separator: ", ") + "}"
    }
}
