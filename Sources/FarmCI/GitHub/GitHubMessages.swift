// What GitHub is told of a run, as pure values: one comment that is found again by its marker and
// replaced, and one commit status.
import FarmCore

/// A commit status.
package struct GitHubStatus: Hashable, Sendable, Encodable {
    package enum State: String, Encodable, Sendable {
        case success, failure, error
    }
    package var state: State
    /// At most 140 characters.
    package var description: String
    /// One status for each pipeline.
    package var context: String
    /// The CI's own page of the run.
    package var page: String?

    private enum CodingKeys: String, CodingKey {
        case state, description, context
        case page = "target_url"
    }

    /// What the run came to.
    package init(_ summary: RunSummary, page: String?) {
        state =
            switch summary.state {
            case .passed: .success
            case .failed: .failure
            case .running, .incomplete, .cancelled: .error
            }
        let counts = summary.counts
        let bad = [
            (counts.changed, "changed"), (counts.moved, "moved"), (counts.new, "new"),
            (counts.missing, "missing"), (counts.unreached, "unreached"),
            (counts.flaky, "flaky"), (counts.failed, "failed"), (counts.errored, "errored"),
            (counts.withoutVerdict, "without verdict"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let words = ["\(counts.passed) of \(counts.planned) passed"] + bad
        let text = (summary.state == .incomplete ? ["incomplete"] : []) + words
        description = String(text.joined(separator: ", ").prefix(140))
        context = "snapfarm/\(GitHubComment.pipeline(summary))"
        self.page = page
    }
}

/// The one comment of a pipeline on a pull request.
package struct GitHubComment: Hashable, Sendable {
    /// GitHub takes 65,536; the rest is for the marker.
    package static let charactersMax = 65_000
    /// The first line of the comment, by which it is found again; no reader sees it.
    package var marker: String
    /// Marker and report.
    package var body: String

    /// `report` is Markdown; what is beyond the limit is cut at a line.
    package init(_ summary: RunSummary, report: String) {
        marker = "<!-- snapfarm:\(Self.pipeline(summary)) -->"
        body = marker + "\n" + Self.cut(report)
    }

    /// The pipeline's name, as far as it fits into a comment of HTML and a status.
    static func pipeline(_ summary: RunSummary) -> String {
        let scalars = summary.run.pipeline.unicodeScalars.filter {
            $0.value >= 32 && $0 != "<" && $0 != ">"
        }
        // Two hyphens would end a comment of HTML.
        return String(String.UnicodeScalarView(scalars.prefix(100)))
            .replacing("--", with: "-\u{2010}")
    }

    private static func cut(_ text: String) -> String {
        guard text.utf16.count > charactersMax else { return text }
        let note = "\n\nThe rest did not fit here: see `report.md` in the output folder.\n"
        var kept = ""
        var length = note.utf16.count
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            length += line.utf16.count + 1
            guard length <= charactersMax else { break }
            kept += line + "\n"
        }
        return kept + note
    }
}
