// The reasons why a comment decides nothing. Each message can be posted as the answer to its
// author; no decision was stored then.

import FarmCore

/// The refusal of a pull request's comment.
package enum ReviewCommentError: ExplainedError, Hashable {
    case tooLong
    /// No line of the comment is a command.
    case notADecision
    /// A line is neither a command nor a change; lines are numbered from 1.
    case foreignLine(Int, String)
    case severalRuns
    case withoutChanges
    case decidedTwice(String)
    case otherRun(named: String, newest: String)
    /// The program that wrote the run did not group its pictures.
    case withoutIDs(run: String)
    case unknownChanges([String], run: String)

    package var code: String {
        switch self {
        case .tooLong: "comment-too-long"
        case .notADecision: "comment-no-decision"
        case .foreignLine: "comment-line-unknown"
        case .severalRuns: "comment-several-runs"
        case .withoutChanges: "comment-without-changes"
        case .decidedTwice: "comment-decided-twice"
        case .otherRun: "comment-other-run"
        case .withoutIDs: "comment-run-without-changes"
        case .unknownChanges: "comment-changes-unknown"
        }
    }

    package var exit: ExitCode { .invalidInput }

    package var message: String {
        switch self {
        case .tooLong: "the comment has more than \(FarmLimits.reviewCommentBytesMax) bytes."
        case .notADecision: "the comment does not begin with `/snapfarm accept RUN`."
        case .foreignLine(let number, let text):
            "line \(number) of the comment is neither a command nor a change: "
                + text.debugDescription + "."
        case .severalRuns: "the comment names more than one run."
        case .withoutChanges: "the comment has a command without any change below it."
        case .decidedTwice(let id): "the comment names the change \(id) twice."
        case .otherRun(let named, let newest):
            "the comment is about run \(named), and the run here is \(newest)."
        case .withoutIDs(let run): "run \(run) does not say what its changes are called."
        case .unknownChanges(let ids, let run):
            "run \(run) has no change \(ids.prefix(5).joined(separator: ", "))"
                + (ids.count > 5 ? " and \(ids.count - 5) more." : ".")
        }
    }

    package var remedy: String {
        switch self {
        case .tooLong, .notADecision, .foreignLine, .severalRuns, .withoutChanges, .decidedTwice:
            "Nothing was decided. Copy the text from the run's page as it is, without other words."
        case .otherRun, .unknownChanges:
            "Nothing was decided. Look at the page of the newest run, and copy its text."
        case .withoutIDs: "Nothing was decided. Run the tests again with this snapfarm."
        }
    }
}
