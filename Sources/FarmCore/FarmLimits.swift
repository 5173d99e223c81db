// Every limit of the farm, with unit and reason. Nothing grows without a number in this file.

/// Limits that protect the farm from its inputs.
package enum FarmLimits {
    // MARK: pictures

    /// Pixels of one picture: four times the largest long-scroll capture seen in real histories
    /// (1125×20000); 400 MB as RGBA8.
    package static let picturePixelsMax = 100_000_000
    /// Bytes of one picture's samples while it is decoded: those of the most pixels as RGBA8.
    ///
    /// With 16 bits a sample half as many pixels fit, and interlaced a quarter, because they are
    /// there twice. Two of them on each of two cores stay below 4 GB with all that decoding needs.
    package static let pictureMemoryBytesMax = 400_000_000
    /// Bytes of one PNG file: over ten times the largest of 4,045 real references.
    package static let pictureBytesMax = 64 << 20
    /// Chunks of one PNG file: ten times what a file of the largest size has in blocks of 8 KB.
    package static let pictureChunksMax = 100_000
    /// Bytes of memory that wait for the next picture: the two of one comparison on each of two
    /// cores, at the size of most captures.
    package static let pixelPoolBytesMax = 128 << 20
    /// Boxes reported for one difference; a reader looks at a handful.
    package static let clustersMax = 16
    /// Pictures of one screen that are held against each other: more than most matrices have cells,
    /// and an end to the work for one screen on thousands, whose changes are then cut.
    package static let likePicturesMax = 200
    /// Ignored boxes of one list or mask of a pipeline.
    ///
    /// A mask painted with round corners has some hundred; each differing row looks at all of them.
    package static let ignoredBoxesMax = 1_000

    /// Bytes of the thumbnails that one data folder keeps: those of 20,000 pictures.
    package static let thumbnailsBytesMax = 512 << 20

    // MARK: pipeline

    /// Bytes of a pipeline or scenes file.
    package static let pipelineBytesMax = 4 << 20
    /// Mistakes told of one file: a reader mends the first and runs again.
    package static let documentProblemsMax = 100
    /// Letters of one mistake: three lines of a terminal.
    package static let documentProblemLettersMax = 400
    /// Nesting of YAML: three times what a pipeline needs; deeper files are attacks.
    package static let pipelineDepthMax = 32
    /// Nesting of a driver's settings in a message, from its root: those of a pipeline file, and the
    /// message around them.
    package static let jsonDepthMax = 2 * pipelineDepthMax
    /// Values of such a file: twice as many as fit into its bytes; an alias makes one node many.
    package static let pipelineValuesMax = 1_000_000
    /// Cells of one job's matrix: 40 devices × 10 locales × 2 appearances, and room.
    package static let cellsMax = 2_000
    /// (Test case × cell) of one run.
    package static let plannedTestsMax = 2_000_000
    /// Entries of one list of a pipeline (jobs, renames, overrides, patterns, variables): each is
    /// looked at for every picture or file.
    package static let rulesMax = 1_000
    /// Screens that a pipeline names: ten times those of a large app.
    package static let screensMax = 10_000
    /// Seconds of a job's time limits: a day, after which nobody waits for a run.
    package static let timeoutSecondsMax = 86_400.0
    /// Points of a side of a device: five times the largest display.
    package static let devicePoints = 1...20_000
    /// Pixels per point: twice the sharpest display, half of the coarsest.
    package static let deviceScales = 0.5...8
    /// Bytes of one text that a submitter says of its run: the longest address of a page, with room.
    package static let factBytesMax = 4_096
    /// Bytes of one pattern of names: twice the longest folders and names of a picture.
    package static let patternBytesMax = 512
    /// Bytes of the path of a picture below the folder of its framework: those of a picture's name,
    /// and the folders of a source tree before it.
    package static let picturePathBytesMax = 4_096
    /// Bytes looked at to find the fields of a framework's pattern in one path: a thousand times the
    /// usual.
    package static let pictureLookBytesMax = 2_000_000
    /// Bytes of one profile of a framework: ten times the longest of ours.
    package static let profileBytesMax = 64 << 10
    /// Milliseconds between two looks whether another lease gave a source tree back.
    package static let treeLookMilliseconds = 100
    /// Folders of a source tree into which a framework writes: ten times those of a large app.
    package static let borrowedFoldersMax = 20_000
    /// Bytes of a list of patterns times those of the longest name they are tried on: a second at
    /// most for each failing test or picture, where 1,000 usual ones take a thousandth of it.
    package static let patternStepsMax = 250_000_000
    /// Bytes of the name of a device or value, or of a reason: the longest test case id.
    package static let labelBytesMax = 4_096
    /// Cells of all jobs of a pipeline together: ten times those of one.
    package static let matrixMax = 20_000
    /// Mistakes of one plan that are named; of more only the number is said.
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
    /// Pictures of one message that decides: those with the longest names fit into half of it.
    package static let decisionsPerMessageMax = 20_000
    /// Decisions kept of one pipeline: a few of each of 60,000 pictures.
    package static let decisionsMax = 250_000
    /// What stays where there are more: finding what decides nothing takes a second, so it is not done
    /// for each decision.
    package static let decisionsKept = 225_000
    /// Days a decision is kept at least: a pull request that waits longer is looked at again.
    package static let decisionDays = 400
    /// Bytes of the reason of a decision: a page of text.
    package static let decisionReasonBytesMax = 4_096
    /// Bytes of the name of a person: the longest name and address that a mail can have.
    package static let personBytesMax = 320

    /// Times that the commit of a pin is made again because its branch has moved.
    package static let pinCommitAttemptsMax = 8
    /// Bytes of a comment that decides about a run: those that GitHub takes, and room.
    package static let reviewCommentBytesMax = 256 << 10

    // MARK: tests

    /// Bytes kept of one lease's log; a flooding test is ended beyond this.
    package static let logBytesMax = 16 << 20
    /// Bytes kept of one test's own output in its result.
    package static let resultOutputBytesMax = 16 << 10
    /// Bytes discovery may print.
    package static let discoveryBytesMax = 64 << 20
    /// Seconds discovery (with its build) may take.
    package static let discoverySecondsMax = 3_600.0
    /// Bytes of one test case id.
    package static let testIDBytesMax = 4_096
    /// Bytes of the JUnit files that one command leaves, together.
    package static let junitBytesMax = 64 << 20
    /// Bytes of text that the cases of one JUnit file have together: four times its bytes, because a
    /// suite's file is each of its cases' too.
    package static let junitTextBytesMax = 256 << 20
    /// Elements of a results file inside each other: ten times what any program writes.
    package static let xmlDepthMax = 64
    /// Bytes of the name of an element or attribute: ten times the longest of any program.
    package static let xmlNameBytesMax = 1_000
    /// Bytes that are kept of an attribute's value: as many as libxml2 reads.
    package static let xmlValueBytesMax = 10_000_000
    /// Failures of one test case that are looked at; a reader reads the first.
    package static let failuresPerTestMax = 20
    /// Seconds that a results file may claim of one test: a day, longer than any time limit.
    package static let resultSecondsMax = 86_400.0
    /// Seconds that reading results may take after the shard's time: ten times the largest files'.
    package static let resultsReadingSecondsMin = 10.0
    /// Seconds the first boot of a simulator may take: it migrates the data of its system, which
    /// took more than 150 and 240 s on machines of CI providers.
    package static let simulatorFirstBootSeconds = 360.0
    /// Seconds one later boot of a simulator may take: what other runners of tests wait, too.
    package static let simulatorBootSeconds = 120.0
    /// Seconds a simulator's SpringBoard may take to come back after it was ended: scripts in public
    /// repositories wait 2 to 9 s.
    package static let springBoardSeconds = 30.0
    /// Days for which a machine keeps a simulator that has booted once (`SNAPFARM_SIMULATORS=keep`), and
    /// how many it keeps: each holds a gigabyte or two of its system's data.
    package static let simulatorKeptDaysMax = 14
    package static let simulatorsKeptMax = 12
    /// Seconds until the first test of a launch must have started on its simulator.
    package static let testsStartSeconds = 150.0
    /// Seconds a simulator may be missing in the list of its own tool.
    package static let simulatorListSeconds = 120.0
    /// Seconds one command of `simctl` may take, but for a boot.
    package static let simctlSeconds = 120.0
    /// Seconds that reading the result bundle of one launch may take: an attachment each of the
    /// largest lease.
    package static let resultBundleSeconds = 600.0
    /// Pictures one lease may leave.
    package static let capturesPerLeaseMax = 20_000
    /// Bytes that must be free for a failed test to count: below, its failure may be the disk's.
    package static let scratchBytesMin = 512 << 10
    /// Seconds a child gets between SIGTERM and SIGKILL.
    package static let terminationGraceSeconds = 2.0
    /// The same for a worker, which deletes its simulators.
    package static let workerGraceSeconds = 10.0

    // MARK: leases

    /// Seconds a lease lives without renewal: three missed renewals.
    package static let leaseSeconds = 30.0
    /// Seconds between renewals.
    package static let renewalSeconds = 10.0
    /// Attempts of one test case, whatever ended them.
    package static let attemptsMax = 3
    /// Attempts beyond the first that the failures of one run may cost: one for so many test cases.
    ///
    /// A run in which more than every fifth fails is broken, not flaky; more attempts would only
    /// make the answer late.
    package static let retriesShare = 5
    /// The same for small runs, where a fifth would be a handful.
    package static let retriesPerRunMin = 50
    /// Runs of each test case that `--repeat` may ask for.
    package static let repeatsMax = 100
    /// Share of a test's busiest half second in which work waited for a CPU, from which on its host
    /// was overloaded: a failure then does not count before the test failed with nothing beside it.
    ///
    /// Derived in `docs/adr/0015-overload.md`.
    package static let hostWaitingMax = 0.88
    /// Entries of one quarantine: each is looked at for every failure.
    package static let quarantineMax = 1_000
    /// Seconds a test is expected to take before the first of its job has ended.
    package static let testSecondsGuess = 1.0
    /// Seconds of tests that are worth a lease: six times what passes between the tests of two
    /// (`ScheduleSimulation.leaseCost`), and little enough for no worker to idle noticeably at the end.
    package static let leaseWorkSecondsMin = 0.1
    /// Test cases of one lease.
    package static let testsPerLeaseMax = 5_000
    /// A test that takes so many times as long as expected straggles: idle workers take the rest of
    /// its lease.
    ///
    /// What is expected is the 90th percentile, so that few do.
    package static let stragglerFactor = 3.0
    /// Seconds before which no test straggles whose time is known from earlier runs: another
    /// worker's start costs as much.
    package static let stragglerSecondsMin = 5.0
    /// The same for tests of which only the average of their job is known: the first on a cell may
    /// boot a device.
    package static let stragglerUnlearnedSecondsMin = 20.0
    /// Seconds between two looks of a worker that cannot work at whether it can again.
    package static let unfitSeconds = 10.0
    /// Test cases of a lease of a worker that has not passed anything yet; also the failures after
    /// which such a worker is suspended.
    package static let unprovenTestsMax = 10
    /// One in so many test cases of a run may fail on one worker before it is suspended: 2.5 %, half
    /// of what a sick worker may cost.
    package static let suspendingShare = 40
    /// The same in test cases, for large runs.
    package static let suspendingMax = 50
    /// Seconds a worker is suspended after a failure, and a worker that was started is expected.
    package static let suspendedSeconds = 120.0
    /// Seconds a claim waits for work before it answers "none".
    ///
    /// Hundreds of idle workers ask that often; less than a lease, so that who waits counts as
    /// alive.
    package static let claimWaitSeconds = 20.0

    /// Seconds between two attempts to reach a coordinator that is away.
    package static let retryPauseSecondsMax = 3.0
    /// Reports a worker holds before its tests wait for the network.
    package static let reportsWaitingMax = 2_000
    /// Seconds a report waits for others of a lease whose programs have ended: what is lost with a
    /// worker that dies meanwhile runs again.
    package static let reportsWaitSeconds = 0.25
    /// Reports in one message: one transaction of the ledger.
    package static let reportsPerMessageMax = 500
    /// Started tests in one renewal; those beyond it are in the next.
    package static let startsPerRenewalMax = 500
    /// Seconds of one report: its time limit and its ending, whatever these are.
    package static let reportSecondsMax = 2 * 86_400.0
    /// Bytes of one text of a report (a failure's words, a test's output): a framework's longest
    /// message, and over ten times what drivers keep of the output.
    package static let reportTextBytesMax = 256 << 10
    /// Facts that a lease says of what drew its pictures.
    package static let rendererFactsMax = 100
    /// Bytes of a picture's name with its cell and folders: with its job and role before it, 2,000
    /// of the 4,096 of a path are left for the output folder's own.
    package static let snapshotNameBytesMax = 1_500

    /// Seconds until a run that could not be judged is tried again: doubled from one up to this, so
    /// that a store which comes back is noticed, and one that does not costs nothing.
    package static let judgePauseSecondsMax = 300.0
    /// Seconds for which a coordinator tries to judge a run of others, three of the longest pauses: a
    /// host that is restarted is back by then, and a CI job that waits is not over.
    package static let judgeTriesSeconds = 900.0
    /// Seconds after which a judgement is said to hang, and after which a cancel waits for it no
    /// longer: several times what the largest run takes with a store that answers.
    package static let judgeSecondsMax = 30.0
    /// Runs that are judged at once, beside those that hang: each holds all its reports in memory.
    package static let judgementsAtOnce = 8
    /// Threads that wait for one store at once: its reads take turns anyway.
    package static let storeThreadsMax = 4
    /// Calls that wait for a thread of one store: each of hundreds of workers asks for a few cells.
    package static let storeCallsWaitingMax = 1_000

    // MARK: check

    /// Broken invariants that one check names; of more only the number is said.
    package static let brokenInvariantsMax = 1_000

    // MARK: server

    /// Bytes of one JSON body.
    package static let messageBytesMax = 64 << 20
    /// Bytes of one blob: a picture, or a lease's log with room.
    package static let blobBytesMax = 64 << 20
    /// Seconds between two looks for expired leases.
    package static let sweepSeconds = 1.0
    /// Seconds between two such looks after which the coordinator itself stood still: as long as its
    /// workers may be silent.
    package static let pauseSeconds = 10.0
    /// Share of a half second in which work waited for a CPU, below which a machine has room for
    /// one more worker: a third of what starves tests.
    package static let idleWaitingMax = 0.3
    /// Share of a machine's memory below which it has too many workers.
    package static let freeMemoryMin = 0.1
    /// Workers of a machine for each that it began with: what waits most of its time.
    package static let workersPerSlotMax = 4
    /// Simulators that a host begins with: more starve each other while they boot.
    package static let simulatorsPerHost = 3
    /// Seconds between two looks at a machine's room.
    package static let roomSeconds = 1.0
    /// Seconds that a run on a coordinator may wait without any worker taking or ending something of
    /// it, unless its configuration says otherwise.
    package static let runSilenceSeconds = 86_400.0
    /// Workers of one embedded run.
    package static let workersMax = 256
    /// Restarts of a worker process that keeps dying, per run.
    package static let workerRestartsMax = 20

    /// Of runs that share workers: enough steps for people, few enough to know them.
    package static let priorities = -100...100

    // MARK: static shards

    /// Machines of one run without a coordinator; CI providers stop at 256.
    package static let shardsMax = 1_000
    /// Bytes of the evidence of one static shard: 60,000 pictures of 4 KB of JSON.
    package static let shardEvidenceBytesMax = 256 << 20
    /// Milliseconds since 1970 beyond which a worker's clock is not believed: the year 2286.
    package static let clockMillisecondsMax: Int64 = 10_000_000_000_000
    /// Numbers of workers that one forecast simulates.
    package static let forecastsMax = 20
    // MARK: fleet

    /// Bytes of one JSON body that holds no plan, reports or pictures.
    package static let smallMessageBytesMax = 64 << 10
    /// Connections of one coordinator: 500 workers with a few each, and people, many times over.
    package static let connectionsMax = 10_000
    /// Seconds a connection may say nothing: longer than a client keeps an unused one (60 s), so
    /// that the client closes first.
    package static let connectionIdleSeconds = 75.0
    /// Seconds a JSON body may take to arrive.
    package static let bodySeconds = 60.0
    /// Seconds a blob may take to arrive: the largest bundle at 2 MB a second.
    package static let blobSeconds = 1_800.0
    /// Seconds the coordinator of one run waits for calls when the run has ended: its workers have
    /// left, and what is cut off is asked for by nobody.
    package static let loopbackStopSeconds = 1.0
    /// Seconds a stopping coordinator waits for calls that are being answered.
    package static let stopSeconds = 15.0
    /// Tokens of one coordinator; each call looks at all of them.
    package static let tokensMax = 1_000
    /// Bytes of the file of tokens.
    package static let tokenFileBytesMax = 4 << 20
    /// Milliseconds that a login on the pages lasts at most: 30 days.
    package static let sessionMilliseconds: Int64 = 30 * 86_400_000
    /// Sessions of one token that are known to be logged out; beyond it, all that began before end.
    package static let loggedOutMax = 20
    /// Bytes of a cookie's value: a session with the longest name, several times over.
    package static let cookieBytesMax = 1_024
    /// Hours that a one-time link may wait to be opened: two weeks.
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
    /// Things that one job or device needs.
    package static let needsMax = 32
    /// Test cases of the runs whose plans a ledger keeps in memory: 100 runs of 10,000 are open, or lately
    /// were; a plan of 60,000 takes 5 MB.
    package static let testCasesKnownMax = 2_000_000
    /// Seconds that a program may take to say its version: Apple's take long when asked first.
    package static let versionSeconds = 30.0
    /// Runs, workers or artifacts in one list.
    package static let listMax = 1_000
    /// Bytes of one bundle: a built app with its resources, and room.
    package static let bundleBytesMax = 2 << 30
    /// Files of one bundle.
    package static let bundleEntriesMax = 100_000
    /// Bytes of one bundle when it is unpacked.
    package static let bundleUnpackedBytesMax = 8 << 30
    /// Bytes of unpacked bundles that a worker's machine keeps; those in use stay beyond it.
    package static let bundleCacheBytesMax = 20 << 30
    /// Files and folders looked at for one bundle.
    package static let bundleVisitsMax = 1_000_000
    /// Seconds between two tries of a worker that finds no coordinator: doubled up to this.
    package static let reconnectSecondsMax = 30.0
    /// Seconds a client that follows a run waits for a coordinator that went away.
    package static let followPatienceSeconds = 120.0
    /// Pictures that are downloaded side by side.
    package static let downloadsAtOnce = 8
}
