// The statuses of a commit, as pure values. A run that is a part of its pipeline (`--select`,
// `--shard`) has a status of its own. The pipeline's status comes from a whole run or a merge;
// before that it is never green, in whatever order parts end.
import FarmCore

/// The status of a commit on a Git host.
package struct CommitStatus: Hashable, Sendable {
    package enum State: String, Codable, Sendable {
        case success, failure, error, pending
    }
    package var state: State
    /// The description that the host shows, at most 140 characters.
    package var description: String
    /// The status's name on the host: `snapfarm/<pipeline>`, followed by the part's name in
    /// brackets for a part.
    package var context: String
    /// The URL of the CI's own page of the run, or `nil` if there is none.
    package var page: String?

    init(state: State, description: String, context: String, page: String? = nil) {
        self.state = state
        self.description = String(description.prefix(Self.descriptionMax))
        self.context = context
        self.page = page
    }

    /// Creates the status of a run; its description also counts pictures that people rejected
    /// before.
    init(
        _ summary: RunSummary,
        rejected: RejectedPictures = RejectedPictures(),
        page: String?
    ) {
        let state: State =
            switch summary.state {
            case .passed: .success
            case .failed: .failure
            case .running, .incomplete, .cancelled, .unjudgeable: .error
            }
        let counts = summary.counts
        let bad = [
            (counts.changed, "changed"), (counts.moved, "moved"), (counts.new, "new"),
            (counts.missing, "missing"), (counts.unreached, "unreached"),
            (counts.flaky, "flaky"), (counts.failed, "failed"), (counts.errored, "errored"),
            (counts.withoutVerdict, "without verdict"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let notRun = [(counts.skipped, "skipped"), (counts.inherited, "inherited")]
            .filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
        let good =
            notRun.isEmpty
            ? "\(counts.passed) of \(counts.planned) passed" : "\(counts.passed) passed\(notRun)"
        let words = [good] + bad
        let text = (summary.state == .incomplete ? ["incomplete"] : []) + words
        self.init(
            state: state,
            description: text.joined(separator: ", ")
                + (rejected.isEmpty ? "" : "; \(rejected.summary)"),
            context: StatusNames.context(summary.run.pipeline, part: summary.run.partName),
            page: page
        )
    }

    /// Creates the status of a commit that was not run, and that changes only the pin since the
    /// run's commit.
    init(_ proof: PinChangeProof, of run: RunFacts, page: String?) {
        let (state, words): (State, String) =
            switch proof {
            case .green(let pictures):
                (.success, "\(pictures) pictures approved; all of run \(run.id) is as expected")
            case .red(let pictures, let tests):
                (
                    .failure,
                    "still red as in run \(run.id): \(pictures) pictures, \(tests) other tests"
                )
            case .open(let reason): (.pending, "waits for a run of this commit: \(reason)")
            }
        self.init(
            state: state,
            description: words,
            context: StatusNames.context(run.pipeline, part: run.partName),
            page: page
        )
    }

    /// Creates the status of a merge that made no run; `facts` are those of one of its parts.
    init(incomplete facts: RunFacts, reason: String, page: String?) {
        // A merge of shards reports for the selected part, a merge of parts for the pipeline.
        let part = facts.shard == nil ? nil : facts.part
        self.init(incomplete: facts.pipeline, part: part, reason: reason, page: page)
    }

    /// Creates the status of a pipeline's merge that made no run, for `reason`.
    ///
    /// `part` is as in `RunFacts.part`.
    init(
        incomplete pipeline: String,
        part: String? = nil,
        reason: String,
        page: String?
    ) {
        self.init(
            state: .error,
            description: "incomplete: \(reason)",
            context: StatusNames.context(pipeline, part: part),
            page: page
        )
    }

    /// The most characters of a description: GitHub refuses more; the other hosts take 255.
    private static let descriptionMax = 140
}

// MARK: the pipeline's status

extension CommitStatus {
    /// Returns a pipeline's status while only parts of it have reported: red as soon as one part is
    /// red, and never green, because the number of parts is unknown here.
    ///
    /// `known` has the newest status of each context of the commit.
    package static func ofParts(
        of pipeline: String,
        known: [CommitStatus],
        page: String?
    ) -> CommitStatus {
        let whole = StatusNames.context(pipeline, part: nil)
        let parts = known.filter {
            $0.context.hasPrefix(whole + StatusNames.partOpening)
        }
        let red = parts.filter { $0.state == .failure || $0.state == .error }
        guard let first = red.first else {
            let passed = parts.filter { $0.state == .success }.count
            return CommitStatus(
                state: .pending,
                description: "\(passed) \(passed == 1 ? "part" : "parts") passed so far; "
                    + "waits for snapfarm merge",
                context: whole,
                page: page
            )
        }
        let name = first.context.dropFirst(whole.count + StatusNames.partOpening.count).dropLast()
        return CommitStatus(
            state: red.contains { $0.state == .failure } ? .failure : .error,
            description: "\(red.count) of \(parts.count) parts red: \(name)"
                + (red.count > 1 ? " and \(red.count - 1) more" : ""),
            context: whole,
            page: first.page ?? page
        )
    }
}

/// The names of pipelines and their parts in statuses and comments on a Git host.
enum StatusNames {
    /// The text between the pipeline's name and the part's in a status's name.
    static let partOpening = " ("
    /// The most Unicode scalars of a name that are shown.
    private static let scalarsMax = 100

    /// Returns the name of a pipeline's status, or of its part's status if `part` is given.
    static func context(_ pipeline: String, part: String?) -> String {
        let whole = "snapfarm/\(plain(pipeline))"
        return part.map { "\(whole)\(partOpening)\(plain($0)))" } ?? whole
    }

    /// Returns a name that is safe in an HTML comment and a status.
    ///
    /// A long name keeps its beginning and gets a digest, so that it stays unique.
    static func plain(_ name: String) -> String {
        let scalars = name.unicodeScalars.filter { $0.value >= 32 && $0 != "<" && $0 != ">" }
        var text = String(String.UnicodeScalarView(scalars.prefix(scalarsMax)))
        if scalars.count > scalarsMax { text += "…\(Digest(of: Array(name.utf8)).hex.prefix(8))" }
        // Two hyphens would end an HTML comment.
        return text.replacing("--", with: "-\u{2010}")
    }
}
