// One lease, from its folder to its completion, in five tasks: the tests, the reports, the
// renewals, the lease's end, and the host's load. If the lease is lost, the tests are killed.
// Renewals go on until the completion is answered, because it carries the last reports.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmFiles
import Foundation
import Synchronization

/// Runs one lease.
final class LeaseRunner: Sendable {
    let lease: Lease
    /// Whether the worker's last lease was of this lease's cell.
    private let isWarm: Bool
    /// The worker's launches on its last cell, for the start time of the next one.
    private let launches: LaunchMeter
    private let granted = ContinuousClock.now
    let client: CoordinatorClient
    /// A client for renewals alone, so that no upload delays them.
    let renewals: CoordinatorClient
    let clock: LeaseClock
    let driver: any TestDriver
    /// The path of the lease's folder; it is made here and removed at the end.
    let scratch: String
    /// The path of this machine's cached references.
    let cache: String
    let bundles: BundleCache
    let references: KnownReferences
    /// The isolation of the tests, or `nil` if they are not isolated.
    let isolation: Isolation?
    private let leased: Set<TestID>
    private let queue = ReportQueue()
    private let meter: HostLoadMeter
    private let beginning: HostLoadMeter.Mark
    private let heard = Mutex(Heard())

    init(
        lease: Lease,
        isWarm: Bool,
        launches: LaunchMeter,
        client: CoordinatorClient,
        renewals: CoordinatorClient,
        clock: LeaseClock,
        driver: any TestDriver,
        scratch: String,
        cache: String,
        bundles: BundleCache,
        references: KnownReferences,
        isolation: Isolation?,
        pressure: String
    ) {
        self.lease = lease
        self.isWarm = isWarm
        self.launches = launches
        leased = Set(lease.shard.tests)
        self.client = client
        self.renewals = renewals
        self.clock = clock
        self.driver = driver
        self.scratch = scratch
        self.cache = cache
        self.bundles = bundles
        self.references = references
        self.isolation = isolation
        meter = HostLoadMeter(path: pressure)
        beginning = meter.mark()
    }

    private var shard: Shard { lease.shard }
    /// The test that runs now, or `nil` if none does.
    var running: TestID? { queue.running }
    /// The results of this lease that the coordinator has not answered.
    var unanswered: UnansweredLease {
        UnansweredLease(
            token: lease.token,
            reports: queue.unanswered,
            evidence: heard.withLock {
                if case .sent(let evidence) = $0.completion { evidence } else { nil }
            }
        )
    }

    /// Runs the lease's tests, and reports until the coordinator has answered the completion.
    ///
    /// Calls `reconnected` when the coordinator answers again after it was away.
    func run(reconnected: @escaping @Sendable () async throws -> Void) async throws {
        let folders = try LeaseFolders.made(in: scratch, for: shard.job.kind)
        defer { FolderTree.remove(scratch) }
        let expected = try await ExpectedPictures(of: self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await self.deliver(folders, expected)
                try await self.complete(folders, self.heard.withLock { $0.problem })
            }
            group.addTask { try await self.keep(reconnected) }
            group.addTask { try await self.meter.watch() }
            group.addTask {
                try await self.clock.expire()
                throw WorkerError.leaseLost(self.lease.token.id)
            }
            // Only the first task returns; the others run until they throw or are cancelled.
            defer { group.cancelAll() }
            do {
                try await group.next()
            } catch let error as APIError where error.endsLease {
                throw WorkerError.leaseRefused(self.lease.token.id, Problem(error))
            }
        }
    }

    // MARK: tests

    /// Runs the tests, and sends all reports but the last ones.
    private func deliver(
        _ folders: LeaseFolders,
        _ expected: ExpectedPictures
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.drive(folders, expected) }
            group.addTask { try await self.queue.send(self.lease.token, to: self.client) }
            while try await group.next() != nil {}
        }
    }

    private func drive(_ folders: LeaseFolders, _ expected: ExpectedPictures) async throws {
        if let refusal = expected.refusal {
            try await reportUnfinished(refusal)
            return queue.finish()
        }
        let examiner = CaptureProcessor(
            shard: shard,
            references: expected.references,
            renderer: await driver.renderer(),
            client: client
        )
        do {
            let local = try await localShard()
            defer { withExtendedLifetime(local.files) {} }
            var folders = folders
            (folders.tree, folders.isTreeShared) = (local.tree, local.isShared)
            let laid = try await CheckedOutReferences(
                expected.references,
                of: local.shard,
                tree: local.tree ?? local.shard.workTree,
                in: folders,
                for: self
            )
            defer {
                let problem = Self.problem(endOf: laid)
                heard.withLock { $0.problem = problem }
            }
            try await driver.run(local.shard, folders: folders) { event in
                try await self.handle(event, examiner)
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            try Task.checkCancellation()
            if let fatal = error as? APIError { throw fatal }
            if let fatal = error as? WorkerError { throw fatal }
            try await reportUnfinished(Problem(explaining: error))
        }
        try await reportUnfinished(
            Problem(
                code: "test-not-reported",
                message: "the test program ended without a result for this test.",
                remedy: "Look into the lease's log; check that the name the program reports "
                    + "is the name that discovery listed."
            )
        )
        queue.finish()
    }

    /// Puts the borrowed folders back; returns the problem if that failed or the tests changed
    /// their references, else `nil`.
    private static func problem(endOf laid: CheckedOutReferences) -> Problem? {
        do {
            try laid.giveBack()
        } catch {
            return Problem(explaining: error)
        }
        return laid.tree?.change()
    }

    private func handle(_ event: DriverEvent, _ examiner: CaptureProcessor) async throws {
        switch event {
        case .started(let test):
            queue.started(test)
            let mark = meter.mark()
            heard.withLock { heard in
                let start = Start(at: Self.now(), mark: mark)
                heard.started[test] = start
                heard.firstStart = heard.firstStart ?? start.instant
            }
        case .mentioned(let test):
            // A mention is no start: a wrong one would make an innocent test a suspect or a slow
            // test.
            guard leased.contains(test) else { return }
            heard.withLock { _ = $0.mentioned.insert(test) }
        case .finished(let result):
            if !result.ending.isGood { try checkSpace() }
            guard leased.contains(result.test),
                heard.withLock({ $0.finish(result) })
            else { return }
            let started = heard.withLock { $0.started[result.test] }
            // Measured before the farm itself works on the pictures.
            let load = result.isPlainPass ? nil : load(of: result.ending, since: started?.mark)
            let fallback = Self.now() - Int64(result.seconds * 1000)
            var report = try await examiner.report(result, startedAt: started?.at ?? fallback)
            report.load = load
            try await queue.add(report)
        case .programsEnded:
            heard.withLock { $0.programsEnd = .now }
            queue.testsEnded()
        case .timeOver(let running): try await endOfTime(running)
        }
    }

    /// Reports the tests that used up the shard's time as errored; the others wait for another
    /// lease.
    private func endOfTime(_ running: [TestID]) async throws {
        let timeouts = shard.job.timeouts
        let now = ContinuousClock.now
        let (open, slow) = heard.withLock { heard in
            let open = shard.tests.filter { !heard.finished.contains($0) }
            let seconds = running.compactMap { test in
                heard.started[test].map { (test, ($0.instant.duration(to: now)) / .seconds(1)) }
            }
            let slow = ShardTime.overrunning(
                open,
                seconds: Dictionary(seconds) { $1 },
                timeouts,
                hasFinished: !heard.finished.isEmpty
            )
            return (open, slow)
        }
        try await report(slow, .shardTimedOut(seconds: timeouts.shardSeconds))
        let rest = heard.withLock { heard in
            heard.leftOver = open.filter { heard.finish($0) }
            return heard.leftOver.count
        }
        let path = LeaseFolders(in: scratch).log
        guard rest > 0, let log = try? LogFile(path: path) else { return }
        log.note("the shard's time was over; \(rest) of its tests run in another lease")
    }

    /// Reports every leased test without a result as errored.
    private func reportUnfinished(_ problem: Problem) async throws {
        try await report(shard.tests, problem)
    }

    /// Reports those of `tests` that have no result yet as errored.
    private func report(_ tests: [TestID], _ problem: Problem) async throws {
        for test in tests where heard.withLock({ $0.finish(test) }) {
            let started = heard.withLock { $0.started[test] }
            let ending = TestEnding.errored(problem)
            try await queue.add(
                TestReport(
                    test: test,
                    ending: ending,
                    seconds: started.map { $0.instant.duration(to: .now) / .seconds(1) } ?? 0,
                    startedAt: started?.at ?? Self.now(),
                    load: load(of: ending, since: started?.mark)
                )
            )
        }
    }

    /// Returns the host's load while a test ran, or `nil` for a time-out of a test that got enough
    /// processor time.
    ///
    /// A test in an endless loop makes load itself.
    private func load(of ending: TestEnding, since mark: HostLoadMeter.Mark?) -> HostLoad? {
        let mark = mark ?? beginning
        let own = ending.isTimeOut ? meter.ownProcessors(since: mark) : nil
        return own.map { $0 >= HostLoadMeter.ownProcessorsMin } == true
            ? nil : meter.load(since: mark)
    }

    /// Ends the worker if the disk is full: a test that fails then proves nothing.
    private func checkSpace() throws {
        guard let free = Fitness.freeBytes(of: scratch), free < FarmLimits.scratchBytesMin else {
            return
        }
        throw WorkerError.scratch(path: scratch, reason: "no space left (\(free) bytes)")
    }

    // MARK: renewal

    /// Renews the lease until cancelled; throws when the coordinator answers that the lease is
    /// lost.
    ///
    /// While the coordinator is away it tries again and again; the lease's clock sets the limit.
    private func keep(_ reconnected: @Sendable () async throws -> Void) async throws {
        var isAway = false
        while true {
            if isAway {
                let pause = clock.timing.renewalSeconds / 10
                try await Task.sleep(for: .seconds(pause * .random(in: 1...2)))
            } else {
                try await Task.sleep(until: clock.renewalDue, clock: .continuous)
            }
            let sent = ContinuousClock.now
            let started = queue.startsToTell
            do {
                let answer = try await renewals.renew(
                    lease.token,
                    running: queue.running,
                    started: started,
                    reached: heard.withLock { $0.reached }
                )
                if answer == .stale {
                    // The renewal may have overtaken the completion; the completion's answer
                    // decides.
                    if isCompleting { try await clock.expire() }
                    throw WorkerError.leaseLost(lease.token.id)
                }
            } catch let error as APIError where error.isUnreachable {
                isAway = true
                continue
            }
            queue.startsReported(started)
            clock.renewed(sent: sent)
            if isAway { try await reconnected() }
            isAway = false
        }
    }

    // MARK: the end

    private var isCompleting: Bool {
        heard.withLock { if case .due = $0.completion { false } else { true } }
    }

    private func complete(_ folders: LeaseFolders, _ problem: Problem?) async throws {
        let log = try await storeLog(folders.log)
        let evidence = LeaseEvidence(
            job: shard.job.name,
            cell: shard.cell.id,
            renderer: await driver.renderer(),
            log: log,
            problem: problem,
            load: meter.load(since: beginning),
            leftOver: heard.withLock { $0.leftOver },
            start: heard.withLock { $0 }.start(of: shard, granted, launches).map {
                MeasuredStart(seconds: $0, isWarm: isWarm)
            }
        ).withinLimits
        heard.withLock { $0.completion = .sent(evidence) }
        let reports = queue.unanswered
        let reply = try await client.complete(lease.token, reports: reports, evidence: evidence)
        queue.answered(reports.count)
        heard.withLock { $0.completion = .answered }
        if reply.isStale { throw WorkerError.leaseLost(lease.token.id) }
    }

    private func storeLog(_ path: String) async throws -> Digest? {
        guard let bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty else {
            return nil
        }
        let digest = Digest(of: bytes)
        try await client.put(bytes, as: digest)
        return digest
    }

    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
