import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

@Suite("A ledger of several teams")
struct TeamsLedgerTests {
    private let folder: TemporaryFolder
    private let ledger: SQLiteLedger

    init() throws {
        folder = try TemporaryFolder("teams")
        ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
    }

    private func open(
        _ id: String,
        of pipeline: String,
        key: String? = nil,
        tests: Int = 4
    ) async throws -> RunID {
        var facts = RunFacts.plain(id)
        facts.pipeline = pipeline
        var plan = LedgerFarm.plan(tests: tests, retries: 1)
        plan.pipeline = pipeline
        return try await ledger.openRun(
            NewRun(key: key ?? id, facts: facts, plan: plan),
            now: 1
        )
    }

    private func claim(_ worker: String, _ reach: [String]?, at now: Int64) async throws -> Lease? {
        try await ledger.claim(
            worker: WorkerID(worker),
            request: "\(worker) \(now)",
            warm: nil,
            reach: PipelineReach(patterns: reach),
            now: now
        )
    }

    @Test("gives a worker with patterns tests of its pipelines alone")
    func reach() async throws {
        let pay = try await open("1", of: "pay")
        let web = try await open("2", of: "web")
        #expect(try await claim("of-web", ["web"], at: 2)?.shard.run == web)
        #expect(try await claim("of-none", ["other-*"], at: 2) == nil)
        #expect(try await claim("of-all", nil, at: 3)?.shard.run == pay)
    }

    @Test("repeats a failed test on the only worker that may run it, beside workers of others")
    func alone() async throws {
        let run = try await open("1", of: "pay", tests: 1)
        for now in 2..<6 { #expect(try await claim("of-web", ["web"], at: Int64(now)) == nil) }
        let lease = try #require(try await claim("of-pay", ["pay"], at: 6))
        let reports = lease.shard.tests.map {
            TestReport(test: $0, ending: .failed("no"), seconds: 1)
        }
        _ = try await ledger.report(lease.token, reports, now: 7)
        let evidence = LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
        _ = try await ledger.complete(lease.token, evidence: evidence, now: 8)
        let again = try await claim("of-pay", ["pay"], at: 9)
        #expect(again?.shard.run == run)
        #expect(try await ledger.obstacle(to: WorkerID("of-web"), now: 9) == nil)
    }

    @Test("keeps the keys of two pipelines apart")
    func keys() async throws {
        let pay = try await open("1", of: "pay", key: "build 7")
        let web = try await open("2", of: "web", key: "build 7")
        #expect(pay != web)
        #expect(try await open("3", of: "pay", key: "build 7") == pay)
        #expect(try await ledger.run(key: "build 7", of: "web") == web)
        #expect(try await ledger.run(key: "build 7", of: "other") == nil)
        #expect(try await ledger.pipeline(of: web) == "web")
    }

    @Test("lists the runs of the pipelines that the caller reaches")
    func lists() async throws {
        for (id, pipeline) in [("1", "pay-a"), ("2", "web"), ("3", "pay-b")] {
            _ = try await open(id, of: pipeline)
        }
        func listed(_ patterns: [String]?) async throws -> Set<String> {
            let reach = PipelineReach(patterns: patterns)
            return Set(try await ledger.runs(RunQuery(limit: 9, reach: reach)).map(\.id.text))
        }
        #expect(try await listed(["pay-*"]) == ["1", "3"])
        #expect(try await listed(["none"]) == [])
        #expect(try await listed([]) == [])
        #expect(try await listed(nil) == ["1", "2", "3"])
    }

    @Test("remembers which patterns have sent which blob, until it is forgotten")
    func uploads() async throws {
        let digests = ["a", "b"].map { Digest(of: Data($0.utf8)) }
        let (pay, web) = (PipelineReach(patterns: ["pay"]), PipelineReach(patterns: ["web"]))
        try await ledger.noteUpload(of: digests[0], by: pay, now: 5)
        #expect(try await ledger.uploads(by: pay, among: digests) == [digests[0]])
        #expect(try await ledger.uploads(by: web, among: digests) == [])
        try await ledger.noteUpload(of: digests[0], by: pay, now: 9)
        try await ledger.forgetUploads(before: 9)
        #expect(try await ledger.uploads(by: pay, among: digests) == [digests[0]])
        try await ledger.forgetUploads(before: 10)
        #expect(try await ledger.uploads(by: pay, among: digests) == [])
    }

    @Test("keeps its audit log in order over a restart, and never loses the newest entry")
    func audit() async throws {
        func entry(_ at: Int64, _ subject: String) -> AuditEntry {
            AuditEntry(at: at, who: "ci", address: "10.0.0.1", action: .submitted, subject: subject)
        }
        for (at, subject) in [(1, "r1"), (2, "r2"), (3, "r3")] {
            try await ledger.add(entry(Int64(at), subject))
        }
        try ledger.close()
        let next = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        try await next.add(entry(4, "r4"))
        #expect(try await next.auditLog(limit: 3).map(\.subject) == ["r4", "r3", "r2"])
        try await next.removeAudit(before: 3)
        #expect(try await next.auditLog(limit: 9).map(\.subject) == ["r4", "r3"])
        try await next.removeAudit(before: 100)
        #expect(try await next.auditLog(limit: 9).map(\.subject) == ["r4"])
    }
}
