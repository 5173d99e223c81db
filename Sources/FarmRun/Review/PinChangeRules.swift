// What the tests of a commit would say that differs from a tested one in the pin alone. A commit that
// a CI's own token pushed starts no workflow, so nobody runs them; the captures of the run are known,
// and the references are compared with them here. Every doubt is no proof.

import FarmCore

/// What is known of a commit that changes only the pin.
enum PinChangeProof: Hashable, Sendable {
    /// Everything would be as expected; `pictures` were not, and now equal their references.
    case green(pictures: Int)
    /// So many pictures and tests are red as before.
    case red(pictures: Int, tests: Int)
    /// Only a run can tell.
    case open(reason: String)
}

enum PinChangeRules {
    /// Judges a run's pictures against other references.
    ///
    /// `base` are the references of the run's cells that it compared with, `now` those of the new
    /// pin; `made` is what becomes of a capture as a reference, nil where the run has none.
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
        for picture in summary.snapshots where picture.isRed ?? (picture.verdict != .passed) {
            if try isSettled(picture, now, made) { settled += 1 } else { red += 1 }
        }
        // The verdict of these is that of their pictures, which are judged above.
        let tests = summary.tests.count {
            ($0.isRed ?? ($0.verdict != .passed)) && !$0.isAboutPictures
        }
        guard red + tests == 0 else { return .red(pictures: red, tests: tests) }
        // A run that is red for a reason of its own, such as pictures that nobody could own.
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
        case .passed, .unreached, .flaky, .failed, .errored: return false
        }
    }
}
