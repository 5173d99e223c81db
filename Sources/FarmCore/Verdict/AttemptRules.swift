// What the attempts of one (test case × cell) amount to, and whether it runs again. The one place
// that decides a test's verdict. Retries tell the truth: a pass never hides a
// missing reference, and the same wrong picture twice is a real change.

/// One ended attempt, as the ledger keeps it.
package struct Attempt: Hashable, Sendable, Codable {
    /// How an attempt ended.
    package enum Outcome: Hashable, Sendable, Codable {
        case reported(TestReport)
        /// The worker was lost while this test ran.
        case workerLost
    }

    package var worker: WorkerID
    package var outcome: Outcome
    /// The number of its lease; nil where that is not asked for.
    package var lease: Int64?

    package init(worker: WorkerID, outcome: Outcome, lease: Int64? = nil) {
        self.worker = worker
        self.outcome = outcome
        self.lease = lease
    }
}

/// What follows from the attempts so far.
package enum AttemptStep: Hashable, Sendable {
    case final(Verdict, note: String)
    /// Run it again, on another worker where there is one.
    case again(alone: Bool)
    /// Run it again with nothing else on its host: the last failure may be the host's.
    case isolated
    /// `--repeat`: run it once more, on any worker.
    case repetition
    /// Record mode: take the pictures once more, on another worker where there is one.
    case confirm
}

/// What else decides about a test case, beside its own attempts.
package struct AttemptContext: Hashable, Sendable {
    /// How often each test case runs, whatever it does; 1: until its verdict stands.
    package var repeats: Int
    /// The retries of the whole run are not used up.
    package var mayRetry: Bool
    /// A failure needs the word of another worker to stand.
    package var asksAnother: Bool
    /// The same change of the same test stands in another cell.
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
    /// Decides after an attempt.
    ///
    /// `attempts` are all ended attempts of one (test case × cell), oldest first, at least one.
    package static func step(
        after attempts: [Attempt],
        job: Job,
        mode: RunMode,
        context: AttemptContext = AttemptContext()
    ) -> AttemptStep {
        let lost = attempts.count { $0.outcome == .workerLost }
        let reports = attempts.compactMap(\.report)
        let repeats = mode == .verify ? max(1, context.repeats) : 1
        // Repetitions are no retries: only what is beyond them counts against the limit.
        let counted = repeats > 1 ? lost : attempts.count
        // Who may have killed a worker runs alone at last, so that no other test dies with it.
        let isLastOfSuspect = lost > 0 && counted == FarmLimits.attemptsMax - 1
        guard let last = attempts.last?.report else {
            // The worker was lost: an attempt for the test that was running, and only for it.
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
        // What an overloaded host showed first says nothing of how stable the test is.
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

    /// The verdict of one report: the worst of the test's own result and its pictures.
    package static func verdict(of report: TestReport, job: Job, mode: RunMode) -> Verdict {
        var verdicts = [ownVerdict(report, job: job)]
        verdicts += report.pictures.captures.map { capture in
            if capture.problem != nil { return .errored }
            return mode == .record ? .passed : pictureVerdict(capture, job: job)
        }
        return verdicts.max { $0.severity < $1.severity } ?? .passed
    }

    /// The verdict of one capture under verify.
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
        // Whatever pictures it left: a failing test's are never approved (I7).
        case .failed: .failed
        case .changed: report.pictures.differences.isEmpty ? .failed : .changed
        case .new:
            report.pictures.differences.contains { $0.reference != nil } ? .changed : .new
        }
    }

    /// Whether another attempt may end otherwise; a picture without a reference stays without one
    /// however often it is taken.
    package static func isFailure(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .changed, .failed, .errored: true
        case .passed, .moved, .new, .missing, .unreached, .flaky: false
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

    /// Why a test case is flaky that passed when its own tool ran it again.
    private static func earlierNote(_ words: String) -> String {
        let line = words.split(whereSeparator: \.isNewline).first ?? "failed"
        return "failed, and passed when its own tool ran it again: "
            + String(line.unicodeScalars.prefix(earlierNoteMax))
    }

    /// Unicode scalars of a failure's first line that a note repeats.
    private static let earlierNoteMax = 300

    /// Every repetition counts: what differs is flaky, if it ever passed.
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

    /// Two attempts with the same wrong pictures: more attempts would only make a third.
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

    /// Every new or changed picture is taken twice; only equal ones become references.
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
