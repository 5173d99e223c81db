// The one comment of a pull request, as a pure value. Every part of every pipeline owns a section
// of it and leaves the others as they are; the first line names the commit that all speak of.
//
//     <!-- snapfarm: COMMIT -->
//     <!-- snapfarm section: PIPELINE > PART -->
//     … Markdown …
//     <!-- snapfarm end -->
import FarmCore

/// What one run says on a pull request.
package struct GitHubSection: Sendable {
    /// Who owns the section: a pipeline, or a part of one.
    package struct Owner: Hashable, Sendable {
        let pipeline: String
        let part: String?

        package init(pipeline: String, part: String?) {
            self.pipeline = GitHubNames.plain(pipeline)
            self.part = part.map(GitHubNames.plain)
        }

        /// Names hold no `>`, so that this splits in one way.
        fileprivate init(marker: Substring) {
            let names = marker.split(separator: ">", maxSplits: 1).map {
                $0.trimmingSpaces
            }
            pipeline = names.first ?? ""
            part = names.count > 1 ? names[1] : nil
        }

        fileprivate var marker: String { part.map { "\(pipeline) > \($0)" } ?? pipeline }

        /// Whether its section says all that the other's does: a whole run or a merge speaks for
        /// its parts.
        fileprivate func speaksFor(_ other: Owner) -> Bool {
            guard pipeline == other.pipeline, let part else { return pipeline == other.pipeline }
            return other.part == part || other.part?.hasPrefix("\(part), shard ") == true
        }
    }

    package let owner: Owner
    /// The Markdown in at most so many bytes of UTF-8.
    let render: @Sendable (_ bytesMax: Int) -> String

    package init(_ run: RunFacts, render: @escaping @Sendable (_ bytesMax: Int) -> String) {
        owner = Owner(pipeline: run.pipeline, part: run.partName)
        self.render = render
    }
}

/// The comment of a commit.
package struct GitHubComment: Hashable, Sendable {
    /// GitHub takes 65,536; the rest is for markers.
    package static let charactersMax = 60_000
    /// One part of many leaves room for the others.
    package static let partBytesMax = 6_000
    /// Fewer would not hold a headline.
    private static let sectionBytesMin = 300
    /// How the comment is found again; no reader sees it.
    package static let opening = "<!-- snapfarm: "
    private static let sectionOpening = "<!-- snapfarm section: "
    private static let closing = " -->"
    private static let sectionEnd = "<!-- snapfarm end -->"

    private struct Section: Hashable {
        var owner: GitHubSection.Owner
        var text: String
    }

    package let commit: String
    /// By pipeline and part.
    private var sections: [Section] = []

    package init(commit: String) { self.commit = commit }

    /// Reads a comment; nil for one that is none of ours.
    package init?(parsing body: String) {
        let lines = body.replacing("\r\n", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
        guard let commit = lines.first.flatMap({ Self.marked($0, Self.opening) }) else {
            return nil
        }
        self.commit = String(commit)
        var owner: GitHubSection.Owner?
        var text: [Substring] = []
        for line in lines.dropFirst() {
            if let marker = Self.marked(line, Self.sectionOpening) {
                owner = GitHubSection.Owner(marker: marker)
                text = []
            } else if line == Self.sectionEnd {
                if let owner {
                    sections.append(Section(owner: owner, text: text.joined(separator: "\n")))
                }
                owner = nil
            } else {
                text.append(line)
            }
        }
    }

    private static func marked(_ line: Substring, _ opening: String) -> Substring? {
        guard line.hasPrefix(opening), line.hasSuffix(closing) else { return nil }
        return line.dropFirst(opening.count).dropLast(closing.count)
    }

    /// Puts a section in place of what it speaks for; the others stay as they are.
    ///
    /// It takes half of the room at most, so that there is room for a next one.
    ///
    /// - Returns: whether there was room for it.
    package mutating func put(_ section: GitHubSection) -> Bool {
        sections.removeAll { section.owner.speaksFor($0.owner) }
        let room = Self.charactersMax - body.utf16.count
        let half = section.owner.part == nil ? room / 2 : min(room / 2, Self.partBytesMax)
        guard half >= Self.sectionBytesMin else { return false }
        // A test's own words must not end our section.
        let text = section.render(half).replacing("<!-- snapfarm", with: "<! snapfarm")
            .replacing("\r\n", with: "\n")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let last = lines.lastIndex { !$0.allSatisfy(\.isWhitespace) } ?? -1
        let kept = lines.prefix(last + 1).joined(separator: "\n")
        sections.append(Section(owner: section.owner, text: kept))
        sections.sort { $0.owner.marker < $1.owner.marker }
        return true
    }

    /// What GitHub is sent.
    package var body: String {
        var lines = [Self.opening + commit + Self.closing]
        for section in sections {
            lines.append(Self.sectionOpening + section.owner.marker + Self.closing)
            lines += [section.text, Self.sectionEnd]
        }
        return lines.joined(separator: "\n")
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        let trimmed = drop { $0 == " " }
        let end = trimmed.lastIndex { $0 != " " }
        return end.map { String(trimmed[...$0]) } ?? ""
    }
}
