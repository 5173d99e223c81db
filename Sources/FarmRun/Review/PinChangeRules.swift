// Predicts the results of a commit that differs from a tested one only in the pin. A commit pushed
// with a CI's own token starts no workflow, so its tests are not run. The captures of the tested
// run are compared with the new references instead. If there is any doubt, there is no prediction.

import FarmCore

/// The prediction for a commit that changes only the pin.
enum PinChangeProof: Hashable, Sendable {
    /// The commit's results would all be as expected; `pictures` is the number of pictures that
    /// were red before.
    case green(pictures: Int)
    /// Some results stay red: the number of pictures, and that of tests which are red for other
    /// reasons.
    case red(pictures: Int, tests: Int)
    /// There is no prediction, for `reason`; only a run can tell.
    case open(reason: String)
}

enum PinChangeRules {
    /// Predicts the results of a commit that changes only the pin, from the pictures of a tested
    /// run.
    ///
    /// `base` has the references that the run compared with, in its cells, and `now` those of the
    /// new pin. `made` returns the blob id of a capture as a reference, or `nil` if the run has no
    /// such capture.
    static func proof(
        of summary: RunSummary,
        base: [SnapshotID: ObjectID],
        now: [SnapshotID: ObjectID],
        made: (SnapshotID) throws -> ObjectID?
    ) rethrows -> PinChangeProof {
        if let doubt = doubt(summary) { return .open(reason: doubt) }
        let missing = summary.snapshots.filter { $0.verdict == .missing }
        let strangers = try ApprovalRules.strangers(
            base: base,
            now: now,
            missing: Set(missing.compactMap { SnapshotID(exactly: $0.id) }),
            made: made
        )
        guard strangers.isEmpty else {
            return .open(reason: "\(strangers.count) references changed that the run did not make")
        }
        var settled = 0
        var red = 0
        for picture in summary.snapshots where picture.isRed ?? !picture.verdict.isAsExpected {
            if try isSettled(picture, now, made) { settled += 1 } else { red += 1 }
        }
        // Tests with their pictures' verdict are left out: the pictures are judged above.
        let tests = summary.tests.count {
            ($0.isRed ?? ($0.verdict?.isAsExpected != true)) && !$0.isAboutPictures
        }
        guard red + tests == 0 else { return .red(pictures: red, tests: tests) }
        // The run was red although no picture was, nor a test for another reason.
        guard settled > 0 || summary.state == .passed else {
            return .open(reason: "the run was red for another reason than its pictures")
        }
        return .green(pictures: settled)
    }

    private static func doubt(_ summary: RunSummary) -> String? {
        guard [.passed, .failed].contains(summary.state), summary.run.mode == .verify,
            summary.run.shard == nil, summary.counts.withoutVerdict == 0,
            summary.cells.allSatisfy(\.complete), !summary.cells.isEmpty
        else { return "the run is not complete" }
        let problem = summary.problems.first { !$0.isNote }
        return problem.map { "the run has the problem \($0.code)" }
    }

    private static func isSettled(
        _ picture: SnapshotSummary,
        _ now: [SnapshotID: ObjectID],
        _ made: (SnapshotID) throws -> ObjectID?
    ) rethrows -> Bool {
        guard let id = SnapshotID(exactly: picture.id) else { return false }
        switch picture.verdict {
        case .changed, .new, .moved:
            guard let reference = now[id] else { return false }
            return try made(id) == reference
        case .missing: return now[id] == nil
        case .passed, .inherited, .unreached, .flaky, .failed, .errored: return false
        }
    }
}
