// A job of a pipeline. Leases send it to workers, so it is plain data.

/// The kind of a job: a snapshot job's tests make pictures, a unit job's do not.
package enum JobKind: String, Hashable, Sendable, Codable, CaseIterable {
    case unit, snapshot
}

/// The judge of a job: snapfarm or the framework decides whether a picture changed.
package enum Judge: String, Hashable, Sendable, Codable, CaseIterable {
    /// snapfarm decides: it compares captures with the reference set.
    case farm
    /// The test's own result decides.
    ///
    /// Its reference, failed and diff pictures are collected, and shown with snapfarm's
    /// measurement.
    case framework
}

/// Whether a job fails for a verdict that is red by default, or accepts it.
package enum Leniency: String, Hashable, Sendable, Codable, CaseIterable {
    case fail, accept
}

/// The time limits of a job's tests and shards, in seconds.
package struct JobTimeouts: Hashable, Sendable, Codable {
    package var testSeconds: Double
    package var shardSeconds: Double

    package init(testSeconds: Double = 60, shardSeconds: Double = 1800) {
        self.testSeconds = testSeconds
        self.shardSeconds = shardSeconds
    }
}

/// The expected seconds from a lease's grant to its first test, before any lease was measured.
package struct StartGuess: Hashable, Sendable, Codable {
    /// The expected seconds for a worker whose last lease was of the same cell.
    package var warmSeconds: Double
    /// The expected seconds for any other worker; at least `warmSeconds`.
    package var coldSeconds: Double

    package static let none = StartGuess(warmSeconds: 0, coldSeconds: 0)

    package init(warmSeconds: Double, coldSeconds: Double) {
        self.warmSeconds = warmSeconds
        self.coldSeconds = coldSeconds
    }
}

/// The rule by which test cases of a job inherit their verdicts while their inputs are unchanged.
package struct ReuseRule: Hashable, Sendable, Codable {
    /// The part of the inheritable test cases that run all the same, in percent, from 0 to 100; at
    /// least `FarmLimits.reuseSampleMin` do.
    package var samplePercent: Double

    package static let usual = ReuseRule(samplePercent: 2)

    package init(samplePercent: Double) { self.samplePercent = samplePercent }
}

/// A job of a pipeline, with all its settings.
///
/// Plans contain its JSON, so a new field must be optional.
package struct Job: Hashable, Sendable, Codable {
    package var name: JobName
    package var kind: JobKind
    package var driver: DriverSettings
    package var judge: Judge
    /// The framework that makes the job's pictures, or `nil` if the job names none.
    package var framework: FrameworkProfile?
    package var comparison: ComparisonRules
    package var timeouts: JobTimeouts
    /// The number of further attempts of a test case after a bad attempt.
    package var retries: Int
    /// The number of times that a test case with a new picture runs before the picture may become a
    /// reference, or `nil` for once.
    package var repeatNew: Int?
    /// Whether the job runs alone: no other job of the run is leased while one of its leases lives.
    package var exclusive: Bool
    package var env: [String: String]
    package var bundle: [String]
    /// The rule for inheriting verdicts, or `nil` if all test cases run in every run.
    package var reuse: ReuseRule?
    /// The patterns of the files that the tests read, relative to the pipeline file's folder, or
    /// `nil` if the driver alone decides.
    package var inputs: [String]?
    /// The patterns of `<suite>/<name>` of pictures whose content never changes, which show how
    /// another renderer draws, or `nil` if there are none.
    package var probes: [String]?
    package var new: Leniency
    package var moved: Leniency
    package var flaky: Leniency
    /// Whether tests of the last complete run may be absent from the plan; `nil` means that they
    /// may not.
    package var vanished: Leniency?
    /// The needs of the job's workers, or `nil` if there are none.
    package var needs: Needs?
    /// The driver's guess of the time from a lease to its first test, or `nil` if the driver has
    /// none.
    package var startGuess: StartGuess?
    /// The advice to the user if the snapshot job made no picture, or `nil` if the job's tests
    /// write pictures themselves.
    package var pictureRemedy: String?
    /// The job's cells in matrix order; `[.host]` for a job without a matrix.
    package var cells: [Cell]

    package init(
        name: JobName,
        kind: JobKind,
        driver: DriverSettings,
        judge: Judge = .farm,
        framework: FrameworkProfile? = nil,
        comparison: ComparisonRules = ComparisonRules(),
        timeouts: JobTimeouts = JobTimeouts(),
        retries: Int = 0,
        repeatNew: Int? = nil,
        exclusive: Bool = false,
        env: [String: String] = [:],
        bundle: [String] = [],
        new: Leniency = .fail,
        moved: Leniency = .fail,
        flaky: Leniency = .accept,
        vanished: Leniency? = nil,
        needs: Needs? = nil,
        startGuess: StartGuess? = nil,
        pictureRemedy: String? = nil,
        cells: [Cell] = [.host]
    ) {
        self.name = name
        self.kind = kind
        self.driver = driver
        self.judge = judge
        self.framework = framework
        self.comparison = comparison
        self.timeouts = timeouts
        self.retries = retries
        self.repeatNew = repeatNew
        self.exclusive = exclusive
        self.env = env
        self.bundle = bundle
        self.new = new
        self.moved = moved
        self.flaky = flaky
        self.vanished = vanished
        self.needs = needs
        self.startGuess = startGuess
        self.pictureRemedy = pictureRemedy
        self.cells = cells
    }
}

extension Job {
    /// Whether the job's frameworks record their pictures in this mode, because snapfarm compares.
    package func records(in mode: RunMode) -> Bool {
        kind == .snapshot && (mode == .record || judge == .farm)
    }

    /// Whether a text is a name of an environment variable: letters, digits and `_`, no digit
    /// first.
    package static func isVariable(_ name: String) -> Bool {
        name.utf8.first.map { !(48...57).contains($0) } == true
            && name.utf8.allSatisfy {
                $0 == 95 || (48...57).contains($0) || (65...90).contains($0)
                    || (97...122).contains($0)
            }
    }
}
