// The rules of attempts: the verdict of one test case from its attempts, and whether it runs again.
// No other code decides a test's verdict. Retries hide nothing: a pass never hides a missing
// reference, and the same wrong picture twice is a real change.

/// An ended attempt, as the ledger keeps it.
package struct Attempt: Hashable, Sendable, Codable {
    /// The result of an attempt.
    package enum Outcome: Hashable, Sendable, Codable {
        case reported(TestReport)
        /// The worker was lost while the test ran.
        case workerLost
    }

    package var worker: WorkerID
    package var outcome: Outcome
    /// The number of the attempt's lease, or `nil` if the caller did not load it.
    package var lease: Int64?

    package init(worker: WorkerID, outcome: Outcome, lease: Int64? = nil) {
        self.worker = worker
        self.outcome = outcome
        self.lease = lease
    }
}

/// The next step after an attempt.
package enum AttemptStep: Hashable, Sendable {
    case final(Verdict, note: String)
    /// Runs the test again, on another worker if there is one.
    case again(alone: Bool)
    /// Runs the test again, isolated, because the host may have caused the last failure.
    case isolated
    /// Runs the test once more on any worker, for `--repeat`.
    case repetition
    /// Takes the pictures of a record run once more, on another worker if there is one.
    case confirm
}

/// The facts other than a test case's own attempts that decide the next step.
package struct AttemptContext: Hashable, Sendable {
    /// The number of times that each test case runs, whatever its results; with 1, it runs until
    /// its verdict stands.
    package var repeats: Int
    /// Whether the run has retries left.
    package var mayRetry: Bool
    /// Whether a failure only counts once another worker has confirmed it.
    package var asksAnother: Bool
    /// Whether the same change of the same test already stands in another cell.
    package var standsElsewhere: Bool

    package init(
        repeats: Int = 1,
        mayRetry: Bool = true,
        asksAnother: Bool = false,
        standsElsewhere: Bool = false
    ) {
        self.repeats = repeats
        self.mayRetry = mayRetry
        self.asksAnother = asksAnother
        self.standsElsewhere = standsElsewhere
    }
}

package enum AttemptRules {
    /// Decides whether a test case runs again, or which verdict is final.
    ///
    /// `attempts` are all ended attempts of one test case, oldest first; at least one.
    package static func step(
        after attempts: [Attempt],
        job: Job,
        mode: RunMode,
        context: AttemptContext = AttemptContext()
    ) -> AttemptStep {
        let lost = attempts.count { $0.outcome == .workerLost }
        let reports = attempts.compactMap(\.report)
        let repeats = mode == .verify ? max(1, context.repeats) : 1
        // Repetitions are not retries: only attempts beyond them count against the limit.
        let counted = repeats > 1 ? lost : attempts.count
        // A test that may have killed a worker has its last attempt alone, so that no other test is
        // lost.
        let isLastOfSuspect = lost > 0 && counted == FarmLimits.attemptsMax - 1
        guard let last = attempts.last?.report else {
            // A lost worker costs an attempt of the running test, and of no other.
            guard counted < FarmLimits.attemptsMax else {
                return .final(.errored, note: lostNote(lost))
            }
            return .again(alone: isLastOfSuspect)
        }
        if repeats > 1 { return repetition(reports, of: repeats, job: job, mode: mode) }
        let verdict = verdict(of: last, job: job, mode: mode)
        if mode == .record, verdict == .passed {
            return recordStep(
                reports.filter { Self.verdict(of: $0, job: job, mode: mode) == .passed }
            )
        }
        if verdict == .passed {
            return settled(pass: reports, job: job, mode: mode)
        }
        if isRepeated(reports) || context.standsElsewhere { return .final(verdict, note: "") }
        if attempts.count < FarmLimits.attemptsMax,
            isFirstStarved(reports, job: job, mode: mode)
        {
            return .isolated
        }
        // A result from an overloaded host is no evidence of an unstable test.
        let sound = reports.filter { !isStarved($0, job: job, mode: mode) }
        guard isFailure(verdict), attempts.count < FarmLimits.attemptsMax else {
            return .final(verdict, note: finalNote(sound, verdict))
        }
        let wanted = attempts.count <= job.retries
        if wanted, context.mayRetry { return .again(alone: isLastOfSuspect) }
        let voices = Set(attempts.filter { $0.report != nil }.map(\.worker))
        if context.asksAnother, voices.count == 1 { return .again(alone: isLastOfSuspect) }
        var notes = [finalNote(sound, verdict)].filter { !$0.isEmpty }
        if wanted {
            notes.append("not run again: the retries of this run are used up.")
        }
        return .final(verdict, note: notes.joined(separator: " "))
    }

    private static func lostNote(_ lost: Int) -> String {
        "\(lost == 1 ? "a worker" : "\(lost) workers") died while this test ran; see the logs of "
            + "the workers."
    }

    /// Returns the verdict of one report: the worst of the test's own result and of its pictures'
    /// verdicts.
    package static func verdict(of report: TestReport, job: Job, mode: RunMode) -> Verdict {
        var verdicts = [ownVerdict(report, job: job)]
        verdicts += report.pictures.captures.map { capture in
            if capture.problem != nil { return .errored }
            return mode == .record ? .passed : pictureVerdict(capture, job: job)
        }
        return verdicts.max { $0.severity < $1.severity } ?? .passed
    }

    /// Returns the verdict about one capture in a run that compares.
    package static func pictureVerdict(_ report: CaptureReport, job: Job) -> Verdict {
        if report.problem != nil { return .errored }
        guard job.kind == .snapshot, job.judge == .farm else { return .passed }
        guard report.reference != nil else {
            if report.predecessor != nil, report.comparison?.matches == true { return .moved }
            return job.new == .accept ? .passed : .new
        }
        guard let comparison = report.comparison else { return .errored }
        return comparison.matches ? .passed : .changed
    }

    private static func ownVerdict(_ report: TestReport, job: Job) -> Verdict {
        switch report.ending {
        case .passed, .skipped: .passed
        case .errored: .errored
        // The verdict ignores the pictures: those of a failing test are never approved (I7).
        case .failed: .failed
        case .changed: report.pictures.differences.isEmpty ? .failed : .changed
        case .new:
            report.pictures.differences.contains { $0.reference != nil } ? .changed : .new
        }
    }

    /// Whether a verdict is a failure that another attempt may not repeat.
    ///
    /// A picture without a reference has none in further attempts, either.
    package static func isFailure(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .changed, .failed, .errored: true
        case .passed, .inherited, .moved, .new, .missing, .unreached, .flaky: false
        }
    }

    private static func settled(pass reports: [TestReport], job: Job, mode: RunMode) -> AttemptStep
    {
        let verdicts = reports.map { verdict(of: $0, job: job, mode: mode) }
        if let place = verdicts.firstIndex(of: .new) {
            let note =
                "attempt \(place + 1) made a picture without a reference, and attempt "
                + "\(reports.count) did not make it."
            return .final(.new, note: note)
        }
        guard let first = verdicts.firstIndex(where: { $0 != .passed }) else {
            let words = reports.last?.earlierFailure
            return .final(words == nil ? .passed : .flaky, note: words.map(earlierNote) ?? "")
        }
        let note = flakyNote(reports, place: first + 1, bad: verdicts[first])
        return .final(.flaky, note: note)
    }

    /// Returns the note about a test case that is flaky because it passed only when its own tool
    /// ran it again.
    private static func earlierNote(_ words: String) -> String {
        let line = words.split(whereSeparator: \.isNewline).first ?? "failed"
        return "failed, and passed when its own tool ran it again: "
            + String(line.unicodeScalars.prefix(earlierNoteMax))
    }

    /// The most Unicode scalars of a failure's first line in a note.
    private static let earlierNoteMax = 300

    /// Decides the next step under `--repeat`: every repetition counts, and different verdicts with
    /// a pass are flaky.
    private static func repetition(
        _ reports: [TestReport],
        of repeats: Int,
        job: Job,
        mode: RunMode
    ) -> AttemptStep {
        guard reports.count >= repeats else { return .repetition }
        let verdicts = reports.map { verdict(of: $0, job: job, mode: mode) }
        let worst = verdicts.max { $0.severity < $1.severity } ?? .passed
        let passes = verdicts.count { $0 == .passed }
        guard Set(verdicts).count > 1 else {
            let words = worst == .passed ? reports.lazy.compactMap(\.earlierFailure).first : nil
            return .final(words == nil ? worst : .flaky, note: words.map(earlierNote) ?? "")
        }
        let note =
            "passed \(passes) of \(repeats) times, the others: "
            + Set(verdicts).subtracting([.passed]).map(\.rawValue).sorted().joined(separator: ", ")
            + "."
        let hidesNew = verdicts.contains(.new)
        return .final(passes > 0 && !hidesNew ? .flaky : worst, note: note)
    }

    /// Whether the last attempt made the same wrong pictures as an earlier one; further attempts
    /// would repeat them.
    private static func isRepeated(_ reports: [TestReport]) -> Bool {
        guard let last = reports.last, !wrongPictures(last).isEmpty else { return false }
        return reports.dropLast().contains { wrongPictures($0) == wrongPictures(last) }
    }

    private static func finalNote(_ reports: [TestReport], _ verdict: Verdict) -> String {
        let different = Set(reports.map(wrongPictures)).count > 1
        return verdict == .changed && reports.count > 1 && different
            ? "every attempt made another picture: the test is unstable." : ""
    }

    private static func wrongPictures(_ report: TestReport) -> [SnapshotID: Digest] {
        var wrong: [SnapshotID: Digest] = [:]
        for capture in report.pictures.captures
        where capture.reference != nil && capture.comparison?.matches == false {
            wrong[capture.capture.id] = capture.capture.digest
        }
        for difference in report.pictures.differences {
            wrong[difference.id] = difference.failed
        }
        return wrong
    }

    /// Decides the next step in record mode: new and changed pictures are taken twice, and become
    /// references if equal.
    private static func recordStep(_ good: [TestReport]) -> AttemptStep {
        guard let first = good.first, needsConfirmation(first) else {
            return .final(.passed, note: "")
        }
        return good.count < 2 ? .confirm : .final(.passed, note: "")
    }

    private static func needsConfirmation(_ report: TestReport) -> Bool {
        report.pictures.captures.contains { $0.reference != $0.capture.objectID }
    }
}

extension Attempt {
    package var report: TestReport? {
        if case .reported(let report) = outcome { report } else { nil }
    }
}
