// The results that the history records, so that flaky tests are found without a ledger: only those
// of tests that were bad or flaky in one of the recorded runs.
//
// Invariants
//   - Runs and results are limited in number, and their texts in length.
//   - A test whose recorded results are all good has none: its next ones are not recorded.

/// A run with recorded results.
package struct RecordedRun: Hashable, Sendable, Codable {
    /// The number of the run, in terms of ``RunHistory/runs``.
    package var number: Int
    package var id: String
    package var commit: String
    package var branch: String
    /// The start of the run, in ISO 8601.
    package var started: String
    /// The machine that ran the tests, or `nil` if there were several.
    package var host: String?
    /// The code of a fault of the farm during the run, or `nil` if there was none.
    package var fault: String?

    /// The most bytes that the run takes in the history's file.
    var bytes: Int {
        let texts = [id, commit, branch, started, host, fault].compactMap(\.self)
        return texts.reduce(120) { $0 + 2 * $1.utf8.count }
    }
}

/// The result of a test case in a recorded run.
package struct RecordedResult: Hashable, Sendable, Codable {
    /// The number of the run, like ``RecordedRun/number``.
    package var run: Int
    /// The verdict, or `nil` for `passed`.
    package var verdict: Verdict?
    /// The verdict of the last bad attempt of a flaky test.
    package var attempt: Verdict?
    /// The worker of the last bad attempt.
    package var worker: String?
    /// The first words about the fault or the picture that differed.
    package var words: String?
    /// The milliseconds of the attempts that another one followed.
    package var retryMilliseconds: Int?
    /// The host's load during the bad attempt, in percent.
    package var load: Int?

    /// Whether the result is bad or flaky.
    var isBad: Bool { verdict.map { $0 == .flaky || FlakyTest.isBad($0) } ?? false }

    /// The most bytes that the result takes in the history's file; JSON's escapes may take six for
    /// one.
    var bytes: Int { 160 + 6 * ((worker?.utf8.count ?? 0) + (words?.utf8.count ?? 0)) }

    /// Whether another program may have written the result.
    var isSound: Bool {
        (words?.utf8.count ?? 0) <= 4 * FarmLimits.historyWordsMax
            && (worker?.utf8.count ?? 0) <= FarmLimits.labelBytesMax
            && (0...Int(FarmLimits.historySecondsMax * 1_000)).contains(retryMilliseconds ?? 0)
            && (0...100).contains(load ?? 0)
    }

    package init(run: Int) { self.run = run }

    /// Makes the record of a test that was bad or flaky; `picture` has the words about its first
    /// picture that differed.
    fileprivate init(run: Int, _ test: TestSummary, picture: String?) {
        self.run = run
        verdict = test.verdict
        let bad = (test.history ?? []).last { $0.verdict != .passed }
        attempt = test.verdict == .flaky ? bad?.verdict : nil
        worker = bad?.worker ?? test.worker
        let words = picture ?? bad?.message ?? test.message
        let line = words.prefix { !$0.isNewline }.unicodeScalars
        self.words = line.isEmpty ? nil : String(line.prefix(FarmLimits.historyWordsMax))
        let seconds = (test.history ?? []).dropLast().reduce(0) { $0 + $1.seconds }
        retryMilliseconds = seconds > 0 ? RunHistory.microseconds(seconds) / 1_000 : nil
        // The summary has the load of the last attempt only.
        load = test.verdict == .flaky ? nil : test.load.map { Int(($0.waiting * 100).rounded()) }
    }
}

extension RunHistory {
    /// Records the run that was added last, which has the number ``runs``.
    mutating func record(_ summary: RunSummary, host: String?) {
        guard summary.run.mode == .verify, [.passed, .failed].contains(summary.state) else {
            return
        }
        recorded.append(
            RecordedRun(
                number: runs,
                id: summary.run.id,
                commit: summary.run.commit,
                branch: summary.run.branch,
                started: summary.run.started,
                host: host,
                fault: summary.problems.map(\.code).first { Problem.farmFaults.contains($0) }
            )
        )
        recorded = recorded.suffix(FarmLimits.historyRecordedMax)
        let pictures = summary.openPictures.filter { !$0.test.isEmpty }
        let words = Dictionary(pictures.map { ($0.testKey, "\($0.name): \($0.words)") }) {
            first,
            _ in first
        }
        for test in summary.tests {
            guard let verdict = test.verdict, verdict != .unreached, verdict != .inherited,
                !test.skipped,
                var known = tests[test.key]
            else { continue }
            let isBad = verdict == .flaky || FlakyTest.isBad(verdict)
            guard isBad || !known.results.isEmpty else { continue }
            known.results.append(
                isBad
                    ? RecordedResult(run: runs, test, picture: words[test.key])
                    : RecordedResult(run: runs)
            )
            tests[test.key] = known
        }
        dropOldResults()
    }

    private mutating func dropOldResults() {
        let oldest = recorded.first?.number ?? 0
        var kept: [(key: TestKey, count: Int, turns: Int)] = []
        for (key, known) in tests where !known.results.isEmpty {
            let recent = known.results.filter { $0.run >= oldest }
            let results = recent.contains(where: \.isBad) ? recent : []
            tests[key]?.results = results
            let turns = zip(results, results.dropFirst()).count { $0.isBad != $1.isBad }
            kept.append((key, results.count, turns + results.count { $0.verdict == .flaky }))
        }
        // In a broken app thousands of tests are bad, and none turns.
        kept.sort { $0.turns == $1.turns ? $0.key < $1.key : $0.turns > $1.turns }
        var left = FarmLimits.historyResultsMax
        for (key, count, _) in kept {
            left -= count
            if left < 0 { tests[key]?.results = [] }
        }
    }
}

extension TestSummary {
    fileprivate var key: TestKey {
        TestKey(job: JobName(job), cell: CellID(cell), test: TestID(test))
    }
}

extension SnapshotSummary {
    fileprivate var testKey: TestKey {
        TestKey(job: JobName(job), cell: CellID(cell), test: TestID(test))
    }
}

// MARK: flaky tests

extension RunHistory {
    /// Returns the tests that were flaky in the newest `limit` recorded runs.
    package func flaky(runs limit: Int) -> FlakyTests {
        let runs = recorded.suffix(limit)
        let named = Dictionary(runs.map { ($0.number, $0) }) { first, _ in first }
        let faults = Dictionary(runs.compactMap { run in run.fault.map { (run.day, $0) } }) {
            first,
            _ in first
        }
        let histories = tests.sorted { $0.key < $1.key }.compactMap { key, known in
            let results = known.results.reversed().compactMap { result in
                named[result.run].map { run in
                    TestVerdicts.Result(result, of: run, fault: faults[run.day])
                }
            }
            return results.isEmpty
                ? nil
                : TestVerdicts(job: key.job, cell: key.cell, test: key.test, results: results)
        }
        return FlakyTests(runs: runs.count, histories: histories)
    }
}

extension RecordedRun {
    fileprivate var day: String { String(started.prefix(10)) }
}

extension TestVerdicts.Result {
    fileprivate init(_ result: RecordedResult, of run: RecordedRun, fault: String?) {
        var attempts: [AttemptNote] = []
        if result.isBad, let verdict = result.verdict {
            attempts.append(
                AttemptNote(
                    worker: WorkerID(result.worker ?? ""),
                    host: run.host,
                    ending: verdict == .flaky
                        ? result.attempt?.rawValue ?? "lost" : verdict.rawValue,
                    message: result.words ?? "",
                    load: result.load.map { Double($0) / 100 }
                )
            )
        }
        self.init(
            run: RunID(run.id),
            commit: run.commit,
            branch: run.branch,
            started: run.started,
            verdict: result.verdict ?? .passed,
            attempts: attempts,
            fault: fault
        )
        retries = Double(result.retryMilliseconds ?? 0) / 1_000
    }
}
