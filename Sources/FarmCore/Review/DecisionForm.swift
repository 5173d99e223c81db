// The content of a form of the review page, and the reasons to refuse it. A form names changes and
// pictures by their ids; DecisionRules turns it into decisions.

/// A form that a person sends from the review page, after its checks.
package struct DecisionForm: Hashable, Sendable {
    /// The form's kind of decision; never `published`, which only a publication decides.
    package let kind: Decision.Kind
    /// The ids of the chosen changes; each stands for all its pictures that can be decided about.
    package let changes: [String]
    /// The ids of the chosen single pictures.
    package let snapshots: [String]
    /// The ids of the chosen causes.
    ///
    /// Together they accept the pictures that they explain wholly; any other decision is about all
    /// pictures that show one of them.
    package let causes: [String]
    package let reason: String

    /// Makes a form after all checks that need no run.
    ///
    /// - Throws: `DecisionRefusal` if a check fails.
    package init(
        kind: String,
        changes: [String],
        snapshots: [String],
        causes: [String] = [],
        reason: String
    ) throws(DecisionRefusal) {
        guard let known = Decision.Kind(rawValue: kind), known != .published else {
            throw .unknownKind(kind)
        }
        guard !(changes + snapshots + causes).isEmpty else { throw .nothingNamed }
        guard reason.utf8.count <= FarmLimits.decisionReasonBytesMax else { throw .longReason }
        // The reason must be one line, because it becomes a line of the journal.
        let words = reason.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
        guard known != .commented || !words.isEmpty else { throw .emptyComment }
        self.kind = known
        self.changes = changes
        self.snapshots = snapshots
        self.causes = causes
        self.reason = words
    }
}

/// The reason why a form is refused as a whole.
package enum DecisionRefusal: ExplainedError, Hashable {
    case unknownKind(String)
    case nothingNamed
    case longReason
    case emptyComment
    /// The run has no change with this id, or no longer has it.
    case unknownChange(String)
    case unknownPicture(String)
    case unknownCause(String)
    /// Each picture of the chosen causes changed in other ways, too.
    case nothingExplained
    /// The run is a record run, which wrote its pictures into the references itself.
    case recorded(run: String)
    /// The test of the picture still runs, so the picture may change.
    case stillRunning(String)
    /// None of the pictures that the form names can be accepted or rejected.
    case neverDecided(String, ApprovalBar)
    /// The picture is published, and a pin names it.
    case published(String)
    /// The form names more pictures than are allowed.
    case tooManyAtOnce(Int, most: Int)
    /// With the form, the run would have more decided pictures than are kept.
    case tooManyKept(Int, most: Int)

    package var code: String {
        switch self {
        case .unknownKind: "decision-kind"
        case .nothingNamed: "decision-about-nothing"
        case .longReason: "decision-reason-too-long"
        case .emptyComment: "decision-comment-empty"
        case .unknownChange, .unknownPicture, .unknownCause: "decision-unknown-picture"
        case .nothingExplained: "decision-nothing-explained"
        case .recorded: "decision-run-recorded"
        case .stillRunning: "decision-test-running"
        case .neverDecided: "decision-never"
        case .published: "decision-published"
        case .tooManyAtOnce: "decision-too-many-at-once"
        case .tooManyKept: "decision-too-many"
        }
    }

    package var message: String {
        switch self {
        case .unknownKind(let kind): "\(Self.name(kind)) is no decision."
        case .nothingNamed: "the form names no picture."
        case .longReason:
            "the reason is over \(FarmLimits.decisionReasonBytesMax.grouped) bytes."
        case .emptyComment: "the comment is empty."
        case .unknownChange(let id): "the run has no change \(Self.name(id))."
        case .unknownCause(let id): "the run has no cause \(Self.name(id))."
        case .nothingExplained: "all pictures of these causes changed in other ways, too."
        case .unknownPicture(let id): "the run has no picture \(Self.name(id))."
        case .recorded(let run): "run \(run) recorded its references itself."
        case .stillRunning(let id): "the test of \(Self.name(id)) still runs."
        case .neverDecided(let id, let bar): "\(Self.name(id)): \(bar.words)."
        case .published(let id): "\(Self.name(id)) is published: a pin names it."
        case .tooManyAtOnce(let count, let most):
            "\(count.grouped) pictures are over the \(most.grouped) that are decided at once."
        case .tooManyKept(let count, let most):
            "\(count.grouped) pictures are over the \(most.grouped) of one run that are kept decided."
        }
    }

    package var remedy: String {
        switch self {
        case .unknownKind: "Use the buttons of the page."
        case .nothingNamed: "Choose a picture or a change first."
        case .longReason: "Say it in fewer words."
        case .emptyComment: "Write what you want to say first."
        case .nothingExplained: "Choose their other causes as well, or decide about changes."
        case .unknownChange, .unknownPicture, .unknownCause:
            "Load the page again: the run has changed."
        case .recorded: "To review pictures, run without --mode record."
        case .stillRunning: "Wait until the test has ended."
        case .neverDecided: "Repair its test and run again."
        case .tooManyAtOnce: "Filter by suite or cell, and decide about one after the other."
        case .tooManyKept: "Take all pictures of the run with snapfarm approve."
        case .published: "Revert the commit of the pin to take it back."
        }
    }

    package var exit: ExitCode { .usage }

    /// Returns a name from elsewhere quoted and shortened.
    private static func name(_ text: String) -> String { String(text.prefix(200)).debugDescription }
}
