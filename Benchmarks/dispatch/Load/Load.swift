// Workers that test nothing: they claim, and complete with reports, as fast as the coordinator lets
// them. Beside them a bare loop over GRDB that writes the same rows.
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

/// Clients of the product, enough that no worker waits for a connection of another.
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

/// Claim, then complete with the reports, as a worker does whose tests have ended.
struct Cycles {
    let asked: Measurement

    private struct Tally: Sendable {
        var cycles = 0
        var tests = 0
        /// Seconds of each call.
        var calls: [Double] = []
        var ranDry = false
        var failure: String?
    }

    func run() async throws {
        let (ready, start) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (results, result) = AsyncStream<Tally>.makeStream()
        for worker in 0..<asked.workers {
            Thread.detachNewThread {
                var tally = Tally()
                do {
                    let connection = try PlainConnection(url: asked.url, token: asked.token)
                    try introduce(worker, connection)
                    // Nothing is measured before everybody is there.
                    ready.signal()
                    start.wait()
                    try work(worker, connection, &tally)
                } catch {
                    tally.failure = "\(error)"
                    ready.signal()
                }
                result.yield(tally)
            }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                for _ in 0..<asked.workers { ready.wait() }
                continuation.resume()
            }
        }
        let begin = ContinuousClock.now
        for _ in 0..<asked.workers { start.signal() }
        var total = Tally()
        for await tally in results.prefix(asked.workers) {
            total.cycles += tally.cycles
            total.tests += tally.tests
            total.calls += tally.calls
            total.ranDry = total.ranDry || tally.ranDry
            total.failure = total.failure ?? tally.failure
        }
        let took = (ContinuousClock.now - begin) / .seconds(1)
        if let failure = total.failure { throw PlainError.answer(failure) }
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

    private func introduce(_ worker: Int, _ connection: PlainConnection) throws {
        let hello = HelloRequest(worker: Self.id(worker), beginsAnew: true)
        let body = String(decoding: try JSONEncoder().encode(hello), as: UTF8.self)
        _ = try connection.post(Routes.workers, body)
    }

    private func work(
        _ worker: Int,
        _ connection: PlainConnection,
        _ tally: inout Tally
    ) throws {
        let name = "cell-0"
        let evidence = LeaseEvidence(job: Opening.job, cell: CellID(name))
        let parts = String(decoding: try JSONEncoder().encode(evidence), as: UTF8.self)
            .components(separatedBy: name)
        let begin = ContinuousClock.now
        let end = begin + .seconds(asked.seconds)
        func timed(_ path: String, _ body: String, seal: String = "") throws -> String {
            let begin = ContinuousClock.now
            defer { tally.calls.append((ContinuousClock.now - begin) / .seconds(1)) }
            return try connection.post(path, body, seal: seal)
        }
        while ContinuousClock.now < end {
            let request = "\(worker)-\(tally.cycles)-\(begin)".filter { $0 != "\"" }
            let answer = try timed(
                Routes.claim(Self.id(worker).text),
                "{\"request\":\"\(request)\",\"waitSeconds\":0}"
            )
            guard let lease = PlainLease(answer) else {
                tally.ranDry = true
                return
            }
            let reports = lease.tests.map {
                "{\"test\":\($0),\"ending\":\"passed\",\"seconds\":30,\"startedAt\":0}"
            }.joined(separator: ",")
            let ended = try timed(
                Routes.complete(lease.id),
                """
                {"epoch":\(lease.epoch),"evidence":\(parts.joined(separator: lease.cell)),\
                "reports":[\(reports)]}
                """,
                seal: lease.seal
            )
            guard ended.components(separatedBy: "\"accepted\"").count == lease.tests.count + 2
            else {
                throw PlainError.answer(ended)
            }
            tally.cycles += 1
            tally.tests += lease.tests.count
        }
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
    static let job = JobName("load")

    init(_ words: [String], token: String) {
        url = words[0]
        tests = Int(words[1]) ?? 1000
        cells = Int(words[2]) ?? 12
        self.token = token
    }

    func run() async throws {
        let client = CoordinatorClient(url: url, token: token)
        let job = Job(
            name: Self.job,
            kind: .unit,
            driver: DriverSettings("command", ["discover": "true", "run": "true"]),
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
            pin: ReferencePin(),
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
            set: "",
            planDigest: plan.digest.description,
            started: "",
            finished: ""
        )
        _ = try await client.submit(SubmitRequest(key: id, facts: facts, plan: plan))
        await client.close()
        try Load.show(["cases": Double(tests * cells)])
    }
}
