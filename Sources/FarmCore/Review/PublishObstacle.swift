// The reason why nothing of a run can be published, shown before people decide. Decisions about
// such a run are kept, and count in the next run.

extension RunSummary {
    /// The reason why nothing of the run can be published, with a remedy, or `nil` if it can.
    package var publishObstacle: Problem? {
        guard run.mode == .verify else {
            return Problem(
                code: "review-run-recorded",
                message: "Run \(run.id) recorded its references itself.",
                remedy: "Commit the pin that it wrote."
            )
        }
        if let shard = run.shard {
            return Problem(
                code: "review-one-shard",
                message: "This is only \(ShardPlace.words(of: shard)) of a run.",
                remedy: "Join all shards with `snapfarm merge`, and publish the joined run."
            )
        }
        return isWhole ? nil : open
    }

    private var isWhole: Bool {
        [.passed, .failed].contains(state) && !cells.isEmpty && cells.allSatisfy(\.complete)
    }

    private var open: Problem {
        let isRunning = state == .running
        let remedy =
            isRunning
            ? "What you decide is kept; publish when it has ended."
            : "What you decide is kept. Finish it with `--resume`, or run again: the same pictures "
                + "keep their decisions."
        return Problem(
            code: "review-run-incomplete",
            message: "Run \(run.id) \(isRunning ? "still goes" : "is \(words)")\(missing).",
            remedy: remedy
        )
    }

    /// The list of missing tests, such as `: 3 of 40 tests have no verdict, on A (2), B (1)`; empty
    /// if no test is missing.
    private var missing: String {
        let cells = cells.filter { !$0.complete }
        guard counts.withoutVerdict > 0 || !cells.isEmpty else { return "" }
        let shown = cells.prefix(Self.cellsShownMax).map { cell in
            let count = cell.counts.withoutVerdict
            return count > 0 ? "\(cell.id) (\(count.grouped))" : cell.id
        }
        let more = cells.count - shown.count
        return
            ": \(counts.withoutVerdict.grouped) of \(counts.planned.grouped) tests have no verdict"
            + (shown.isEmpty ? "" : ", on " + shown.joined(separator: ", "))
            + (more > 0 ? " and \(more) more" : "")
    }

    private var words: String {
        switch state {
        case .cancelled: "cancelled"
        case .unjudgeable: "not judged"
        default: "incomplete"
        }
    }

    /// The most cells that the message names; the rest are only counted.
    private static var cellsShownMax: Int { 8 }
}
