// A coordinator over a real ledger, with stores that vanish or hang on demand, and workers without
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

    /// The coordinator's surroundings: its clock and its stores.
    final class World: Sendable {
        let now = Mutex<Int64>(1_000_000)
        /// Whether the store of the pipeline `gone` has vanished.
        let isGone = Mutex(true)
        /// Whether the store of the pipeline `hangs` does not answer.
        let isHanging = Mutex(true)
        /// The calls of the hanging store.
        let calls = Mutex<(begun: Int, ended: Int)>((0, 0))

        func pass(seconds: Double) { now.withLock { $0 += Int64(seconds * 1000) } }

        func store(of plan: Plan) throws {
            if plan.pipeline == "gone", isGone.withLock({ $0 }) { throw Gone() }
            guard plan.pipeline == "hangs" else { return }
            calls.withLock { $0.begun += 1 }
            defer { calls.withLock { $0.ended += 1 } }
            // Like a disk on a network, which ignores cancellation.
            while isHanging.withLock({ $0 }) { usleep(1_000) }
        }
    }

    let folder: TemporaryFolder
    let world = World()
    let ledger: SQLiteLedger
    let coordinator: Coordinator

    /// Makes a coordinator.
    ///
    /// `patience` is the time in seconds for which an unjudgeable run is tried again, or `nil` to
    /// try for ever.
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

    /// The numbers of calls of the hanging store that have begun and ended.
    var begun: Int { world.calls.withLock { $0.begun } }
    var ended: Int { world.calls.withLock { $0.ended } }

    /// Returns another coordinator on the same file, as after a restart.
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

    /// Runs `body` while the coordinator ends runs in the background, as a server does.
    func whileEnding(_ body: () async throws -> Void) async throws {
        // Without this, a failed test would leave a thread behind.
        defer { world.isHanging.withLock { $0 = false } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [coordinator] in try await coordinator.endRunsUntilStopped() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    /// Waits for a condition, for at most a minute.
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

    /// Submits a run of a pipeline.
    ///
    /// Its key is the pipeline's name, unless another is given.
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

    /// Claims a lease for a worker and completes it.
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

    /// Claims and completes a lease; then the run that it ended is judged.
    func work(_ worker: String) async throws {
        try await complete(worker)
        try await coordinator.endRuns()
    }
}
