// Workers that test nothing: they claim, report and complete as fast as the coordinator lets them,
// over the product's own client. Beside them a bare loop over GRDB that writes the same rows.
import FarmAPI
import FarmCore
import Foundation

/// `dispatch-load open URL TESTS CELLS | cycles URL WORKERS SECONDS | idle URL WORKERS SECONDS | bare FILE SECONDS`;
/// prints one JSON object.
@main
struct Load {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.dropFirst().map { String($0) }) {
        case ("open", let rest) where rest.count == 3:
            try await Opening(rest, token: token).run()
        case ("cycles", let rest) where rest.count == 3:
            try await Cycles(asked: Measurement(rest, token: token)).run()
        case ("idle", let rest) where rest.count == 3:
            try await Idle(asked: Measurement(rest, token: token)).run()
        case ("bare", let rest) where rest.count == 2:
            try BareLoop(path: rest[0], seconds: Double(rest[1]) ?? 3).run()
        default:
            FileHandle.standardError.write(
                Data(
                    "dispatch-load open URL TESTS CELLS, cycles|idle URL WORKERS SECONDS, or bare FILE SECONDS\n"
                        .utf8
                )
            )
            exit(64)
        }
    }

    private static var token: String { ProcessInfo.processInfo.environment["SNAPFARM_TOKEN"] ?? "" }

    static func show(_ values: [String: Double]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        print(String(decoding: try encoder.encode(values), as: UTF8.self))
    }
}

/// Clients enough that no worker waits for a connection of another.
struct Clients {
    let all: [CoordinatorClient]
    private static let workersPerClient = 32

    init(_ asked: Measurement) {
        all = (0..<(asked.workers / Self.workersPerClient + 1)).map { _ in
            CoordinatorClient(url: asked.url, token: asked.token)
        }
    }

    subscript(worker: Int) -> CoordinatorClient { all[worker / Self.workersPerClient] }

    func close() async { for client in all { await client.close() } }
}

/// What one measurement asks for.
struct Measurement {
    let url: String
    let workers: Int
    let seconds: Double
    let token: String

    init(_ words: [String], token: String) {
        url = words[0]
        workers = Int(words[1]) ?? 1
        seconds = Double(words[2]) ?? 3
        self.token = token
    }
}

/// Claim, one message of verdicts, complete.
struct Cycles {
    let asked: Measurement

    private struct Tally: Sendable {
        var cycles = 0
        var tests = 0
        /// Seconds of each call.
        var calls: [Double] = []
        var ranDry = false
    }

    func run() async throws {
        let clients = Clients(asked)
        // Nothing is measured before everybody is there.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<asked.workers {
                group.addTask {
                    try await clients[worker].hello(
                        HelloRequest(worker: Self.id(worker), beginsAnew: true)
                    )
                }
            }
            try await group.waitForAll()
        }
        let begin = ContinuousClock.now
        let end = begin + .seconds(asked.seconds)
        var total = Tally()
        try await withThrowingTaskGroup(of: Tally.self) { group in
            for worker in 0..<asked.workers {
                group.addTask { try await work(worker, clients[worker], until: end) }
            }
            for try await tally in group {
                total.cycles += tally.cycles
                total.tests += tally.tests
                total.calls += tally.calls
                total.ranDry = total.ranDry || tally.ranDry
            }
        }
        let took = (ContinuousClock.now - begin) / .seconds(1)
        await clients.close()
        let calls = total.calls.sorted()
        func quantile(_ share: Double) -> Double {
            calls.isEmpty ? 0 : 1000 * calls[min(calls.count - 1, Int(share * Double(calls.count)))]
        }
        try Load.show([
            "cyclesPerSecond": Double(total.cycles) / took,
            "testsPerSecond": Double(total.tests) / took,
            "p50": quantile(0.5), "p99": quantile(0.99), "ranDry": total.ranDry ? 1 : 0,
        ])
    }

    static func id(_ worker: Int) -> WorkerID { WorkerID("load-\(worker)") }

    private func work(
        _ worker: Int,
        _ client: CoordinatorClient,
        until end: ContinuousClock.Instant
    ) async throws -> Tally {
        var tally = Tally()
        func timed<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
            let begin = ContinuousClock.now
            defer { tally.calls.append((ContinuousClock.now - begin) / .seconds(1)) }
            return try await call()
        }
        var number = 0
        while ContinuousClock.now < end {
            number += 1
            let request = ClaimRequest(
                request: "\(worker)-\(number)-\(end)",
                warm: nil,
                waitSeconds: 0
            )
            let reply = try await timed { try await client.claim(Self.id(worker), request) }
            guard let lease = reply.lease else {
                tally.ranDry = true
                break
            }
            let reports = lease.shard.tests.map {
                TestReport(test: $0, ending: .passed, seconds: 30, startedAt: 0)
            }
            _ = try await timed { try await client.report(lease.token, reports) }
            let evidence = LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
            _ = try await timed { try await client.complete(lease.token, evidence: evidence) }
            tally.cycles += 1
            tally.tests += reports.count
        }
        return tally
    }
}

/// Workers that ask and get nothing: what they cost a coordinator.
struct Idle {
    let asked: Measurement

    func run() async throws {
        let clients = Clients(asked)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<asked.workers {
                group.addTask {
                    let id = Cycles.id(worker)
                    _ = try? await clients[worker].hello(HelloRequest(worker: id, beginsAnew: true))
                    var number = 0
                    while !Task.isCancelled {
                        number += 1
                        let request = ClaimRequest(
                            request: "idle-\(worker)-\(number)",
                            warm: nil,
                            waitSeconds: FarmLimits.claimWaitSeconds,
                            staysIdle: true
                        )
                        _ = try? await clients[worker].claim(id, request)
                    }
                }
            }
            try? await Task.sleep(for: .seconds(asked.seconds))
            group.cancelAll()
        }
        await clients.close()
        try Load.show(["workers": Double(asked.workers)])
    }
}

/// A run with tests enough for a measurement.
struct Opening {
    let url: String
    let tests: Int
    let cells: Int
    let token: String

    init(_ words: [String], token: String) {
        url = words[0]
        tests = Int(words[1]) ?? 1000
        cells = Int(words[2]) ?? 12
        self.token = token
    }

    func run() async throws {
        let client = CoordinatorClient(url: url, token: token)
        let job = Job(
            name: JobName("load"),
            kind: .unit,
            driver: .command(CommandSettings(discover: "true", run: "true")),
            cells: (0..<cells).map { Cell(id: CellID("cell-\($0)"), device: nil, variant: []) }
        )
        let names = (0..<tests).map { TestID("Suite/test\($0)") }
        // The coordinator wants to have the files of a job; nobody here unpacks them.
        let bundle = Data("no files".utf8)
        try await client.put(bundle, as: Digest(of: bundle))
        let prepared = [BundleRules.key: Digest(of: bundle).hex]
        let plan = Plan(
            pipeline: "load",
            mode: .verify,
            filtered: false,
            pin: "",
            jobs: [PlannedJob(job: job, tests: names, prepared: prepared)],
            workTree: "/"
        )
        let id = "load-\(Int(Date().timeIntervalSince1970 * 1000))"
        let facts = RunFacts(
            id: id,
            key: id,
            pipeline: "load",
            mode: .verify,
            filtered: false,
            commit: "",
            branch: "",
            pullRequest: "",
            pin: "",
            planDigest: plan.digest.description,
            started: "",
            finished: ""
        )
        _ = try await client.submit(SubmitRequest(key: id, facts: facts, plan: plan))
        await client.close()
        try Load.show(["cases": Double(tests * cells)])
    }
}
