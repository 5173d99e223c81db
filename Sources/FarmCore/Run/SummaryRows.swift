// The rows of a run: cells, test cases, pictures and files.

/// One cell of the matrix.
package struct CellSummary: Hashable, Sendable, Codable {
    package var id: String
    package var device: String
    package var os: String
    package var variant: [String: String]
    /// Every planned test case of the cell has a verdict.
    package var complete: Bool
    package var counts: VerdictCounts

    package init(
        id: String,
        device: String,
        os: String,
        variant: [String: String],
        complete: Bool,
        counts: VerdictCounts
    ) {
        self.id = id
        self.device = device
        self.os = os
        self.variant = variant
        self.complete = complete
        self.counts = counts
    }
}

/// What the leases of one job on one cell took before their first tests: medians, in seconds.
package struct StartSummary: Hashable, Sendable, Codable {
    package var job: String
    package var cell: String
    /// Where the worker's last lease was of the same cell; nil where there was no such lease.
    package var warmSeconds: Double?
    /// Of all other leases; nil as above.
    package var coldSeconds: Double?

    package init(job: String, cell: String, warmSeconds: Double?, coldSeconds: Double?) {
        self.job = job
        self.cell = cell
        self.warmSeconds = warmSeconds
        self.coldSeconds = coldSeconds
    }

    /// Of leases that have ended; nil where none said what it took.
    package static func all(of leases: [LeaseEvidence]) -> [StartSummary]? {
        let timed = leases.filter { $0.start != nil }
        guard !timed.isEmpty else { return nil }
        return Dictionary(grouping: timed) { CellKey(job: $0.job, cell: $0.cell) }
            .sorted { $0.key < $1.key }
            .map { key, leases in
                func median(isWarm: Bool) -> Double? {
                    let starts = leases.compactMap(\.start).filter { $0.isWarm == isWarm }
                        .map(\.seconds).sorted()
                    return starts.isEmpty ? nil : starts[(starts.count - 1) / 2]
                }
                return StartSummary(
                    job: key.job.text,
                    cell: key.cell.text,
                    warmSeconds: median(isWarm: true),
                    coldSeconds: median(isWarm: false)
                )
            }
    }
}

/// One (test case × cell).
package struct TestSummary: Hashable, Sendable, Codable {
    package var job: String
    package var cell: String
    package var test: String
    /// Nil: it got no verdict, so the run is incomplete.
    package var verdict: Verdict?
    package var attempts: Int
    package var seconds: Double
    /// The framework's text or the error's sentence; empty for a pass.
    package var message: String
    /// True where the test chose not to run; its verdict is `passed`, and it is counted as skipped.
    package var skipped: Bool
    /// The end of the test's own output, for failures.
    package var output: String
    package var worker: String
    /// Seconds since the run's start at which the last attempt began.
    package var startedAt: Double
    /// How busy the host was during the last attempt; nil for plain passes and where nobody knows.
    package var load: HostLoad?
    /// It makes the run red, by its job's rules and the quarantine; nil for a pass, and where the
    /// program that wrote the summary did not say.
    package var isRed: Bool?
    /// Its attempts, oldest first; nil for a test that passed at once, and where the program that
    /// wrote the summary did not say.
    package var history: [AttemptSummary]?

    package init(
        job: String,
        cell: String,
        test: String,
        verdict: Verdict?,
        attempts: Int,
        seconds: Double,
        message: String = "",
        skipped: Bool = false,
        output: String = "",
        worker: String = "",
        startedAt: Double = 0,
        load: HostLoad? = nil,
        isRed: Bool? = nil,
        history: [AttemptSummary]? = nil
    ) {
        self.job = job
        self.cell = cell
        self.test = test
        self.verdict = verdict
        self.attempts = attempts
        self.seconds = seconds
        self.message = message
        self.skipped = skipped
        self.output = output
        self.worker = worker
        self.startedAt = startedAt
        self.load = load
        self.isRed = isRed
        self.history = history
    }
}

/// One attempt of a test.
package struct AttemptSummary: Hashable, Sendable, Codable {
    /// What this attempt alone says of the test; nil: its worker was lost.
    package var verdict: Verdict?
    package var seconds: Double
    package var worker: String
    /// The first words of what went wrong; empty for a pass.
    package var message: String
    /// The log of its lease, relative to the output folder; empty where nothing was printed.
    package var log: String

    package init(
        verdict: Verdict?,
        seconds: Double,
        worker: String,
        message: String = "",
        log: String = ""
    ) {
        self.verdict = verdict
        self.seconds = seconds
        self.worker = worker
        self.message = message
        self.log = log
    }
}

/// One picture.
package struct SnapshotSummary: Hashable, Sendable, Codable {
    /// `<cell>/<suite>/<name>`.
    package var id: String
    package var job: String
    package var cell: String
    package var suite: String
    package var name: String
    /// The framework's own identifier, or the name.
    package var identifier: String
    /// The test case that made it; empty where the test program did not say.
    package var test: String
    package var verdict: Verdict
    /// The Git blob id of the reference, or of the predecessor's; empty without one.
    package var reference: String
    /// The id of the picture it succeeds and was compared with; empty for all with a reference of
    /// their own.
    package var predecessor: String
    /// `sha256:` digest of the capture; empty where none was made.
    package var capture: String
    package var width: Int
    package var height: Int
    package var differingPixels: Int
    /// Differing pixels over all, 0…1.
    package var share: Double
    package var largestDelta: Int
    package var clusters: [PixelBox]
    /// What was found, in one line for people.
    package var words: String
    /// Paths relative to the output folder, by `reference`, `failed`, `diff`, `capture`, and `other`
    /// for another take of an unstable picture.
    package var files: [String: String]
    /// It makes the run red; nil as for a test.
    package var isRed: Bool?

    package init(
        id: String,
        job: String,
        cell: String,
        suite: String,
        name: String,
        identifier: String,
        test: String,
        verdict: Verdict,
        reference: String = "",
        predecessor: String = "",
        capture: String = "",
        width: Int = 0,
        height: Int = 0,
        differingPixels: Int = 0,
        share: Double = 0,
        largestDelta: Int = 0,
        clusters: [PixelBox] = [],
        words: String = "",
        files: [String: String] = [:]
    ) {
        self.id = id
        self.job = job
        self.cell = cell
        self.suite = suite
        self.name = name
        self.identifier = identifier
        self.test = test
        self.verdict = verdict
        self.reference = reference
        self.predecessor = predecessor
        self.capture = capture
        self.width = width
        self.height = height
        self.differingPixels = differingPixels
        self.share = share
        self.largestDelta = largestDelta
        self.clusters = clusters
        self.words = words
        self.files = files
    }
}

/// A file people and CI download.
package struct ArtifactSummary: Hashable, Sendable, Codable {
    package var name: String
    package var bytes: Int
    /// Hex of the SHA-256.
    package var sha256: String

    package init(name: String, bytes: Int, sha256: String) {
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
    }
}
