// The comment of a pull request, as a pure value. Every part of every pipeline owns a section and
// leaves the others unchanged. The first line names the commit that all sections report on.
//
//     <!-- snapfarm: COMMIT -->
//     <!-- snapfarm section: PIPELINE > PART -->
//     … Markdown …
//     <!-- snapfarm end -->
//
// Bitbucket shows HTML as text, so its marks are link definitions, which it does not show:
//
//     [//]: # "snapfarm: COMMIT"
import FarmCore

/// The syntax of invisible marks in a host's comments, and the comments' size limit.
package enum CommentStyle: Sendable {
    case html
    case reference

    fileprivate func mark(_ words: String) -> String {
        switch self {
        case .html: "<!-- \(words) -->"
        case .reference: "[//]: # \"\(words)\""
        }
    }

    /// Returns the text in a line that is a mark, or `nil` if the line is no mark.
    fileprivate func words(_ line: Substring) -> Substring? {
        let (start, end) = self == .html ? ("<!-- ", " -->") : ("[//]: # \"", "\"")
        guard line.hasPrefix(start), line.hasSuffix(end), line.count >= start.count + end.count
        else { return nil }
        return line.dropFirst(start.count).dropLast(end.count)
    }

    /// The beginning of snapfarm's comment, by which it is found again; invisible to readers.
    package var opening: String {
        switch self {
        case .html: "<!-- snapfarm: "
        case .reference: "[//]: # \"snapfarm: "
        }
    }

    /// The separator of a comment's lines; a link definition needs a blank line before it.
    fileprivate var separator: String { self == .html ? "\n" : "\n\n" }

    /// The size limit of a comment, in characters: GitHub takes 65,536 and Bitbucket 32,768, and
    /// marks need some.
    package var charactersMax: Int { self == .html ? 60_000 : 30_000 }
}

/// The section of one run in a pull request's comment.
package struct PullRequestSection: Sendable {
    /// The owner of a section: a pipeline, or a part of one.
    package struct Owner: Hashable, Sendable {
        let pipeline: String
        let part: String?

        package init(pipeline: String, part: String?) {
            // A quote would end a mark.
            self.pipeline = StatusNames.plain(pipeline).replacing("\"", with: "'")
            self.part = part.map { StatusNames.plain($0).replacing("\"", with: "'") }
        }

        /// Parses the owner in a mark's text; the split is unambiguous, because names contain no
        /// `>`.
        fileprivate init(marker: Substring) {
            let names = marker.split(separator: ">", maxSplits: 1).map {
                $0.trimmingSpaces
            }
            pipeline = names.first ?? ""
            part = names.count > 1 ? names[1] : nil
        }

        fileprivate var marker: String { part.map { "\(pipeline) > \($0)" } ?? pipeline }

        /// Whether this owner's section replaces that of `other`: a whole run or a merge reports
        /// for its parts.
        fileprivate func speaksFor(_ other: Owner) -> Bool {
            guard pipeline == other.pipeline, let part else { return pipeline == other.pipeline }
            return other.part == part || other.part?.hasPrefix("\(part), shard ") == true
        }
    }

    package let owner: Owner
    /// Renders the section's Markdown in at most `bytesMax` bytes of UTF-8.
    let render: @Sendable (_ bytesMax: Int) -> String

    init(_ run: RunFacts, render: @escaping @Sendable (_ bytesMax: Int) -> String) {
        owner = Owner(pipeline: run.pipeline, part: run.partName)
        self.render = render
    }
}

/// The comment of a pull request that shows the runs of one commit.
package struct PullRequestComment: Hashable, Sendable {
    /// The most bytes of a part's section, which leave room for the other parts.
    package static let partBytesMax = 6_000
    /// The fewest bytes of a section; less has no room for a headline.
    private static let sectionBytesMin = 300
    private static let commit = "snapfarm: "
    private static let section = "snapfarm section: "
    private static let end = "snapfarm end"

    private struct Section: Hashable {
        var owner: PullRequestSection.Owner
        var text: String
    }

    package let commit: String
    private let style: CommentStyle
    /// The comment's sections, sorted by pipeline and part.
    private var sections: [Section] = []

    init(commit: String, style: CommentStyle = .html) {
        self.commit = commit
        self.style = style
    }

    /// Parses a comment's text, or returns `nil` if the comment is not snapfarm's.
    init?(parsing body: String, style: CommentStyle = .html) {
        let lines = body.replacing("\r\n", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first.flatMap(style.words), first.hasPrefix(Self.commit) else {
            return nil
        }
        commit = String(first.dropFirst(Self.commit.count))
        self.style = style
        var owner: PullRequestSection.Owner?
        var text: [Substring] = []
        for line in lines.dropFirst() {
            let mark = style.words(line)
            if let mark, mark.hasPrefix(Self.section) {
                owner = PullRequestSection.Owner(marker: mark.dropFirst(Self.section.count))
                text = []
            } else if mark == Self.end[...] {
                if let owner { sections.append(Section(owner: owner, text: Self.joined(text))) }
                owner = nil
            } else {
                text.append(line)
            }
        }
    }

    /// Returns the lines as one text, without blank lines at the start and end.
    private static func joined(_ lines: [Substring]) -> String {
        func isText(_ line: Substring) -> Bool { !line.allSatisfy(\.isWhitespace) }
        let start = lines.firstIndex(where: isText) ?? 0
        let end = lines.lastIndex(where: isText) ?? -1
        return start <= end ? lines[start...end].joined(separator: "\n") : ""
    }

    /// Puts a section in place of those that it replaces; the others stay unchanged.
    ///
    /// The section takes at most half of the room, so that another one fits.
    ///
    /// - Returns: Whether there was room.
    package mutating func put(_ section: PullRequestSection) -> Bool {
        sections.removeAll { section.owner.speaksFor($0.owner) }
        let room = style.charactersMax - body.utf16.count
        let half = section.owner.part == nil ? room / 2 : min(room / 2, Self.partBytesMax)
        guard half >= Self.sectionBytesMin else { return false }
        // The text of a test must not end our section.
        let text = section.render(half).replacing("<!-- snapfarm", with: "<! snapfarm")
            .replacing("[//]: # \"snapfarm", with: "[//]: \"snapfarm")
            .replacing("\r\n", with: "\n")
        let kept = Self.joined(text.split(separator: "\n", omittingEmptySubsequences: false))
        sections.append(Section(owner: section.owner, text: kept))
        sections.sort { $0.owner.marker < $1.owner.marker }
        return true
    }

    /// The comment's text, as it is sent to the host.
    package var body: String {
        var lines = [style.mark(Self.commit + commit)]
        for section in sections {
            lines.append(style.mark(Self.section + section.owner.marker))
            lines += [section.text, style.mark(Self.end)]
        }
        return lines.joined(separator: style.separator)
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        let trimmed = drop { $0 == " " }
        let end = trimmed.lastIndex { $0 != " " }
        return end.map { String(trimmed[...$0]) } ?? ""
    }
}
