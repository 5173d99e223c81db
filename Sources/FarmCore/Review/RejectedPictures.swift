// The pictures of a run that a person has rejected: the same pictures against the same references,
// in this run or an earlier one. They are shown beside the verdicts and change none.

/// The open pictures of a run that a person has rejected.
package struct RejectedPictures: Hashable, Sendable {
    /// The pictures that one person rejected for one reason.
    package struct Group: Hashable, Sendable {
        /// The person's name on one line, or empty if it is unknown.
        package var who: String
        /// The person's reason on one line, or empty if there is none.
        package var reason: String
        /// The rejected pictures in the order of the summary.
        package var pictures: [SnapshotSummary]

        /// The rejection in one line: `rejected by ada: too pale`.
        package var words: String {
            "rejected" + (who.isEmpty ? "" : " by \(who)") + (reason.isEmpty ? "" : ": \(reason)")
        }
    }

    /// The groups of rejected pictures, in the order of their first pictures.
    package private(set) var groups: [Group] = []

    /// Makes a value without rejections.
    package init() {}

    /// Finds the rejected pictures of a run; `book` has the decisions of the run's pipeline.
    package init(of summary: RunSummary, in book: DecisionBook) {
        var places: [[String]: Int] = [:]
        for picture in summary.openPictures {
            guard let decision = picture.subject.flatMap({ book.standing[$0] }),
                decision.kind == .rejected
            else { continue }
            let (who, reason) = (Self.line(decision.who), Self.line(decision.reason))
            let place = places[[who, reason], default: groups.count]
            if place == groups.count {
                groups.append(Group(who: who, reason: reason, pictures: []))
            }
            groups[place].pictures.append(picture)
            places[[who, reason]] = place
        }
    }

    package var isEmpty: Bool { groups.isEmpty }
    package var count: Int { groups.reduce(0) { $0 + $1.pictures.count } }

    /// The headline of the list, such as `2 pictures were rejected before`.
    package var headline: String {
        count == 1 ? "1 picture was rejected before" : "\(count) pictures were rejected before"
    }

    /// The rejections on one line: the first group's words and the number of the other pictures;
    /// empty if there are none.
    package var summary: String {
        guard let first = groups.first else { return "" }
        let rest = count - first.pictures.count
        let others =
            rest == 0 ? "" : "; \(rest) more \(rest == 1 ? "picture" : "pictures") rejected"
        return first.words + others
    }

    /// Returns a person's text as one line without control or reordering characters.
    private static func line(_ text: String) -> String {
        text.unicodeScalars.split {
            TerminalText.isUnsafe($0) || $0.properties.isWhitespace
        }.map { String($0) }.joined(separator: " ")
    }
}
