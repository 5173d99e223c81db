// The unified diff of two texts, as one hunk: a change of a pipeline file is at one place.

/// The difference of two texts: the lines between their equal beginnings and their equal ends.
struct LineDiff {
    private let before: [Substring]
    private let after: [Substring]
    /// The number of equal lines at the beginning.
    private let head: Int
    /// The number of equal lines at the end.
    private let tail: Int

    private static let context = 3

    init(before: String, after: String) {
        let (before, after) = (Self.lines(before), Self.lines(after))
        let most = min(before.count, after.count)
        var head = 0
        while head < most, before[head] == after[head] { head += 1 }
        var tail = 0
        while tail < most - head, before[before.count - 1 - tail] == after[after.count - 1 - tail] {
            tail += 1
        }
        (self.before, self.after, self.head, self.tail) = (before, after, head, tail)
    }

    /// Returns the lines of a text with their ends.
    private static func lines(_ text: String) -> [Substring] {
        var lines: [Substring] = []
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: "\n").map { rest.index(after: $0) } ?? rest.endIndex
            lines.append(Substring(rest[..<end]))
            rest = rest[end...]
        }
        return lines
    }

    /// Returns the difference as a patch of the file with this path, for `git apply`.
    func unified(_ path: String) -> String {
        let start = max(0, head - Self.context)
        let (beforeTail, afterTail) = (before.count - tail, after.count - tail)
        let shown = min(tail, Self.context)
        let counts = (beforeTail + shown - start, afterTail + shown - start)
        // A side without lines has the number of the line above.
        let numbers = (counts.0 == 0 ? start : start + 1, counts.1 == 0 ? start : start + 1)
        var text = "--- a/\(path)\n+++ b/\(path)\n"
        text += "@@ -\(numbers.0),\(counts.0) +\(numbers.1),\(counts.1) @@\n"
        let parts: [(sign: String, lines: ArraySlice<Substring>)] = [
            (" ", before[start..<head]), ("-", before[head..<beforeTail]),
            ("+", after[head..<afterTail]), (" ", before[beforeTail..<beforeTail + shown]),
        ]
        for (sign, lines) in parts {
            for line in lines {
                text += sign + line
                if line.unicodeScalars.last != "\n" { text += "\n\\ No newline at end of file\n" }
            }
        }
        return text
    }
}
