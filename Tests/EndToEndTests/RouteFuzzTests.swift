import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmAPI

extension ManyMachines {
    @Suite("A coordinator among liars", .serialized)
    struct RouteFuzzTests {
        /// The number of calls between two restarts, by turns with SIGTERM and SIGKILL.
        private static let callsPerStart = 100
        /// The number of calls on one data folder.
        private static let callsPerFolder = 2_500
        /// The number of calls; `SNAPFARM_FUZZ_CALLS` sets it.
        private static let calls =
            ProcessInfo.processInfo.environment["SNAPFARM_FUZZ_CALLS"].flatMap { Int($0) } ?? 5_000

        @Test("no message of any caller stops it, or harms a run of somebody else")
        func fuzz() throws {
            var random = SeededGenerator.announced()
            var counts: [String: RouteCount] = [:]
            var left = Self.calls
            while left > 0 {
                let calls = min(left, Self.callsPerFolder)
                let fuzzer = try oneFolder(calls, random)
                for (route, count) in fuzzer.counts {
                    counts[route, default: RouteCount()].add(count)
                }
                random = fuzzer.random
                left -= calls
                for failure in fuzzer.failures.prefix(5) { Issue.record("\(failure)") }
                guard fuzzer.failures.isEmpty else { break }
            }
            report(counts)
        }

        private func report(_ counts: [String: RouteCount]) {
            for (route, count) in counts.sorted(by: { $0.key < $1.key }) {
                print(
                    "\(route): \(count.sent) sent, \(count.read) read, \(count.accepted) accepted"
                )
                guard count.sent >= 50 else { continue }
                // Messages that the decoder refuses test only the decoder.
                #expect(count.read * 10 >= count.sent * 3, "\(route)")
            }
            guard Self.calls >= 5_000 else { return }
            #expect(counts.count == 34, "\(counts.keys.sorted())")
        }

        private func oneFolder(_ calls: Int, _ random: SeededGenerator) throws -> RouteFuzzer {
            let project = try Project(scenes: ["one", "two"], devices: ["A", "B"])
            let recorded = try project.run(["--mode", "record"])
            try #require(recorded.status == 0, "\(recorded.said)")
            let fleet = try Fleet(project)
            try fleet.serve()
            var fuzzer = try RouteFuzzer(fleet, random)
            try fuzzer.prepare()
            let messages = try RouteMessages(fleet)
            for first in stride(from: 0, to: calls, by: Self.callsPerStart) {
                let bystander = try Bystander(fleet, messages, key: "bystander-\(first)")
                for _ in 0..<min(Self.callsPerStart, calls - first) where fuzzer.failures.isEmpty {
                    try fuzzer.call()
                }
                guard fuzzer.failures.isEmpty else { return fuzzer }
                if first % 200 == 0 { fleet.killServer() } else { _ = try fleet.stop() }
                try fleet.serve()
                if let wrong = try bystander.whatIsWrong() {
                    fuzzer.failures.append("\(wrong)\n\(fleet.log.suffix(2_000))")
                    return fuzzer
                }
            }
            let check = try fleet.stop().status
            if check != 0 { fuzzer.failures.append("it ended with \(check) when it was stopped") }
            return fuzzer
        }
    }
}

extension RouteCount {
    mutating func add(_ other: RouteCount) {
        sent += other.sent
        read += other.read
        accepted += other.accepted
    }
}

/// A run of another user, and the only worker that may do it.
private struct Bystander {
    private let fleet: Fleet
    private let messages: RouteMessages
    private let run: RunID

    init(_ fleet: Fleet, _ messages: RouteMessages, key: String) throws {
        self.fleet = fleet
        self.messages = messages
        let reply: SubmitReply = try Self.call(
            fleet,
            Routes.runs,
            "submit",
            try messages.bystander(key)
        )
        run = reply.run
    }

    private static func call<Reply: Decodable>(
        _ fleet: Fleet,
        _ path: String,
        _ scope: String,
        seal: String? = nil,
        _ message: some Encodable
    ) throws -> Reply {
        let answer = try fleet.call(
            "POST",
            Routes.prefix + path,
            token: try fleet.token(scope),
            headers: seal.map { ["\(Routes.sealHeader): \($0)"] } ?? [],
            body: try JSONEncoder().encode(message)
        )
        try #require(answer?.status == 200, "\(path): \(answer?.text ?? "no answer")")
        return try JSONDecoder().decode(Reply.self, from: answer?.body ?? Data())
    }

    /// Runs its tests; returns an error, or `nil` if they passed and the run is green.
    func whatIsWrong() throws -> String? {
        let worker = "bystander"
        let _: HelloReply = try Self.call(
            fleet,
            Routes.workers,
            "work",
            try messages.hello(worker, offering: "bystander")
        )
        for attempt in 0..<200 {
            if let judged = try result() {
                let counts = judged.summary.counts
                return counts.passed == 3 && judged.summary.state == .passed
                    ? nil : "the bystander's run is \(judged.summary.state): \(counts)"
            }
            let claim = ClaimRequest(
                request: "\(run)-\(attempt)",
                warm: nil,
                waitSeconds: 0,
                staysIdle: true
            )
            let reply: ClaimReply = try Self.call(fleet, Routes.claim(worker), "work", claim)
            guard let lease = reply.lease else {
                usleep(50_000)
                continue
            }
            let complete = CompleteRequest(
                epoch: lease.token.epoch,
                reports: lease.shard.tests.map {
                    TestReport(
                        test: $0,
                        ending: .passed,
                        seconds: 0.01,
                        startedAt: 1_700_000_000_000
                    )
                },
                evidence: LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
            )
            let _: CompleteReply = try Self.call(
                fleet,
                Routes.complete(lease.token.id.text),
                "work",
                seal: lease.token.seal?.hex,
                complete
            )
        }
        return "the bystander's run does not end"
    }

    private func result() throws -> JudgedRun? {
        let answer = try fleet.call(
            "GET",
            Routes.prefix + Routes.result(run.text),
            token: try fleet.token("submit")
        )
        try #require(answer?.status == 200, "\(answer?.text ?? "no answer")")
        return try JSONDecoder().decode(ResultReply.self, from: answer?.body ?? Data()).judged
    }
}
