// Parses the comment of a pull request that decides about a run. The run's page offers the text:
//
//     /snapfarm accept 20261121-160703-tatu
//     3f9c1d2e4b5a the title is blue, 24 cells
//     /snapfarm reject 20261121-160703-tatu: the red is a bug
//     77aa00bb1122
//
// Every line is one of these or empty. Words after an id are for people and are ignored. Any other
// line is refused, because its meaning is unknown.

import FarmCore

/// A comment that decides about changes of one run.
package struct ReviewComment: Hashable, Sendable {
    /// A command `/snapfarm reject` of a comment, with the changes below it.
    package struct Rejection: Hashable, Sendable {
        package var reason: String
        /// The ids of the rejected changes, in the comment's order.
        package var changes: [String]
    }

    package let run: String
    /// The ids of the accepted changes, in the comment's order.
    package private(set) var accepted: [String] = []
    package private(set) var rejected: [Rejection] = []

    private static let runBytesMax = 100
    private static let reasonBytesMax = 4_096
    /// The number of hex digits in a change's id.
    private static let idDigits = 12

    private enum Line {
        case accept(run: String)
        case reject(run: String, reason: String)
        case change(String)
    }

    /// Parses a whole comment.
    ///
    /// - Throws: `ReviewCommentError`, whose message can be posted as the answer.
    package init(parsing text: String) throws(ReviewCommentError) {
        guard text.utf8.count <= FarmLimits.reviewCommentBytesMax else { throw .tooLong }
        var run: String?
        var blocks: [(line: Line, changes: [String])] = []
        var seen: Set<String> = []
        let lines = text.split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r\n" || $0 == "\r"
        }
        for (index, raw) in lines.enumerated() {
            let words = Self.trimmed(raw)
            guard !words.isEmpty else { continue }
            guard let line = Self.line(words) else {
                throw .foreignLine(index + 1, String(words.prefix(200)))
            }
            switch line {
            case .accept(let named), .reject(let named, _):
                guard run == nil || run == named else { throw .severalRuns }
                run = named
                blocks.append((line, []))
            case .change(let id):
                guard !blocks.isEmpty else {
                    throw .foreignLine(index + 1, String(words.prefix(200)))
                }
                guard seen.insert(id).inserted else { throw .decidedTwice(id) }
                blocks[blocks.count - 1].changes.append(id)
            }
        }
        guard let run else { throw .notADecision }
        self.run = run
        for block in blocks {
            guard !block.changes.isEmpty else { throw .withoutChanges }
            switch block.line {
            case .reject(_, let reason):
                rejected.append(Rejection(reason: reason, changes: block.changes))
            case .accept, .change: accepted += block.changes
            }
        }
    }

    /// Parses a comment's line without spaces around it; returns `nil` if it is neither a command
    /// nor an id.
    private static func line(_ text: Substring) -> Line? {
        if let rest = text.after("/snapfarm accept ") {
            return runID(rest).map { .accept(run: $0) }
        }
        if let rest = text.after("/snapfarm reject ") {
            // Without a colon there is no reason.
            guard let colon = rest.firstIndex(of: ":") else {
                return runID(rest).map { .reject(run: $0, reason: "") }
            }
            guard let run = runID(rest[..<colon]) else { return nil }
            let reason = trimmed(rest[rest.index(after: colon)...])
            guard !reason.isEmpty, reason.utf8.count <= reasonBytesMax else { return nil }
            return .reject(run: run, reason: String(reason))
        }
        let id = text.prefix { $0 != " " && $0 != "\t" }
        let isID =
            id.utf8.count == idDigits
            && id.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        return isID ? .change(String(id)) : nil
    }

    private static func runID(_ text: Substring) -> String? {
        let isID =
            !text.isEmpty && text.utf8.count <= runBytesMax
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0 | 0x20)
                    || $0 == UInt8(ascii: "-")
            }
        return isID ? String(text) : nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let head = text.drop { $0 == " " || $0 == "\t" }
        guard let last = head.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return head[...last]
    }
}

extension Substring {
    /// Returns the text after an opening, or `nil` if the text does not begin with it.
    ///
    /// Compares bytes: a combining accent after the opening's space is one Character with the
    /// space.
    fileprivate func after(_ opening: String) -> Substring? {
        guard utf8.starts(with: opening.utf8) else { return nil }
        return Substring(utf8.dropFirst(opening.utf8.count))
    }
}

// MARK: the run

/// The pictures that a comment decides about.
package struct ReviewCommentChoice: Hashable, Sendable {
    package struct Rejection: Hashable, Sendable {
        package var reason: String
        package var pictures: Set<SnapshotID>
    }
    package var accepted: Set<SnapshotID> = []
    package var rejected: [Rejection] = []
}

extension ReviewComment {
    /// Returns the pictures of the changes that the comment names, as the run groups them.
    ///
    /// A change's id is computed from its pictures, so a change with another picture has another
    /// id: the comment names exactly the pictures that its author saw.
    ///
    /// - Throws: `ReviewCommentError` for another run, and for ids that the run does not have.
    package func choice(
        in changes: [ChangeSummary]?,
        of run: String
    ) throws(ReviewCommentError) -> ReviewCommentChoice {
        guard run == self.run else { throw .otherRun(named: self.run, newest: run) }
        guard let changes else { throw .withoutIDs(run: run) }
        let known = Dictionary(changes.map { ($0.id, $0) }) { first, _ in first }
        let unknown = (accepted + rejected.flatMap(\.changes)).filter { known[$0] == nil }
        guard unknown.isEmpty else { throw .unknownChanges(unknown, run: run) }
        func pictures(_ ids: [String]) throws(ReviewCommentError) -> Set<SnapshotID> {
            var pictures: Set<SnapshotID> = []
            for id in ids {
                for text in known[id]?.snapshots ?? [] {
                    guard let snapshot = SnapshotID(exactly: text) else {
                        throw .unknownChanges([id], run: run)
                    }
                    pictures.insert(snapshot)
                }
            }
            return pictures
        }
        var choice = ReviewCommentChoice(accepted: try pictures(accepted))
        for rejection in rejected {
            choice.rejected.append(
                ReviewCommentChoice.Rejection(
                    reason: rejection.reason,
                    pictures: try pictures(rejection.changes)
                )
            )
        }
        return choice
    }
}
