// What a run says of pictures that a person has rejected: the same pictures against the same references,
// on this run or an earlier one. They are told beside the verdicts and change none.

/// The open pictures of a run that were rejected.
package struct RejectedPictures: Hashable, Sendable {
    /// Pictures that one person rejected for one reason.
    package struct Group: Hashable, Sendable {
        /// The person's name, one line; empty for none.
        package var who: String
        /// The person's reason, one line; empty for none.
        package var reason: String
        /// In the order of the summary.
        package var pictures: [SnapshotSummary]

        /// `rejected by ada: too pale`, in one line.
        package var words: String {
            "rejected" + (who.isEmpty ? "" : " by \(who)") + (reason.isEmpty ? "" : ": \(reason)")
        }
    }

    /// In the order of their first pictures.
    package private(set) var groups: [Group] = []

    /// None, as where nobody has decided anything.
    package init() {}

    /// `book` is what stands of the pipeline's decisions.
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

    /// `2 pictures were rejected before`.
    package var headline: String {
        count == 1 ? "1 picture was rejected before" : "\(count) pictures were rejected before"
    }

    /// The first rejection, for a place that holds one line; empty without any.
    package var summary: String {
        guard let first = groups.first else { return "" }
        let rest = count - first.pictures.count
        let others =
            rest == 0 ? "" : "; \(rest) more \(rest == 1 ? "picture" : "pictures") rejected"
        return first.words + others
    }

    /// Text of a person in one line that nothing reorders.
    private static func line(_ text: String) -> String {
        text.unicodeScalars.split {
            TerminalText.isUnsafe($0) || $0.properties.isWhitespace
        }.map { String($0) }.joined(separator: " ")
    }
}
