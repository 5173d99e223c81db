// The rows of the comment about pictures that a person has rejected before.
import FarmCore

extension CommentSection {
    /// Returns a row of the comment for each person and reason of a rejection.
    static func rejected(_ rejected: RejectedPictures, _ titles: RunTitles) -> [String] {
        rejected.groups.map { group in
            let name = MarkdownText.plain(titles.name(of: group.pictures))
            return "- \(name): **\(MarkdownText.plain(group.words))**\n"
        }
    }
}
