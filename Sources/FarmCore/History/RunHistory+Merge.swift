// The rules by which a run changes the history: what it adds, and which entries are dropped. Only
// tests that ended by themselves are timed: a test that hung took its time limit, which predicts
// nothing.

extension RunHistory {
    /// Adds a run's times, flakiness and tests to the history.
    ///
    /// Pure: the same run and the same history give the same result. A run without a timed test
    /// changes nothing, so that a broken run does not age the entries. `host` is the machine that
    /// ran the tests, or `nil` if it is unknown or there were several.
    package mutating func add(_ summary: RunSummary, host: String? = nil) {
        let timed = summary.tests.filter(Self.isTimed)
        guard !timed.isEmpty else { return }
        runs += 1
        for test in timed {
            let key = TestKey(
                job: JobName(test.job),
                cell: CellID(test.cell),
                test: TestID(test.test)
            )
            var known = tests[key] ?? TestHistory()
            known.samples = Self.newest(known.samples + [Self.microseconds(test.seconds)])
            known.seen = runs
            if test.verdict == .flaky { known.flaky += 1 }
            tests[key] = known
        }
        for start in summary.starts ?? [] {
            let key = CellKey(job: JobName(start.job), cell: CellID(start.cell))
            if let seconds = start.coldSeconds { add(seconds, to: &starts[key]) }
            if let seconds = start.warmSeconds { add(seconds, to: &launches[key]) }
        }
        alternates.add(summary)
        for row in summary.cleanRuns ?? [] { add(row) }
        record(summary, host: host)
        if let names = CompleteRun(of: summary) {
            let others = completes.filter { $0.branch != names.branch }
            completes = Array(([names] + others).prefix(FarmLimits.historyBranchesMax))
        }
        shrink()
    }

    /// Adds the clean runs of a quarantine entry; one that has left stays so.
    private mutating func add(_ row: CleanRuns) {
        let before = cleanRuns[row.key]?.count ?? 0
        let count = before >= row.needed ? before : row.count
        cleanRuns[row.key] = CleanCount(count: count, seen: runs)
        guard cleanRuns.count > FarmLimits.quarantineMax else { return }
        let oldest = cleanRuns.min { ($0.value.seen, $0.key) < ($1.value.seen, $1.key) }
        if let oldest { cleanRuns[oldest.key] = nil }
    }

    private func add(_ seconds: Double, to known: inout StartHistory?) {
        let samples = (known?.samples ?? []) + [Self.microseconds(seconds)]
        known = StartHistory(samples: Self.newest(samples), seen: runs)
    }

    /// Drops the entries that runs used longest ago, until the history is within its limits.
    ///
    /// Entries of equal age are dropped from the end of their order, so that all machines agree.
    package mutating func shrink(
        testsMax: Int = FarmLimits.historyTestsMax,
        bytesMax: Int = FarmLimits.historyBytesMax
    ) {
        var named = completes.reduce(0) { $0 + $1.bytes }
        while named > bytesMax / 4, let oldest = completes.popLast() { named -= oldest.bytes }
        let kept = alternates.bytes + 80 * cleanRuns.count + (reuse?.bytes ?? 0)
        let others = recorded.reduce(kept) { $0 + $1.bytes }
        var left = bytesMax - named - others - 4_096
        let order = tests.sorted { one, other in
            one.value.seen == other.value.seen
                ? one.key < other.key : one.value.seen > other.value.seen
        }
        let count = starts.count + launches.count
        let all = order.reduce(0) { $0 + Self.bytes($1.key, $1.value) } + count * Self.startBytes
        guard tests.count > testsMax || count > testsMax || all > left else { return }
        let keptMax = min(testsMax, max(0, left / 8 / Self.startBytes)) / 2
        starts = Self.newest(starts, keptMax)
        launches = Self.newest(launches, keptMax)
        left -= (starts.count + launches.count) * Self.startBytes
        tests = [:]
        for (key, known) in order.prefix(testsMax) {
            left -= Self.bytes(key, known)
            guard left >= 0 else { break }
            tests[key] = known
        }
    }

    private static let startBytes = 600

    /// Returns the most bytes that one entry takes in the file; JSON's escapes may double its
    /// names.
    private static func bytes(_ key: TestKey, _ known: TestHistory) -> Int {
        known.results.reduce(2 * key.test.text.utf8.count + 240) { $0 + $1.bytes }
    }

    private static func newest(
        _ starts: [CellKey: StartHistory],
        _ count: Int
    ) -> [CellKey: StartHistory] {
        let order = starts.sorted { one, other in
            one.value.seen == other.value.seen
                ? one.key < other.key : one.value.seen > other.value.seen
        }
        return Dictionary(uniqueKeysWithValues: order.prefix(count).map { ($0.key, $0.value) })
    }

    private static func newest(_ samples: [Int]) -> [Int] {
        Array(samples.suffix(FarmLimits.historySamplesMax))
    }

    private static func isTimed(_ test: TestSummary) -> Bool {
        guard let verdict = test.verdict, test.attempts > 0, !test.skipped else { return false }
        return verdict != .errored && verdict != .unreached && test.seconds.isFinite
            && test.seconds >= 0
    }

    /// Returns the seconds as whole microseconds, at least 1: no test is free.
    static func microseconds(_ seconds: Double) -> Int {
        Int((min(max(0, seconds), FarmLimits.historySecondsMax) * 1_000_000).rounded(.up))
            .clamped(to: 1...Int(FarmLimits.historySecondsMax * 1_000_000))
    }
}

extension CompleteRun {
    /// Makes the list of the tests that a complete run had, or `nil` if the run is not complete.
    ///
    /// Vanished tests stay in the names until their loss is accepted: the next run is red, too.
    package init?(of summary: RunSummary) {
        let isWhole = [.passed, .failed].contains(summary.state) && !summary.run.filtered
        guard isWhole, summary.run.shard == nil, summary.counts.withoutVerdict == 0 else {
            return nil
        }
        var names: [JobName: Set<TestID>] = [:]
        for test in summary.tests {
            names[JobName(test.job), default: []].insert(TestID(test.test))
        }
        for (job, tests) in summary.vanished ?? [:] {
            names[JobName(job), default: []].formUnion(tests.map { TestID($0) })
        }
        self.init(
            run: summary.run.id,
            branch: summary.run.branch,
            set: summary.run.set,
            tests: names.mapValues { $0.sorted() },
            proof: summary.proof
        )
    }

    /// The most bytes that the run takes in the history's file.
    fileprivate var bytes: Int {
        let parts = (proof?.inputs ?? [:]).reduce(0) { $0 + 2 * $1.key.utf8.count + 90 }
        return tests.reduce(800 + parts + 2 * (branch.utf8.count + set.utf8.count)) { sum, job in
            job.value.reduce(sum + 2 * job.key.text.utf8.count + 16) {
                $0 + 2 * $1.text.utf8.count + 8
            }
        }
    }
}

extension [Int] {
    /// The lower of the two middle values; 0 if there are none.
    package var median: Int { isEmpty ? 0 : sorted()[(count - 1) / 2] }

    /// The smallest value that nine of ten values do not exceed; 0 if there are none.
    package var p90: Int { isEmpty ? 0 : sorted()[(count * 9 + 9) / 10 - 1] }
}

extension Int {
    func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
