import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

@testable import FarmServer

@Suite("A run that another machine hands in")
struct AdmissionTests {
    private static let bundle = Data("a bundle".utf8)
    private static let ci = AccessGrant(name: "ci", scopes: [.submit])

    private func withCoordinator(
        _ name: String,
        _ body: (RestartableFarm, Coordinator) async throws -> Void
    ) async throws {
        try await RestartableFarm.withCoordinator(name) { farm, coordinator, _ in
            _ = try await coordinator.blobs.put(Self.bundle)
            try await body(farm, coordinator)
        }
    }

    private static func job(tests: Int) -> PlannedJob {
        var planned = RestartableFarm.planned(tests: tests)
        planned.prepared[BundleRules.key] = Digest(of: bundle).hex
        return planned
    }

    @Test("is refused where what its history says is not of its plan")
    func costs() async throws {
        try await withCoordinator("admit-costs") { farm, coordinator in
            var request = farm.request([Self.job(tests: 2)])
            request.costs = PlanCosts(cells: [[CellCosts(start: 0, tests: [1])]])
            await #expect(throws: SubmissionError.costs) {
                _ = try await coordinator.admit(request, id: RunID("1"), by: Self.ci)
            }
            request.costs = PlanCosts(cells: [[CellCosts(start: 0, tests: [1, 1])]])
            let admitted = try await coordinator.admit(request, id: RunID("1"), by: Self.ci)
            #expect(admitted == RunID("1"))
        }
    }

    @Test("joins only a run of its own plan, also where both came at the same moment")
    func sameMoment() async throws {
        try await withCoordinator("admit-together") { farm, coordinator in
            for round in 0..<30 {
                let one = farm.request([Self.job(tests: 1)], key: "k\(round)")
                let other = farm.request([Self.job(tests: 2)], key: "k\(round)")
                func isAdmitted(_ request: SubmitRequest, _ id: String) async throws -> Bool {
                    do {
                        let run = try await coordinator.admit(request, id: RunID(id), by: Self.ci)
                        #expect(run == RunID(id), "of another plan")
                        return true
                    } catch SubmissionError.otherPlan {
                        return false
                    }
                }
                async let first = isAdmitted(one, "\(round)-a")
                async let second = isAdmitted(other, "\(round)-b")
                let admitted = try await [first, second]
                #expect(admitted.count { $0 } == 1)
                let runs = try await coordinator.runs(limit: 100)
                #expect(runs.count { $0.key == one.key } == 1)
            }
        }
    }

    @Test("is for its workers to read while it is open, and no longer")
    func reading() async throws {
        try await withCoordinator("admit-reading") { farm, coordinator in
            let run = try await coordinator.admit(
                farm.request([Self.job(tests: 1)]),
                id: RunID("1"),
                by: Self.ci
            )
            #expect(try await coordinator.isOpenBundle(Digest(of: Self.bundle)))
            try await coordinator.cancel(run)
            #expect(try await !coordinator.isOpenBundle(Digest(of: Self.bundle)))
        }
    }

    @Test("at the same moment as others of its team does not pass the quota")
    func quota() async throws {
        let farm = try RestartableFarm("admit-quota")
        let ledger = try SQLiteLedger(path: farm.folder.file("ledger.sqlite"))
        defer { try? ledger.close() }
        var hooks = CoordinatorHooks()
        hooks.teams = {
            Teams([Team(name: "ours", pipelines: ["p"], quota: TeamQuota(runs: 3))])
        }
        let coordinator = try farm.coordinator(ledger, hooks: hooks)
        _ = try await coordinator.blobs.put(Self.bundle)
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<12 {
                let request = farm.request([Self.job(tests: 1)], key: "k\(number)")
                group.addTask {
                    do {
                        _ = try await coordinator.admit(
                            request,
                            id: RunID("\(number)"),
                            by: Self.ci
                        )
                        return true
                    } catch is QuotaRefusal {
                        return false
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(admitted == 3)
        #expect(try await ledger.openRuns().count == 3)
    }

    @Test("by a token with patterns needs a bundle that its own callers have sent")
    func bundleOfOthers() async throws {
        try await withCoordinator("admit-bundle") { farm, coordinator in
            let request = farm.request([Self.job(tests: 1)])
            let digest = Digest(of: Self.bundle)
            let grant = AccessGrant(
                name: "ours",
                scopes: [.submit],
                reach: PipelineReach(patterns: [request.plan.pipeline])
            )
            await #expect(
                throws: SubmissionError.bundleMissing(request.plan.jobs[0].job.name, digest)
            ) {
                _ = try await coordinator.admit(request, id: RunID("1"), by: grant)
            }
            try await coordinator.noteUpload(of: digest, by: grant)
            let run = try await coordinator.admit(request, id: RunID("1"), by: grant)
            #expect(run == RunID("1"))
            let entries = try await coordinator.auditLog(limit: 9, nil)
            #expect(entries.map(\.action) == [.submitted] && entries[0].who == "ours")
            var other = grant
            other.reach = PipelineReach(patterns: ["other"])
            await #expect(throws: AccessRefusal.self) {
                _ = try await coordinator.admit(request, id: RunID("2"), by: other)
            }
        }
    }
}

@Suite("A run that nobody works for")
struct AbandonedRunTests {
    @Test("is given up in time, and after a restart not before everybody had the whole time again")
    func restart() async throws {
        let farm = try RestartableFarm("abandoned")
        let clock = SetClock()
        let ledger = try SQLiteLedger(path: farm.folder.file("ledger.sqlite"))
        defer { try? ledger.close() }
        func coordinator() throws -> Coordinator {
            try farm.coordinator(ledger, silenceSeconds: 100, clock: clock.read)
        }
        func isOpen(_ coordinator: Coordinator, at second: Int64) async throws -> Bool {
            clock.set(second * 1000)
            try await coordinator.endRuns()
            return try await coordinator.isOpen(farm.run)
        }
        try await farm.submit(tests: 1, to: try coordinator())
        clock.set(1_000_000)
        let again = try coordinator()
        #expect(try await isOpen(again, at: 1_030))
        #expect(try await isOpen(again, at: 1_099))
        #expect(try await !isOpen(again, at: 1_130))
    }
}
