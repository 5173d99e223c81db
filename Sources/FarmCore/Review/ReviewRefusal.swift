// The reasons why a review of a run is refused as a whole.

/// The two different sets that the pin of a run and the pin of now name.
package struct PinnedSets: Hashable, Sendable {
    /// The set that the run's pin names.
    package var run: ObjectID
    /// The set that the pin of the work tree, or of the branch, names.
    package var now: ObjectID

    package init(run: ObjectID, now: ObjectID) {
        self.run = run
        self.now = now
    }
}

/// The reason why `approve` or `reject` is refused.
package enum ReviewRefusal: ExplainedError, Hashable {
    /// Not every planned test case has a verdict; `cells` are the cells with such tests.
    case incomplete(run: String, state: RunState, cells: [String])
    /// The kept pictures do not decide all tests of a judgement; `cells` are those with such tests.
    case undecidedJudgement(run: String, cells: [String])
    /// The run is a record run, which wrote its references itself.
    case notVerify(run: String)
    /// The run did only one machine's share of its plan, which proves nothing about the whole.
    case shard(run: String, place: String)
    case otherPipeline(run: String, pipeline: String, ours: String)
    /// The references in the work tree's pin are not those that the run compared with.
    case otherPin(run: String, cell: CellID, names: [SnapshotID], sets: PinnedSets)
    case nothingSelected([String], changes: [String])
    /// The run has no changes with these ids.
    case unknownChanges(run: String, [String])
    /// None of the requested pictures can be approved.
    case neverApproved([ApprovalChoice.Left])
    case wrongDigest(SnapshotID, expected: Digest, actual: Digest, origin: String)
    case pictureAbsent(SnapshotID, origin: String)
    case notAPicture(SnapshotID, reason: String)
    /// The file is not the output of a run; `fact` names the file's fault.
    case notOurs(origin: String, fact: String)

    package var code: String {
        switch self {
        case .incomplete, .undecidedJudgement: "review-run-incomplete"
        case .notVerify: "review-run-recorded"
        case .shard: "review-one-shard"
        case .otherPipeline: "review-other-pipeline"
        case .otherPin: "review-other-pin"
        case .nothingSelected: "review-nothing-selected"
        case .unknownChanges: "review-unknown-change"
        case .neverApproved: "review-never-approved"
        case .wrongDigest: "review-wrong-digest"
        case .pictureAbsent: "review-picture-absent"
        case .notAPicture: "review-not-a-picture"
        case .notOurs: "review-not-a-run"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .incomplete, .undecidedJudgement, .shard, .nothingSelected, .unknownChanges:
            .incomplete
        case .neverApproved: .differences
        case .otherPin: .configuration
        case .notVerify, .otherPipeline, .wrongDigest, .pictureAbsent, .notAPicture, .notOurs:
            .invalidInput
        }
    }

    package var message: String {
        switch self {
        case .incomplete(let run, let state, let cells):
            "run \(run) is \(state.rawValue)"
                + (cells.isEmpty ? "." : "; without all verdicts: \(Self.list(cells)).")
        case .undecidedJudgement(let run, let cells):
            "the kept pictures do not decide all tests of the judgement \(run)"
                + (cells.isEmpty ? "." : "; without all verdicts: \(Self.list(cells)).")
        case .notVerify(let run): "run \(run) recorded its references itself."
        case .shard(let run, let place):
            "run \(run) is only \(ShardPlace.words(of: place)) of a run."
        case .otherPipeline(let run, let pipeline, let ours):
            "run \(run) is of the pipeline \(pipeline.prefix(200).debugDescription), "
                + "not of \(ours.debugDescription)."
        case .otherPin(let run, let cell, let names, let sets):
            "the references of \(cell) are not those that run \(run) compared with"
                + (names.isEmpty ? "" : ": \(Self.list(names.map(\.text)))")
                + ". Its pin named the set \(sets.run.short), the pin here names "
                + "\(sets.now.short) now."
        case .nothingSelected(let words, let changes):
            "no picture of the run matches "
                + (words.map { "--select \($0)" } + changes.map { "--change \($0)" })
                .joined(separator: " ") + "."
        case .unknownChanges(let run, let ids):
            "run \(run) has no change \(Self.list(ids.map { $0.prefix(40).debugDescription }))."
        case .neverApproved(let left) where Self.isRemoval(left):
            (left.count == 1
                ? "no test makes 1 picture" : "no test makes \(left.count.grouped) pictures")
                + " any more: \(Self.list(left.map(\.picture.id.text), most: 5))."
        case .neverApproved(let left):
            "nothing here can be approved: "
                + Self.list(left.map { "\($0.picture.id) (\($0.bar.words))" }, most: 5) + "."
        case .wrongDigest(let id, let expected, let actual, let origin):
            "\(origin): the picture of \(id) is \(actual), but the run made \(expected)."
        case .pictureAbsent(let id, let origin): "\(origin): the picture of \(id) is not there."
        case .notAPicture(let id, let reason): "\(id): \(reason)"
        case .notOurs(let origin, let fact): "\(origin): \(fact)."
        }
    }

    package var remedy: String {
        switch self {
        case .incomplete:
            "Finish it (snapfarm run FILE --resume), or run again; only a complete run is reviewed."
        case .undecidedJudgement:
            "Run the tests (snapfarm run FILE) and review that run, or judge the run's whole output "
                + "folder instead of its zip."
        case .shard:
            "Join all shards first (snapfarm merge OUT… --output DIR), and approve the joined run."
        case .notVerify: "Commit the pin it wrote; to review pictures, run without --mode record."
        case .otherPipeline: "Name the pipeline file of that run: snapfarm approve FILE …"
        case .otherPin:
            "Check out the commit that was run, or run again on this one and approve that run."
        case .nothingSelected:
            "Keys: job, cell, device, test, suite, snapshot, verdict or an axis; `*` is a wildcard."
        case .unknownChanges:
            "The ids are those of `changes` in its summary.json; or choose with --select."
        case .neverApproved(let left) where Self.isRemoval(left):
            "If that is on purpose, say so with --remove-missing: the same command then takes "
                + "\(left.count == 1 ? "it" : "them") out of the references."
        case .neverApproved(let left) where left.allSatisfy(\.bar.isOfAlternates):
            "Approve it as the reference, without --alternate; `snapfarm refs alternates` lists the "
                + "alternates that there are."
        case .neverApproved(let left) where left.contains { $0.bar == .rejected }:
            "Repair the tests and run again; or take what was rejected with --even-rejected."
        case .neverApproved:
            "Repair the tests and run again; --remove-missing drops references that no test makes."
        case .wrongDigest, .pictureAbsent:
            "Download the artifact again; nothing was approved."
        case .notAPicture: "Nothing was approved; look at the test that made it."
        case .notOurs:
            "Name a FailureDiffs.zip, the output folder of a run, or --run with a run of this "
                + "data folder."
        }
    }

    /// Whether the refused request only names pictures that no test makes any more.
    private static func isRemoval(_ left: [ApprovalChoice.Left]) -> Bool {
        left.allSatisfy { $0.bar == .missing }
    }

    private static func list(_ names: [String], most: Int = 10) -> String {
        let shown = names.prefix(most).joined(separator: ", ")
        return names.count > most ? "\(shown) and \(names.count - most) more" : shown
    }
}
