// The one comment of a pull request, as a pure value. Every part of every pipeline owns a section
// of it and leaves the others as they are; the first line names the commit that all speak of.
//
//     <!-- snapfarm: COMMIT -->
//     <!-- snapfarm section: PIPELINE > PART -->
//     … Markdown …
//     <!-- snapfarm end -->
//
// Bitbucket shows HTML as it is written, so its marks are link definitions, which nobody sees either:
//
//     [//]: # "snapfarm: COMMIT"
import FarmCore

/// How marks are written on a host, and how much it takes.
package enum CommentStyle: Sendable {
    case html
    case reference

    fileprivate func mark(_ words: String) -> String {
        switch self {
        case .html: "<!-- \(words) -->"
        case .reference: "[//]: # \"\(words)\""
        }
    }

    /// The words of a line that is a mark.
    fileprivate func words(_ line: Substring) -> Substring? {
        let (start, end) = self == .html ? ("<!-- ", " -->") : ("[//]: # \"", "\"")
        guard line.hasPrefix(start), line.hasSuffix(end), line.count >= start.count + end.count
        else { return nil }
        return line.dropFirst(start.count).dropLast(end.count)
    }

    /// How the comment is found again; no reader sees it.
    package var opening: String {
        switch self {
        case .html: "<!-- snapfarm: "
        case .reference: "[//]: # \"snapfarm: "
        }
    }

    /// A link definition does not end a paragraph.
    fileprivate var separator: String { self == .html ? "\n" : "\n\n" }

    /// GitHub takes 65,536 and Bitbucket 32,768; the rest is for marks.
    package var charactersMax: Int { self == .html ? 60_000 : 30_000 }
}

/// What one run says on a pull request.
package struct PullRequestSection: Sendable {
    /// Who owns the section: a pipeline, or a part of one.
    package struct Owner: Hashable, Sendable {
        let pipeline: String
        let part: String?

        package init(pipeline: String, part: String?) {
            // A quote would end a mark.
            self.pipeline = StatusNames.plain(pipeline).replacing("\"", with: "'")
            self.part = part.map { StatusNames.plain($0).replacing("\"", with: "'") }
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

    init(_ run: RunFacts, render: @escaping @Sendable (_ bytesMax: Int) -> String) {
        owner = Owner(pipeline: run.pipeline, part: run.partName)
        self.render = render
    }
}

/// The comment of a commit.
package struct PullRequestComment: Hashable, Sendable {
    /// One part of many leaves room for the others.
    package static let partBytesMax = 6_000
    /// Fewer would not hold a headline.
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
    /// By pipeline and part.
    private var sections: [Section] = []

    init(commit: String, style: CommentStyle = .html) {
        self.commit = commit
        self.style = style
    }

    /// Reads a comment; nil for one that is none of ours.
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

    /// Without blank lines around it.
    private static func joined(_ lines: [Substring]) -> String {
        func isText(_ line: Substring) -> Bool { !line.allSatisfy(\.isWhitespace) }
        let start = lines.firstIndex(where: isText) ?? 0
        let end = lines.lastIndex(where: isText) ?? -1
        return start <= end ? lines[start...end].joined(separator: "\n") : ""
    }

    /// Puts a section in place of what it speaks for; the others stay as they are.
    ///
    /// It takes half of the room at most, so that there is room for a next one.
    ///
    /// - Returns: whether there was room for it.
    package mutating func put(_ section: PullRequestSection) -> Bool {
        sections.removeAll { section.owner.speaksFor($0.owner) }
        let room = style.charactersMax - body.utf16.count
        let half = section.owner.part == nil ? room / 2 : min(room / 2, Self.partBytesMax)
        guard half >= Self.sectionBytesMin else { return false }
        // A test's own words must not end our section.
        let text = section.render(half).replacing("<!-- snapfarm", with: "<! snapfarm")
            .replacing("[//]: # \"snapfarm", with: "[//]: \"snapfarm")
            .replacing("\r\n", with: "\n")
        let kept = Self.joined(text.split(separator: "\n", omittingEmptySubsequences: false))
        sections.append(Section(owner: section.owner, text: kept))
        sections.sort { $0.owner.marker < $1.owner.marker }
        return true
    }

    /// What the host is sent.
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
