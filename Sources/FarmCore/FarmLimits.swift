// The limits of the farm, with unit and reason; those of one part are in `FarmLimits+PART.swift`.

/// Limits that protect the farm from its inputs.
package enum FarmLimits {
    // MARK: pictures

    /// Pixels of one picture: four times the largest long-scroll capture seen in real histories
    /// (1125×20000); 400 MB as RGBA8.
    package static let picturePixelsMax = 100_000_000
    /// Bytes of one picture's samples while it is decoded: those of the most pixels as RGBA8.
    ///
    /// With 16 bits per sample half as many pixels fit; interlaced, a quarter, because the samples
    /// exist twice. Two pictures on each of two cores stay below 4 GB with all that decoding needs.
    package static let pictureMemoryBytesMax = 400_000_000
    /// Bytes of one PNG file: over ten times the largest of 4,045 real references.
    package static let pictureBytesMax = 64 << 20
    /// Chunks of one PNG file: ten times what a file of the largest size has in blocks of 8 KB.
    package static let pictureChunksMax = 100_000
    /// Bytes of memory kept for the next picture: the two of one comparison on each of two cores,
    /// at the size of most captures.
    package static let pixelPoolBytesMax = 128 << 20
    /// Boxes reported for one difference; a reader looks at a handful.
    package static let clustersMax = 16
    /// Pictures of one screen that are compared with each other, in portions to bound the work:
    /// more than most matrices have cells.
    package static let likePicturesMax = 200
    /// Ignored boxes of one list or mask of a pipeline.
    ///
    /// A mask with round corners has some hundred; each differing row is checked against all.
    package static let ignoredBoxesMax = 1_000

    /// Bytes of the thumbnails in one data folder: those of 20,000 pictures.
    package static let thumbnailsBytesMax = 512 << 20

    // MARK: pipeline

    /// Bytes of a pipeline or scenes file.
    package static let pipelineBytesMax = 4 << 20
    /// Mistakes of one file that are reported: a reader mends the first and runs again.
    package static let documentProblemsMax = 100
    /// Letters of one reported mistake: three lines of a terminal.
    package static let documentProblemLettersMax = 400
    /// Nesting of YAML: three times what a pipeline needs; deeper files are attacks.
    package static let pipelineDepthMax = 32
    /// Nesting of a driver's settings in a message, from the message's root: that of a pipeline
    /// file, and of the message around it.
    package static let jsonDepthMax = 2 * pipelineDepthMax
    /// Values of a pipeline file: twice as many as fit into its bytes; aliases repeat values.
    package static let pipelineValuesMax = 1_000_000
    /// Cells of one job's matrix: 40 devices × 10 locales × 2 appearances, and room.
    package static let cellsMax = 2_000
    /// Test cases of one run.
    package static let plannedTestsMax = 2_000_000
    /// Entries of one list of a pipeline (jobs, renames, overrides, patterns, variables): each is
    /// checked for every picture or file.
    package static let rulesMax = 1_000
    /// Screens that a pipeline names: ten times those of a large app.
    package static let screensMax = 10_000
    /// Seconds of a job's time limits: a day; no user waits longer for a run.
    package static let timeoutSecondsMax = 86_400.0
    /// Points of a side of a device: five times the largest display.
    package static let devicePoints = 1...20_000
    /// Pixels per point: twice the sharpest display, half of the coarsest.
    package static let deviceScales = 0.5...8
    /// Bytes of one fact of a submitter about its run: a page's longest address, with room.
    package static let factBytesMax = 4_096
    /// Bytes of one pattern of names: twice the longest folder or file name.
    package static let patternBytesMax = 512
    /// Bytes of a picture's path below the folder of its framework: a picture's name, and the
    /// folders of a source tree before it.
    package static let picturePathBytesMax = 4_096
    /// Bytes read to find the fields of a framework's pattern in one path: a thousand times the
    /// usual.
    package static let pictureLookBytesMax = 2_000_000
    /// Bytes of one profile of a framework: ten times the longest of ours.
    package static let profileBytesMax = 64 << 10
    /// Milliseconds between two checks whether another lease has given back a source tree.
    package static let treeLookMilliseconds = 100
    /// Folders of a source tree that a framework writes into: ten times those of a large app.
    package static let borrowedFoldersMax = 20_000
    /// Bytes of a list's patterns × bytes of the longest name: matching takes a second at most for
    /// each failing test or picture; a list of 1,000 usual patterns has a thousandth of the limit.
    package static let patternStepsMax = 250_000_000
    /// Bytes of the name of a device or value, or of a reason: the longest test case id.
    package static let labelBytesMax = 4_096
    /// Cells of all jobs of a pipeline together: ten times those of one.
    package static let matrixMax = 20_000
    /// Mistakes of one plan that are listed; the rest are only counted.
    package static let planMistakesMax = 20

    // MARK: archives from elsewhere

    /// Files of one zip: three pictures of each of 60,000 snapshots, and room.
    package static let archiveEntriesMax = 250_000
    /// Bytes of a zip's directory: as many entries of the longest usual paths.
    package static let archiveDirectoryBytesMax = 128 << 20
    /// Unpacked bytes of a whole zip; each file has its own limit beside it.
    package static let archiveBytesMax = 64 << 30
    /// Bytes of the manifest of a run's zip: 60,000 changed pictures.
    package static let manifestBytesMax = 256 << 20

    // MARK: decisions

    /// Decisions in one call: every picture of a run whose zip can still be read, and room.
    package static let decisionsPerCallMax = 100_000
    /// Pictures of one message with decisions: those with the longest names fit into half of it.
    package static let decisionsPerMessageMax = 20_000
    /// Decisions kept of one pipeline: a few for each of 60,000 pictures.
    package static let decisionsMax = 250_000
    /// Decisions that remain after a cleanup: it takes a second, so it must not run for each
    /// decision.
    package static let decisionsKept = 225_000
    /// Days for which a decision is kept at least; a longer pull request is reviewed again.
    package static let decisionDays = 400
    /// Bytes of the reason of a decision: a page of text.
    package static let decisionReasonBytesMax = 4_096
    /// Bytes of a person's name: the longest name and address of an e-mail.
    package static let personBytesMax = 320

    /// Attempts to commit a pin to a branch that moves meanwhile.
    package static let pinCommitAttemptsMax = 8
    /// Bytes of a comment that contains decisions: GitHub's limit, and room.
    package static let reviewCommentBytesMax = 256 << 10

    // MARK: tests

    /// Bytes kept of one lease's log; a test that prints more is ended.
    package static let logBytesMax = 16 << 20
    /// Bytes kept of one test's own output in its result.
    package static let resultOutputBytesMax = 16 << 10
    /// Bytes that a discovery may print.
    package static let discoveryBytesMax = 64 << 20
    /// Seconds that a discovery, with its build, may take.
    package static let discoverySecondsMax = 3_600.0
    /// Bytes of one test case id.
    package static let testIDBytesMax = 4_096
    /// Bytes of all JUnit files of one command together.
    package static let junitBytesMax = 64 << 20
    /// Bytes of text of all cases of one JUnit file: four times its bytes, because each case
    /// repeats its suite's file.
    package static let junitTextBytesMax = 256 << 20
    /// Nested elements of a results file: ten times what any program writes.
    package static let xmlDepthMax = 64
    /// Bytes of an element's or attribute's name: ten times the longest of any program.
    package static let xmlNameBytesMax = 1_000
    /// Bytes kept of an attribute's value: as many as libxml2 reads.
    package static let xmlValueBytesMax = 10_000_000
    /// Failures of one test case that are read; people read the first.
    package static let failuresPerTestMax = 20
    /// Seconds that a results file may claim of one test: a day, longer than any time limit.
    package static let resultSecondsMax = 86_400.0
    /// Seconds to read results after the shard's time is over: ten times the largest files'.
    package static let resultsReadingSecondsMin = 10.0
    /// Seconds that a simulator's first boot may take: it migrates its system's data, which took
    /// more than 150 and 240 s on machines of CI providers.
    package static let simulatorFirstBootSeconds = 360.0
    /// Seconds that a simulator's later boot may take: as long as other test runners wait.
    package static let simulatorBootSeconds = 120.0
    /// Seconds that a simulator's SpringBoard may take to come back after it was ended: scripts in
    /// public repositories wait 2 to 9 s.
    package static let springBoardSeconds = 30.0
    /// Days after its first boot for which a machine keeps a simulator (`SNAPFARM_SIMULATORS=keep`).
    package static let simulatorKeptDaysMax = 14
    /// The number of simulators that a machine keeps: each has a gigabyte or two of data.
    package static let simulatorsKeptMax = 12
    /// Seconds within which the first test of a launch must start on its simulator.
    package static let testsStartSeconds = 150.0
    /// Seconds for which a simulator may be missing in `simctl`'s list.
    package static let simulatorListSeconds = 120.0
    /// Seconds that one command of `simctl` may take, except a boot.
    package static let simctlSeconds = 120.0
    /// Seconds that reading the result bundle of one launch may take: one attachment for each test
    /// of the largest lease.
    package static let resultBundleSeconds = 600.0
    /// Pictures of one lease.
    package static let capturesPerLeaseMax = 20_000
    /// Free bytes below which a failed test does not count: the full disk may be the cause.
    package static let scratchBytesMin = 512 << 10
    /// Seconds for which a child process may go on after SIGTERM, before SIGKILL.
    package static let terminationGraceSeconds = 2.0
    /// Seconds for which a worker process may go on after SIGTERM, before SIGKILL: it deletes its
    /// simulators.
    package static let workerGraceSeconds = 10.0

    // MARK: leases

    /// Seconds for which a lease lives without renewal: three missed renewals.
    package static let leaseSeconds = 30.0
    /// Seconds between two renewals of a lease.
    package static let renewalSeconds = 10.0
    /// Attempts of one test case, however they end.
    package static let attemptsMax = 3
    /// Divisor of a run's test cases that gives its retries.
    ///
    /// A run with more than a fifth of failures is broken, not flaky; further attempts would only
    /// delay its result.
    package static let retriesShare = 5
    /// Retries that every run may have at least; a fifth of a small run would be a handful.
    package static let retriesPerRunMin = 50
    /// Runs of each test case that `--repeat` may request.
    package static let repeatsMax = 100
    /// Share of a test's busiest half second with work that waits for a CPU, above which the host
    /// is overloaded: a failure there only counts if the test also fails isolated.
    ///
    /// `docs/adr/0015-overload.md` derives the number.
    package static let hostWaitingMax = 0.88
    /// Entries of one quarantine: each is checked for every failure.
    package static let quarantineMax = 1_000
    /// Expected seconds of a test before the first test of its job has ended.
    package static let testSecondsGuess = 1.0
    /// Seconds of tests that are worth a lease: six times the pause between two leases
    /// (`ScheduleSimulation.leaseCost`), and too few for a worker to idle noticeably at the end.
    package static let leaseWorkSecondsMin = 0.1
    /// Test cases of one lease.
    package static let testsPerLeaseMax = 5_000
    /// Multiple of the expected time after which a test counts as slow: idle workers take the rest
    /// of its lease.
    ///
    /// The expected time is the 90th percentile, so that few tests are slow.
    package static let stragglerFactor = 3.0
    /// Seconds before which no test of a known time counts as slow: another worker's start costs as
    /// much.
    package static let stragglerSecondsMin = 5.0
    /// Seconds before which no test counts as slow if only the average of its job is known: the
    /// first on a cell may boot a device.
    package static let stragglerUnlearnedSecondsMin = 20.0
    /// Seconds between two checks of an unfit worker whether it is fit again.
    package static let unfitSeconds = 10.0
    /// Test cases in a lease of a worker on which nothing has passed yet, and failures after which
    /// such a worker is suspended.
    package static let unprovenTestsMax = 10
    /// Divisor of a run's test cases that gives the failures after which a worker is suspended:
    /// 2.5 %, half of what a sick worker may cost.
    package static let suspendingShare = 40
    /// Most failures after which a worker is suspended, for large runs.
    package static let suspendingMax = 50
    /// Seconds for which a worker stays suspended, and for which a started worker is expected to
    /// call.
    package static let suspendedSeconds = 120.0
    /// Seconds for which a claim waits for work before the answer "none".
    ///
    /// Hundreds of idle workers repeat their claims that often. It is shorter than a lease, so that
    /// waiting workers count as alive.
    package static let claimWaitSeconds = 20.0

    /// Longest pause between two attempts to reach a coordinator that is away, in seconds.
    package static let retryPauseSecondsMax = 3.0
    /// Reports that a worker holds before its tests must wait for the network.
    package static let reportsWaitingMax = 2_000
    /// Seconds for which a report waits for others of its lease once the test programs have ended;
    /// a worker that dies meanwhile loses it, and the test runs again.
    package static let reportsWaitSeconds = 0.25
    /// Reports in one message: one transaction of the ledger.
    package static let reportsPerMessageMax = 500
    /// Started tests in one renewal; the next renewal has the rest.
    package static let startsPerRenewalMax = 500
    /// Seconds of one report: the largest time limit, and the ending after it.
    package static let reportSecondsMax = 2 * 86_400.0
    /// Bytes of one text of a report (a failure's words, a test's output): a framework's longest
    /// message, and over ten times what drivers keep of the output.
    package static let reportTextBytesMax = 256 << 10
    /// Facts in a lease's description of what drew its pictures.
    package static let rendererFactsMax = 100
    /// Bytes of a picture's name with its cell and folders: with job and role before it, 2,000 of a
    /// path's 4,096 bytes are left for the output folder.
    package static let snapshotNameBytesMax = 1_500

    /// Longest pause before a run that could not be judged is tried again, in seconds; pauses
    /// double from one second, so that a store's return is noticed and a lost store costs little.
    package static let judgePauseSecondsMax = 300.0
    /// Seconds for which a coordinator tries to judge a run of its users, three of the longest
    /// pauses: a restarted host is back by then, and a waiting CI job still runs.
    package static let judgeTriesSeconds = 900.0
    /// Seconds after which a judgement counts as hanging, and a cancel no longer waits for it:
    /// several times what the largest run takes with a store that answers.
    package static let judgeSecondsMax = 30.0
    /// Runs that are judged at the same time, without hanging ones: each holds all its reports in
    /// memory.
    package static let judgementsAtOnce = 8
    /// Threads that wait for one store at the same time; reads of a store take turns anyway.
    package static let storeThreadsMax = 4
    /// Calls that wait for a thread of one store: hundreds of workers request a few cells each.
    package static let storeCallsWaitingMax = 1_000

    // MARK: check

    /// Broken invariants that one check lists; the rest are only counted.
    package static let brokenInvariantsMax = 1_000

    // MARK: server

    /// Bytes of one JSON body.
    package static let messageBytesMax = 64 << 20
    /// Bytes of one blob: a picture, or a lease's log with room.
    package static let blobBytesMax = 64 << 20
    /// Seconds between two sweeps for expired leases.
    package static let sweepSeconds = 1.0
    /// Seconds between two sweeps after which the coordinator itself must have stood still: as long
    /// as its workers may be silent.
    package static let pauseSeconds = 10.0
    /// Share of a half second in which work waited for a CPU, below which a machine has room for
    /// one more worker: a third of the share that starves tests.
    package static let idleWaitingMax = 0.3
    /// Share of a machine's memory that must be free; with less, it has too many workers.
    package static let freeMemoryMin = 0.1
    /// The most workers of a machine for each one that it starts with: enough for tests that mostly
    /// wait.
    package static let workersPerSlotMax = 4
    /// Initial simulators of a host: more of them slow each other's boot.
    package static let simulatorsPerHost = 3
    /// Seconds between two measurements of a machine's free room.
    package static let roomSeconds = 1.0
    /// Seconds for which a run on a coordinator may wait while no worker takes or ends any of its
    /// tests, unless the configuration says otherwise.
    package static let runSilenceSeconds = 86_400.0
    /// Workers of one `snapfarm run`.
    package static let workersMax = 256
    /// Restarts of dying worker processes, per run.
    package static let workerRestartsMax = 20

    /// The range of a run's priority: enough steps for people, few enough to know them.
    package static let priorities = -100...100

    // MARK: static shards

    /// Machines of one run without a coordinator; CI providers stop at 256.
    package static let shardsMax = 1_000
    /// Bytes of the evidence of one static shard: 60,000 pictures of 4 KB of JSON.
    package static let shardEvidenceBytesMax = 256 << 20
    /// Milliseconds since 1970 beyond which a worker's clock is ignored: the year 2286.
    package static let clockMillisecondsMax: Int64 = 10_000_000_000_000
    /// The most worker counts that one forecast simulates.
    package static let forecastsMax = 20
    // MARK: fleet

    /// Bytes of one JSON body without a plan, reports or pictures.
    package static let smallMessageBytesMax = 64 << 10
    /// Connections of one coordinator: 500 workers with a few each, and people, many times over.
    package static let connectionsMax = 10_000
    /// Seconds for which a connection may be silent: longer than a client keeps an unused one
    /// (60 s), so that the client closes first.
    package static let connectionIdleSeconds = 75.0
    /// Seconds a JSON body may take to arrive.
    package static let bodySeconds = 60.0
    /// Seconds a blob may take to arrive: the largest bundle at 2 MB a second.
    package static let blobSeconds = 1_800.0
    /// Seconds for which the coordinator of one run waits for open calls after the run's end: its
    /// workers have left, and no caller misses the answers.
    package static let loopbackStopSeconds = 1.0
    /// Seconds for which a stopping coordinator waits for its open calls.
    package static let stopSeconds = 15.0
    /// Tokens of one coordinator; each call is checked against all of them.
    package static let tokensMax = 1_000
    /// Bytes of the file of tokens.
    package static let tokenFileBytesMax = 4 << 20
    /// Milliseconds that a login on the pages may last: 30 days.
    package static let sessionMilliseconds: Int64 = 30 * 86_400_000
    /// Logged-out sessions remembered of one token; beyond it, all its earlier sessions end.
    package static let loggedOutMax = 20
    /// Bytes of a cookie's value: several times a session with the longest name.
    package static let cookieBytesMax = 1_024
    /// Hours for which an invitation may be valid: up to two weeks.
    package static let invitationHours = 1...336
    /// Runs on one page of the list.
    package static let runsPerPage = 50
    /// Bytes of a token's name.
    package static let tokenNameBytesMax = 80
    /// Bytes of the name of something that workers offer.
    package static let offerNameBytesMax = 40
    /// Values that one worker offers: 150 simulators, each with and without its runtime, and room.
    package static let offerValuesMax = 400
    /// Bytes of all that one worker offers; twice as many in JSON fit a small message with room.
    package static let offerBytesMax = 16 << 10
    /// Things that one job or device needs, and renderers that drew the references of one cell.
    package static let needsMax = 32
    /// Test cases of the plans that a ledger keeps in memory: 100 open or recent runs of 10,000; a
    /// plan of 60,000 takes 5 MB.
    package static let testCasesKnownMax = 2_000_000
    /// Seconds that a program may take to print its version: Apple's are slow the first time.
    package static let versionSeconds = 30.0
    /// Runs, workers or artifacts in one list.
    package static let listMax = 1_000
    /// Bytes of one bundle: a built app with its resources, and room.
    package static let bundleBytesMax = 2 << 30
    /// Files of one bundle.
    package static let bundleEntriesMax = 100_000
    /// Bytes of one bundle when it is unpacked.
    package static let bundleUnpackedBytesMax = 8 << 30
    /// Bytes of unpacked bundles that a worker's machine keeps; bundles in use stay even beyond it.
    package static let bundleCacheBytesMax = 20 << 30
    /// The most files and folders that are visited to make one bundle.
    package static let bundleVisitsMax = 1_000_000
    /// Longest pause of a worker that finds no coordinator, in seconds; pauses double up to it.
    package static let reconnectSecondsMax = 30.0
    /// Seconds for which a client that follows a run waits for a coordinator that is away.
    package static let followPatienceSeconds = 120.0
    /// Pictures that are downloaded at the same time.
    package static let downloadsAtOnce = 8
}
