// A coordinator behind real HTTP that a test may stop and start again on the same ledger and port,
// and a way to run tests without processes. The worker is the real one.
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

    /// A coordinator that nobody serves; `clock` gives milliseconds since 1970.
    func coordinator(
        _ ledger: SQLiteLedger,
        silenceSeconds: Double? = nil,
        stores: @escaping StoreProvider = { _ in nil },
        clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
    ) throws -> Coordinator {
        Coordinator(
            ledger: ledger,
            stores: stores,
            blobs: try BlobStore(folder: folder.file("blobs")),
            driverMistakes: { _ in [] },
            logger: Self.logger,
            silenceSeconds: silenceSeconds,
            reencode: { _ in nil },
            clock: clock
        )
    }

    /// Does `body` with a coordinator that nobody serves and whose clock stands unless one is given.
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

    /// Serves while `body` runs; the second time and later, workers of before have a grace.
    ///
    /// With another `key` the coordinator has lost that of before, and takes all leases back.
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
        // The same each time, as in a coordinator's data folder.
        var key = SeededGenerator(seed: seed)
        let server = FarmServer(
            coordinator: coordinator,
            access: AccessToken("token"),
            sealer: LeaseSealer(using: &key),
            logger: Self.logger
        )
        try await server.run(port: port) { _ in try await body(coordinator, ledger) }
        // The sweep that was cancelled may interrupt it; all is durable before.
        try? ledger.close()
    }

    /// A job of tests `t0`, `t1`, and so on.
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

    /// What another machine sends that planned these jobs.
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
    /// It waits for a coordinator that is not there yet; `url` is one that is not the farm's.
    func work(
        _ driver: any TestDriver,
        at url: String? = nil,
        timing: LeaseTiming = .usual,
        drains: Door? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in },
        until stop: Door
    ) async throws {
        let url = url ?? "http://127.0.0.1:\(port)"
        let client = CoordinatorClient(url: url, token: "token", patience: .worker)
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

/// A clock that stands still until it is set; in milliseconds.
final class SetClock: Sendable {
    private let state: Mutex<(now: Int64, reads: Int)>

    init(_ now: Int64 = 0) { state = Mutex((now: now, reads: 0)) }

    /// How often somebody has looked at it.
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
    /// How often its worker went to another run.
    let runsLeft = Mutex(0)
    /// Nothing is reported of a test before all have run, as by a program that leaves one file.
    private let reportsAtEnd: Bool
    /// What it says when a test begins.
    private let beginning: @Sendable (TestID) -> DriverEvent

    /// Thrown by a script: the shard's time is over while the test runs.
    struct TimeOver: Error {}

    /// `script` gets a test and how often it ran before; it passes when it returns.
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

    /// How often each test was begun.
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

    /// Returns when it is open; throws when cancelled, or after a minute.
    func wait() async throws {
        for _ in 0..<6_000 where !wasOpened { try await Task.sleep(for: .milliseconds(10)) }
        guard wasOpened else { throw CancellationError() }
    }
}
