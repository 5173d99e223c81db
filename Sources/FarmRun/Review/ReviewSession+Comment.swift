// The decisions in a pull request's comment: parsed strictly, and answered with a text that can be
// posted below the comment.
import FarmArtifacts
import FarmCore
import FarmReview
import Foundation

extension ReviewSession {
    /// The result of a comment's decisions; `approval` is `nil` if the comment accepts nothing.
    package struct CommentOutcome: Sendable, ReviewDocument {
        package var approval: ApprovalDocument?
        package var rejections: [RejectionDocument] = []

        /// The outcome as lines for a terminal, and for the answer to the comment.
        package var lines: [String] {
            (approval?.lines ?? []) + rejections.flatMap(\.lines)
        }
    }

    /// Makes exactly the decisions of a comment, or none if any part of it is refused.
    ///
    /// - Throws: `ReviewCommentError`, `ReviewRefusal`, and the errors of publishing.
    package func decide(
        _ comment: ReviewComment,
        _ options: ApprovalOptions,
        now: Date
    ) async throws -> CommentOutcome {
        let changes = try review.run.summary()?.genuineChanges
        let choice = try comment.choice(in: changes, of: review.run.manifest.run.id)
        let rejecting = choice.rejected.map { narrowed(to: $0.pictures, reason: $0.reason) }
        // Checks all rejections before anything is approved.
        for session in rejecting { _ = try session.review.decidable() }
        // A comment names each reference that it removes, so it needs no further option.
        var options = options
        options.removesMissing = true
        var outcome = CommentOutcome()
        if !choice.accepted.isEmpty {
            outcome.approval = try await narrowed(to: choice.accepted).approve(options, now: now)
        }
        for session in rejecting { outcome.rejections.append(try await session.reject(now: now)) }
        return outcome
    }
}

/// A comment of a pull request in a file, and the answer to it.
package enum CommentFile {
    /// Reads a comment from a file.
    ///
    /// - Throws: `ReviewCommentError`, or `PipelineSourceError` if the file cannot be read.
    package static func read(_ path: String) throws -> ReviewComment {
        // Reads one byte more than the limit, so that the parser refuses a long comment with its
        // own error.
        let bytesMax = FarmLimits.reviewCommentBytesMax + 1
        guard let bytes = try BoundedFile.read(path, bytesMax: bytesMax) else {
            throw PipelineSourceError.unreadable(path)
        }
        return try ReviewComment(parsing: String(decoding: bytes, as: UTF8.self))
    }

    /// The most characters of an answer; GitHub takes 65,536.
    private static let answerCharactersMax = 60_000

    /// Returns lines as a Markdown code block, in which names from elsewhere make no links or
    /// mentions.
    package static func answer(_ lines: [String]) -> String {
        let text = lines.map(TerminalText.shown).joined(separator: "\n")
            .replacing("```", with: "'''")
        return "```text\n\(text.prefix(answerCharactersMax))\n```\n"
    }
}
