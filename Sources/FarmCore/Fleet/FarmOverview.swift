// The state of a farm at one moment, for its operator: what needs a person comes first.

/// The state of a farm at one moment.
package struct FarmOverview: Hashable, Sendable, Codable {
    /// The open work of one team.
    package struct TeamLine: Hashable, Sendable, Codable {
        package var team: String
        package var weight: Int
        package var openRuns: Int
        /// The number of test cases without a lease and without a verdict.
        package var waiting: Int
        package var leases: Int
        /// The bytes of the artifacts of the team's runs after the last retention, or `nil` if the
        /// team has no limit of them.
        package var keptBytes: Int?
        /// The team's limits, or `nil` if it has none.
        package var quota: TeamQuota?

        package init(_ team: Team) {
            self.team = team.name
            weight = team.weight
            quota = team.quota
            openRuns = 0
            waiting = 0
            leases = 0
        }

        /// The kept bytes beside their limit, such as `1.5 GB of 20 GB`; `nil` without a limit.
        package var keptText: String? {
            quota?.bytes.map { limit in
                "\(keptBytes.map(ByteSize.text) ?? "?") of \(ByteSize.text(limit))"
            }
        }
    }

    /// The waiting test cases of one cell of a pipeline.
    package struct QueueLine: Hashable, Sendable, Codable {
        package var pipeline: String
        package var cell: CellID
        package var waiting: Int

        package init(pipeline: String, cell: CellID, waiting: Int) {
            self.pipeline = pipeline
            self.cell = cell
            self.waiting = waiting
        }
    }

    /// A worker and its live lease.
    package struct WorkerLine: Hashable, Sendable, Codable {
        package var worker: WorkerID
        package var state: WorkerLiveness
        /// The time of the worker's last call, in ISO 8601.
        package var seen: String
        /// The seconds since the worker's last call.
        package var seenSeconds: Int
        package var lease: LeaseLine?
        package var problem: Problem?

        package init(
            worker: WorkerID,
            state: WorkerLiveness,
            seen: String,
            seenSeconds: Int,
            lease: LeaseLine? = nil,
            problem: Problem? = nil
        ) {
            self.worker = worker
            self.state = state
            self.seen = seen
            self.seenSeconds = seenSeconds
            self.lease = lease
            self.problem = problem
        }
    }

    /// A live lease.
    package struct LeaseLine: Hashable, Sendable, Codable {
        package var run: RunID
        package var pipeline: String
        package var job: JobName
        package var cell: CellID
        /// The test that runs now, or `nil` if the worker has named none yet.
        package var test: TestID?
        /// The seconds since the lease was given.
        package var seconds: Int
        /// The seconds since the lease last started or reported a test.
        package var quietSeconds: Int

        package init(
            run: RunID,
            pipeline: String,
            job: JobName,
            cell: CellID,
            test: TestID?,
            seconds: Int,
            quietSeconds: Int
        ) {
            self.run = run
            self.pipeline = pipeline
            self.job = job
            self.cell = cell
            self.test = test
            self.seconds = seconds
            self.quietSeconds = quietSeconds
        }

        /// Whether the lease has started and reported nothing for so long that a person should look.
        package var isLate: Bool { quietSeconds >= FarmLimits.leaseLateSeconds }
    }

    /// The workers of one launcher.
    package struct LauncherLine: Hashable, Sendable, Codable {
        package var launcher: String
        /// The number of started workers that have not called yet and still may.
        package var coming: Int
        package var live: Int
        /// The number of workers that could not be started, since the coordinator began.
        package var failed: Int

        package init(launcher: String, coming: Int, live: Int, failed: Int) {
            self.launcher = launcher
            self.coming = coming
            self.live = live
            self.failed = failed
        }
    }

    /// The coordinator's own state.
    package struct CoordinatorLine: Hashable, Sendable, Codable {
        /// Whether this coordinator leads; another one may.
        package var leads = true
        /// The number of changes of a shared ledger that this coordinator's copy lacks.
        package var behindChanges: Int64 = 0
        package var diskBytes: Int?
        package var diskFreeBytes: Int?
        package var ledgerBytes: Int?
        /// The time of the last backup, in ISO 8601, or `nil` if there was none.
        package var lastBackup: String?
        package var unjudgedRuns = 0

        package init() {}
    }

    /// The time of the overview, in ISO 8601.
    package var time: String
    /// The problems that need a person, the most important first; their remedies name commands.
    package var needs: [Problem]
    package var teams: [TeamLine]
    /// The cells with the most waiting test cases, largest first.
    package var queue: [QueueLine]
    /// The seconds since the start of the oldest open run with waiting test cases; 0 if none waits.
    package var oldestWaitingSeconds: Int
    package var workers: [WorkerLine]
    package var launchers: [LauncherLine]
    package var coordinator: CoordinatorLine

    package init(
        time: String,
        teams: [TeamLine],
        queue: [QueueLine],
        oldestWaitingSeconds: Int,
        workers: [WorkerLine],
        launchers: [LauncherLine],
        coordinator: CoordinatorLine
    ) {
        self.time = time
        self.teams = teams
        self.queue = queue
        self.oldestWaitingSeconds = oldestWaitingSeconds
        self.workers = workers
        self.launchers = launchers
        self.coordinator = coordinator
        needs = []
    }
}

/// The state of a worker, judged by its calls.
package enum WorkerLiveness: String, Codable, Sendable, Hashable {
    case live
    /// The worker calls and cannot work; its problem gives the reason.
    case unfit
    /// The worker was stopped, and has reported that.
    case left
    /// The worker has made no call for as long as a lease lives.
    case silent
    /// The worker's machine has reported that it is gone.
    case lost
}
