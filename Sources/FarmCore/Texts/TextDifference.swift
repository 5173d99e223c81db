// The difference of two texts by lines.
import Foundation

/// The difference of a text from its reference.
package struct TextDifference: Hashable, Sendable, Codable {
    /// The number of lines that only the new text has.
    package var added: Int
    /// The number of lines that only the reference has.
    package var removed: Int
    /// The hunks of a unified diff, cut after `FarmLimits.textHunksBytesMax`.
    package var hunks: String
    /// The boxes of what the added lines of the hunks name, in pixels of the picture beside the
    /// text, by the line; `nil` if there are none.
    ///
    /// At most `FarmLimits.textBoxesMax` in all.
    package var boxes: [String: [PixelBox]]?

    /// The difference as a sentence.
    ///
    /// For example `2 lines added, 1 removed.`
    package var words: String {
        switch (added, removed) {
        case (_, 0): "\(Self.lines(added)) added."
        case (0, _): "\(Self.lines(removed)) removed."
        default: "\(Self.lines(added)) added, \(removed.grouped) removed."
        }
    }

    private static func lines(_ count: Int) -> String {
        count == 1 ? "1 line" : "\(count.grouped) lines"
    }

    /// Whether two texts can have the difference.
    var isPossible: Bool {
        let counts = 0...FarmLimits.textBytesMax
        return counts.contains(added) && counts.contains(removed)
            && hunks.utf8.count <= FarmLimits.textHunksBytesMax && hasPossibleBoxes
    }

    private var hasPossibleBoxes: Bool {
        guard let boxes else { return true }
        let lines = Set(addedLines)
        return boxes.keys.allSatisfy(lines.contains)
            && boxes.reduce(0) { $0 + $1.value.count } <= FarmLimits.textBoxesMax
            && boxes.values.joined().allSatisfy(\.isOfPicture)
    }

    private var addedLines: [String] { Self.addedLines(of: hunks) }

    /// Returns the added lines of hunks.
    package static func addedLines(of hunks: String) -> [String] {
        hunks.split(separator: "\n").filter { $0.first == "+" }.map { String($0.dropFirst()) }
    }

    /// Adds the boxes of what lines of the text name, as far as the hunks show the lines as added.
    ///
    /// `rule` is that of the comparison: the hunks lack what it ignores.
    package mutating func mark(_ boxes: [String: [PixelBox]], _ rule: TextRule) {
        let lines = Set(addedLines)
        var left = FarmLimits.textBoxesMax
        for (line, own) in boxes.sorted(by: { $0.key < $1.key }) where !own.isEmpty && left > 0 {
            guard let form = try? TextForm(Data((line + "\n").utf8), rule).lines.first else {
                continue
            }
            let shown = String(decoding: form, as: UTF8.self)
            guard lines.contains(shown) else { continue }
            self.boxes = self.boxes ?? [:]
            self.boxes?[shown, default: []] += own.prefix(left)
            left -= min(left, own.count)
        }
    }
}

/// The lines of a text and of its reference, compared.
package struct ComparedTexts: Sendable {
    package let difference: TextDifference
    /// The whole unified diff, as UTF-8.
    package let diff: Data

    /// Compares two texts; returns `nil` if they are equal by the rule.
    package init?(reference: TextForm, capture: TextForm, _ rule: TextRule) {
        guard !capture.isEqual(to: reference, rule) else { return nil }
        let steps = LineSteps(from: reference.lines, to: capture.lines)
        let whole = steps.hunks()
        diff = Data(whole)
        difference = TextDifference(
            added: steps.added,
            removed: steps.removed,
            hunks: Self.cut(whole)
        )
    }

    /// Returns the difference of a text without a reference, whose lines are all added; `nil` for
    /// an empty one.
    package static func added(_ text: TextForm) -> TextDifference? {
        guard !text.lines.isEmpty else { return nil }
        let steps = LineSteps(from: [], to: text.lines)
        return TextDifference(added: steps.added, removed: 0, hunks: cut(steps.hunks()))
    }

    /// Returns the whole lines that fit into the limit.
    private static func cut(_ hunks: [UInt8]) -> String {
        guard hunks.count > FarmLimits.textHunksBytesMax else {
            return String(decoding: hunks, as: UTF8.self)
        }
        let head = hunks.prefix(FarmLimits.textHunksBytesMax)
        let end = head.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return String(decoding: head[..<end], as: UTF8.self)
    }
}

/// The steps from the lines of one text to those of another.
private struct LineSteps {
    private enum Step { case same, removed, added }

    private var steps: [(step: Step, line: [UInt8])] = []
    private(set) var added = 0
    private(set) var removed = 0
    private static let context = 3

    init(from old: [[UInt8]], to new: [[UInt8]]) {
        let most = min(old.count, new.count)
        var head = 0
        while head < most, old[head] == new[head] { head += 1 }
        var tail = 0
        while tail < most - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
            tail += 1
        }
        let before = old[head..<old.count - tail]
        let after = new[head..<new.count - tail]
        for line in old[..<head] { steps.append((.same, line)) }
        // The search takes the product of both lengths at worst.
        if before.count * after.count <= FarmLimits.textPairsMax {
            addShortest(from: Array(before), to: Array(after))
        } else {
            for line in before { add(.removed, line) }
            for line in after { add(.added, line) }
        }
        for line in old[(old.count - tail)...] { steps.append((.same, line)) }
    }

    private mutating func addShortest(from before: [[UInt8]], to after: [[UInt8]]) {
        let changes = after.difference(from: before)
        let gone = Set(changes.removals.map(\.place))
        let come = Set(changes.insertions.map(\.place))
        var (old, new) = (0, 0)
        while old < before.count || new < after.count {
            if old < before.count, gone.contains(old) {
                add(.removed, before[old])
                old += 1
            } else if new < after.count, come.contains(new) {
                add(.added, after[new])
                new += 1
            } else {
                steps.append((.same, before[old]))
                old += 1
                new += 1
            }
        }
    }

    private mutating func add(_ step: Step, _ line: [UInt8]) {
        steps.append((step, line))
        if step == .added { added += 1 } else { removed += 1 }
    }

    /// Returns the hunks of a unified diff with three lines around each change.
    func hunks() -> [UInt8] {
        var text: [UInt8] = []
        var (oldLine, newLine) = (1, 1)
        var index = 0
        while index < steps.count {
            guard let change = steps[index...].firstIndex(where: { $0.step != .same }) else {
                break
            }
            let start = max(index, change - Self.context)
            oldLine += start - index
            newLine += start - index
            let end = hunkEnd(from: change)
            let hunk = steps[start..<end]
            let old = hunk.count { $0.step != .added }
            let new = hunk.count { $0.step != .removed }
            // A side without lines has the number of the line above.
            let places = (old == 0 ? oldLine - 1 : oldLine, new == 0 ? newLine - 1 : newLine)
            text += Array("@@ -\(places.0),\(old) +\(places.1),\(new) @@\n".utf8)
            for (step, line) in hunk {
                text.append(Self.sign(step))
                text += line + [UInt8(ascii: "\n")]
            }
            oldLine += old
            newLine += new
            index = end
        }
        return text
    }

    /// Returns the end of the hunk with a change: after the last change with at most six equal lines
    /// before it, and three lines more.
    private func hunkEnd(from change: Int) -> Int {
        var last = change
        for index in change..<steps.count {
            if steps[index].step != .same {
                last = index
            } else if index - last > 2 * Self.context {
                break
            }
        }
        return min(steps.count, last + 1 + Self.context)
    }

    private static func sign(_ step: Step) -> UInt8 {
        switch step {
        case .same: UInt8(ascii: " ")
        case .removed: UInt8(ascii: "-")
        case .added: UInt8(ascii: "+")
        }
    }
}

extension CollectionDifference.Change {
    fileprivate var place: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
