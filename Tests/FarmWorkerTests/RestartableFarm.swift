// A coordinator with real HTTP that a test can stop and restart on the same ledger and port, and
// drivers without processes. The worker is the real one.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import FarmWorker
import Foundation
import Logging
import Synchronization

@testable import FarmDrivers

struct RestartableFarm: Sendable {
    let folder: TemporaryFolder
    let port: Int
    let run = RunID("r")

    init(_ name: String) throws {
        folder = try TemporaryFolder(name)
        port = try TestPort.reserved()
    }

    private static let logger: Logger = {
        var logger = Logger(
            label: "test",
            factory: { StreamLogHandler.standardError(label: $0) }
        )
        logger.logLevel = .critical
        return logger
    }()

    /// Returns a coordinator without a server; `clock` gives milliseconds since 1970.
    func coordinator(
        _ ledger: SQLiteLedger,
        silenceSeconds: Double? = nil,
        stores: @escaping StoreProvider = { _ in nil },
        hooks: CoordinatorHooks = CoordinatorHooks(),
        clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
    ) throws -> Coordinator {
        Coordinator(
            ledger: ledger,
            stores: stores,
            blobs: try BlobStore(folder: folder.file("blobs")),
            driverMistakes: { _ in [] },
            logger: Self.logger,
            silenceSeconds: silenceSeconds,
            hooks: hooks,
            reencode: { _ in nil },
            clock: clock
        )
    }

    /// Runs `body` with a coordinator without a server, whose clock stands still unless one is
    /// given.
    static func withCoordinator(
        _ name: String,
        clock: @escaping @Sendable () -> Int64 = { 0 },
        _ body: (RestartableFarm, Coordinator, SQLiteLedger) async throws -> Void
    ) async throws {
        let farm = try RestartableFarm(name)
        let ledger = try SQLiteLedger(path: farm.folder.file("ledger.sqlite"))
        defer { try? ledger.close() }
        try await body(farm, try farm.coordinator(ledger, clock: clock), ledger)
    }

    /// Serves while `body` runs; if `again`, earlier workers have a grace period.
    ///
    /// With another `key`, the coordinator has lost its former key and takes all leases back.
    func serve(
        again: Bool = false,
        key seed: UInt64 = 1,
        stores: @escaping StoreProvider = { _ in nil },
        _ body: @escaping @Sendable (Coordinator, SQLiteLedger) async throws -> Void
    ) async throws {
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        let coordinator = try coordinator(ledger, stores: stores)
        if seed != 1 {
            try await coordinator.recover()
        } else if again {
            try await coordinator.recover(grace: FarmLimits.leaseSeconds)
        }
        // The same key each time, as in a coordinator's data folder.
        var key = SeededGenerator(seed: seed)
        let server = FarmServer(
            coordinator: coordinator,
            access: AccessToken("token"),
            sealer: LeaseSealer(using: &key),
            logger: Self.logger
        )
        try await server.run(port: port) { _ in try await body(coordinator, ledger) }
        // The cancelled sweep may interrupt the close; everything is durable already.
        try? ledger.close()
    }

    /// Returns a job of tests `t0`, `t1`, and so on.
    static func planned(_ name: String = "unit", tests: Int, retries: Int? = nil) -> PlannedJob {
        var job = Job(
            name: JobName(name),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"])
        )
        if let retries { job.retries = retries }
        return PlannedJob(job: job, tests: (0..<tests).map { TestID("t\($0)") }, prepared: [:])
    }

    func submit(tests: Int, to coordinator: Coordinator) async throws {
        try await submit([Self.planned(tests: tests)], to: coordinator)
    }

    func submit(_ jobs: [PlannedJob], to coordinator: Coordinator) async throws {
        _ = try await coordinator.submit(request(jobs))
    }

    /// Returns the submission of another machine that planned these jobs.
    func request(_ jobs: [PlannedJob], key: String = "k", id: RunID? = nil) -> SubmitRequest {
        let plan = Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: jobs,
            workTree: "/"
        )
        let facts = RunFacts(
            id: (id ?? run).text,
            key: key,
            pipeline: "p",
            mode: .verify,
            filtered: false,
            commit: "",
            branch: "",
            pullRequest: "",
            set: "",
            planDigest: "",
            started: "",
            finished: ""
        )
        return SubmitRequest(key: key, facts: facts, plan: plan)
    }

    /// Serves once more, until the run has ended.
    func serveToTheEnd(key: UInt64 = 1) async throws {
        try await serve(again: true, key: key) { coordinator, _ in
            while try await coordinator.progress(run).state == .running {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// Runs a worker until `stop` is open, or until it has left because `drains` is open.
    ///
    /// It waits for a coordinator that is not up yet; `url` names another one than the farm's.
    func work(
        _ driver: any TestDriver,
        at url: String? = nil,
        timing: LeaseTiming = .usual,
        drains: Door? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in },
        until stop: Door
    ) async throws {
        let url = url ?? "http://127.0.0.1:\(port)"
        let client = CoordinatorClient(url: url, token: "token", patience: .patient)
        let renewals = CoordinatorClient(url: url, token: "token", patience: .once)
        let worker = Worker(
            id: WorkerID("w"),
            host: "h",
            pressure: "/nowhere",
            client: client,
            renewals: renewals,
            timing: timing,
            scratch: folder.file("scratch"),
            cache: folder.file("cache"),
            driver: { _ in driver },
            isOrphaned: { false },
            log: log
        )
        var isToDrain: (@Sendable () async -> Void)?
        if let drains { isToDrain = { try? await drains.wait() } }
        let result: Result<Void, any Error>
        do {
            let stopped: @Sendable () async -> Void = { try? await stop.wait() }
            result = .success(
                try await worker.run(staysIdle: true, drains: isToDrain, stopped: stopped)
            )
        } catch {
            result = .failure(error)
        }
        await client.close()
        await renewals.close()
        try result.get()
    }

}

/// A clock in milliseconds that stands still until it is set.
final class SetClock: Sendable {
    private let state: Mutex<(now: Int64, reads: Int)>

    init(_ now: Int64 = 0) { state = Mutex((now: now, reads: 0)) }

    /// The number of times the clock was read.
    var reads: Int { state.withLock { $0.reads } }

    func set(_ now: Int64) { state.withLock { $0.now = now } }

    func read() -> Int64 {
        state.withLock { state in
            state.reads += 1
            return state.now
        }
    }
}

/// Runs each test by a closure.
final class ScriptedDriver: TestDriver {
    private let script: @Sendable (TestID, Int) async throws -> Void
    private let counts = Mutex<[TestID: Int]>([:])
    /// The number of times its worker moved to another run.
    let runsLeft = Mutex(0)
    /// Whether results are reported only after all tests have run, like those of a program with one
    /// results file.
    private let reportsAtEnd: Bool
    /// The event at the start of a test.
    private let beginning: @Sendable (TestID) -> DriverEvent

    /// Thrown by a script when the shard's time is over during the test.
    struct TimeOver: Error {}

    /// Makes a driver; `script` gets a test and the number of its earlier runs.
    ///
    /// The test passes when it returns.
    init(
        reportsAtEnd: Bool = false,
        beginning: @escaping @Sendable (TestID) -> DriverEvent = { .started($0) },
        _ script: @escaping @Sendable (TestID, Int) async throws -> Void
    ) {
        self.reportsAtEnd = reportsAtEnd
        self.beginning = beginning
        self.script = script
    }

    func leaveRun() async { runsLeft.withLock { $0 += 1 } }

    /// The number of times each test was started.
    var ran: [TestID: Int] { counts.withLock { $0 } }

    func discover(job: Job, workTree: String, scratch: String) async throws -> Discovery {
        Discovery(tests: [])
    }

    func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        for test in shard.tests {
            try Task.checkCancellation()
            try await report(beginning(test))
            let before = counts.withLock { counts in
                defer { counts[test, default: 0] += 1 }
                return counts[test] ?? 0
            }
            do {
                try await script(test, before)
            } catch is TimeOver {
                return try await report(.timeOver(running: [test]))
            }
            if !reportsAtEnd { try await report(Self.passed(test)) }
        }
        guard reportsAtEnd else { return }
        try await report(.programsEnded)
        for test in shard.tests { try await report(Self.passed(test)) }
    }

    private static func passed(_ test: TestID) -> DriverEvent {
        .finished(TestResult(test: test, ending: .passed, seconds: 0.01))
    }
}

/// A door that stays open once it was opened.
final class Door: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }
    var wasOpened: Bool { isOpen.withLock { $0 } }

    /// Returns when the door is open; throws if cancelled, or after a minute.
    func wait() async throws {
        for _ in 0..<6_000 where !wasOpened { try await Task.sleep(for: .milliseconds(10)) }
        guard wasOpened else { throw CancellationError() }
    }
}
