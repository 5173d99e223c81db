// A coordinator over a real ledger whose stores vanish or hang as a test wants, and workers without
// HTTP.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import Logging
import Synchronization
import Testing

struct EndingBench {
    struct Gone: ExplainedError {
        var code: String { "store-gone" }
        var message: String { "the store /gone is not there." }
        var remedy: String { "Bring it back." }
        var exit: ExitCode { .configuration }
    }

    /// What the coordinator finds around it.
    final class World: Sendable {
        let now = Mutex<Int64>(1_000_000)
        /// The store of the pipeline `gone` has vanished.
        let isGone = Mutex(true)
        /// The store of the pipeline `hangs` does not answer.
        let isHanging = Mutex(true)
        /// Of the store that hangs.
        let calls = Mutex<(begun: Int, ended: Int)>((0, 0))

        func pass(seconds: Double) { now.withLock { $0 += Int64(seconds * 1000) } }

        func store(of plan: Plan) throws {
            if plan.pipeline == "gone", isGone.withLock({ $0 }) { throw Gone() }
            guard plan.pipeline == "hangs" else { return }
            calls.withLock { $0.begun += 1 }
            defer { calls.withLock { $0.ended += 1 } }
            // As a disk behind a network does, which no cancellation reaches.
            while isHanging.withLock({ $0 }) { usleep(1_000) }
        }
    }

    let folder: TemporaryFolder
    let world = World()
    let ledger: SQLiteLedger
    let coordinator: Coordinator

    /// `patience` is for how many seconds a run is tried that cannot be judged; nil: for ever.
    init(
        judgeSeconds: Double = FarmLimits.judgeSecondsMax,
        patience: Double? = nil
    ) throws {
        var hooks = CoordinatorHooks()
        hooks.judgePatienceSeconds = patience
        folder = try TemporaryFolder("ending")
        ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        coordinator = Coordinator(
            ledger: ledger,
            stores: { [world] plan in
                try world.store(of: plan)
                return nil
            },
            blobs: try BlobStore(folder: folder.file("blobs")),
            driverMistakes: { _ in [] },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            judgeSeconds: judgeSeconds,
            hooks: hooks,
            reencode: { _ in nil },
            clock: { [world] in world.now.withLock { $0 } }
        )
    }

    /// Calls of the store that hangs that have begun, and that have ended.
    var begun: Int { world.calls.withLock { $0.begun } }
    var ended: Int { world.calls.withLock { $0.ended } }

    /// Another coordinator on the same file, as after a restart.
    func again(_ ledger: SQLiteLedger) -> Coordinator {
        Coordinator(
            ledger: ledger,
            store: nil,
            blobs: coordinator.blobs,
            driverMistakes: { _ in [] },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            reencode: { _ in nil },
            clock: { 2_000_000 }
        )
    }

    /// Does `body` beside what ends runs, as a server does.
    func whileEnding(_ body: () async throws -> Void) async throws {
        // A test that failed leaves no thread behind.
        defer { world.isHanging.withLock { $0 = false } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [coordinator] in try await coordinator.endRunsUntilStopped() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    /// Waits for what must come.
    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<6_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("not within a minute: \(what)")
    }

    // MARK: runs

    static func plan(_ pipeline: String) -> Plan {
        let job = Job(
            name: JobName("snap"),
            kind: .snapshot,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            cells: [Cell(id: CellID("c"), device: nil, variant: [])]
        )
        return Plan(
            pipeline: pipeline,
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [PlannedJob(job: job, tests: [TestID("t")], prepared: [:])],
            workTree: "/"
        )
    }

    static func facts(_ id: String) -> RunFacts {
        var facts = RunFacts.unknown(RunID(id))
        facts.planDigest = id
        return facts
    }

    /// A run of a pipeline, under its name where no key is given.
    func submit(_ pipeline: String, key: String? = nil) async throws -> RunID {
        let key = key ?? pipeline
        return try await coordinator.submit(
            SubmitRequest(key: key, facts: Self.facts(key), plan: Self.plan(pipeline))
        )
    }

    // MARK: workers

    func lease(_ worker: String) async throws -> Lease {
        _ = try await coordinator.hello(
            HelloRequest(worker: WorkerID(worker), beginsAnew: true)
        )
        let claim = ClaimRequest(request: "\(worker)-1", warm: nil, waitSeconds: 0)
        return try #require(
            try await coordinator.claim(WorkerID(worker), claim).lease
        )
    }

    /// A worker that does what waits first.
    func complete(_ worker: String) async throws {
        let lease = try await lease(worker)
        let reply = try await coordinator.complete(
            lease.token,
            reports: lease.shard.tests.map {
                TestReport(test: $0, ending: .passed, seconds: 1, startedAt: 5)
            },
            evidence: LeaseEvidence(job: JobName("../.."), cell: CellID("../.."))
        )
        #expect(reply.answer == .accepted)
    }

    /// The same, and the run that it ended is judged.
    func work(_ worker: String) async throws {
        try await complete(worker)
        try await coordinator.endRuns()
    }
}
