// Decisions that a comment of a pull request carries: read strictly, and answered in words that can
// be posted below it.
import FarmArtifacts
import FarmCore
import FarmReview
import Foundation

extension ReviewSession {
    /// What a comment's decisions did; the approval is nil where it accepts nothing.
    package struct CommentOutcome: Sendable, ReviewDocument {
        package var approval: ApprovalDocument?
        package var rejections: [RejectionDocument] = []

        /// For a terminal, and for the answer.
        package var lines: [String] {
            (approval?.lines ?? []) + rejections.flatMap(\.lines)
        }
    }

    /// Does exactly what a comment says; nothing where any part of it is refused.
    ///
    /// - Throws: `ReviewCommentError`, `ReviewRefusal`, and what publishing throws.
    package func decide(
        _ comment: ReviewComment,
        _ options: ApprovalOptions,
        now: Date
    ) async throws -> CommentOutcome {
        let changes = try review.run.summary()?.genuineChanges
        let choice = try comment.choice(in: changes, of: review.run.manifest.run.id)
        let rejecting = choice.rejected.map { narrowed(to: $0.pictures, reason: $0.reason) }
        // A rejection that will be refused is known before anything is approved.
        for session in rejecting { _ = try session.review.decidable() }
        // It names each picture that leaves the references, as a person on the page does.
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
    /// - Throws: `ReviewCommentError`; `PipelineSourceError` for a file that cannot be read.
    package static func read(_ path: String) throws -> ReviewComment {
        // One byte more than a comment may have: its reader refuses it with the right words.
        let bytesMax = FarmLimits.reviewCommentBytesMax + 1
        guard let bytes = try BoundedFile.read(path, bytesMax: bytesMax) else {
            throw PipelineSourceError.unreadable(path)
        }
        return try ReviewComment(parsing: String(decoding: bytes, as: UTF8.self))
    }

    /// Characters of an answer; GitHub takes 65,536.
    private static let answerCharactersMax = 60_000

    /// Lines as Markdown that shows them as they are: names from elsewhere link and notify nobody.
    package static func answer(_ lines: [String]) -> String {
        let text = lines.map(TerminalText.shown).joined(separator: "\n")
            .replacing("```", with: "'''")
        return "```text\n\(text.prefix(answerCharactersMax))\n```\n"
    }
}
