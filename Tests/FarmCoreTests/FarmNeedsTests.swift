import FarmCore
import Foundation
import Testing

@Suite("The farm for its operator")
struct FarmNeedsTests {
    private static let now: Int64 = 100 * 86_400_000

    private static func farm(
        waiting: Int = 0,
        workers: [FarmOverview.WorkerLine] = [],
        _ change: (inout FarmOverview) -> Void = { _ in }
    ) -> FarmOverview {
        var team = FarmOverview.TeamLine(Team(name: "pay"))
        team.waiting = waiting
        var farm = FarmOverview(
            time: "",
            teams: [team],
            queue: [],
            oldestWaitingSeconds: 0,
            workers: workers,
            launchers: [],
            coordinator: FarmOverview.CoordinatorLine()
        )
        change(&farm)
        return farm
    }

    private static func worker(
        _ state: WorkerLiveness,
        quiet: Int? = nil,
        silentFor: Int = 60,
        _ problem: Problem? = nil
    ) -> FarmOverview.WorkerLine {
        FarmOverview.WorkerLine(
            worker: WorkerID("mac"),
            state: state,
            seen: "2026-11-28T10:00:00Z",
            seenSeconds: silentFor,
            lease: quiet.map { quiet in
                FarmOverview.LeaseLine(
                    run: RunID("r1"),
                    pipeline: "pay-app",
                    job: JobName("unit"),
                    cell: CellID("A"),
                    test: TestID("t"),
                    seconds: 400,
                    quietSeconds: quiet
                )
            },
            problem: problem
        )
    }

    private static let unfit = Problem(code: "disk", message: "no room.", remedy: "Make some.")

    @Test(
        "needs a person for exactly this",
        arguments: [
            (farm(), []),
            (farm(waiting: 3, workers: [worker(.live)]), []),
            (farm(waiting: 3, workers: [worker(.silent)]), ["no-worker", "worker-silent"]),
            (farm(workers: [worker(.silent, silentFor: 90_000)]), []),
            (farm(workers: [worker(.live, quiet: 299)]), []),
            (farm(workers: [worker(.live, quiet: 300)]), ["lease-late"]),
            (farm(workers: [worker(.silent, quiet: 10)]), ["worker-silent"]),
            (farm(workers: [worker(.unfit, unfit)]), ["disk"]),
            (farm(workers: [worker(.left, unfit)]), []),
            (
                farm {
                    $0.coordinator.diskBytes = 100_000_000
                    $0.coordinator.diskFreeBytes = 9_999_999
                }, ["disk-nearly-full"]
            ),
            (
                farm {
                    $0.coordinator.diskBytes = 100_000_000
                    $0.coordinator.diskFreeBytes = 10_000_000
                }, []
            ),
            (farm { $0.coordinator.unjudgedRuns = 2 }, ["runs-not-judged"]),
            (farm { $0.coordinator.behindChanges = 1_001 }, ["copy-behind"]),
            (
                farm {
                    $0.launchers = [
                        FarmOverview.LauncherLine(launcher: "k8s", coming: 0, live: 0, failed: 3)
                    ]
                }, ["launcher-fails"]
            ),
        ] as [(FarmOverview, [String])]
    )
    func needs(farm: FarmOverview, codes: [String]) {
        let needs = FarmNeeds.of(
            farm,
            storage: [],
            ending: [],
            lastBackup: Self.now - 86_400_000,
            now: Self.now
        )
        #expect(needs.map(\.code) == codes)
        #expect(needs.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test("names failures of storage first, and backups, tokens and certificates last")
    func order() {
        let day: Int64 = 86_400_000
        let needs = FarmNeeds.of(
            Self.farm(waiting: 1),
            storage: [Self.unfit],
            ending: [
                .certificate(Self.now + 3 * day), .certificate(Self.now + 15 * day),
                EndingThing(name: "the token ci", end: Self.now - 1, remedy: "x"),
            ],
            lastBackup: nil,
            now: Self.now
        )
        #expect(
            needs.map(\.code) == ["disk", "no-worker", "expires", "expires", "backup-missing"]
        )
        #expect(needs[2].message.contains("the certificate expires at"))
        #expect(needs[3].message.contains("the token ci has expired at"))
    }
}

@Suite("The quota of a team")
struct TeamQuotaTests {
    @Test(
        "refuses a run where open runs or waiting test cases are at their limit",
        arguments: [
            (TeamQuota(runs: 2), 1, 0, 10, true), (TeamQuota(runs: 2), 2, 0, 10, false),
            (TeamQuota(tests: 100), 5, 60, 40, true), (TeamQuota(tests: 100), 5, 60, 41, false),
            // A run that is larger than the limit would wait for ever.
            (TeamQuota(tests: 100), 0, 0, 5_000, true), (TeamQuota(tests: 100), 1, 1, 5_000, false),
            (TeamQuota(days: 3), 9_999, 9_999, 9_999, true),
        ]
    )
    func refusal(quota: TeamQuota, open: Int, waiting: Int, planned: Int, mayRun: Bool) {
        let refusal = quota.refusal(of: "pay", openRuns: open, waiting: waiting, planned: planned)
        #expect((refusal == nil) == mayRun)
        #expect(refusal?.exit ?? .busy == .busy)
        #expect(refusal?.message.contains("the team pay") ?? true)
    }

    @Test("of bytes lets the oldest ended runs go, until the blobs of the others fit")
    func bytes() throws {
        let blobs = (0..<5).map { Digest(of: Data("\($0)".utf8)) }
        let sizes = Dictionary(uniqueKeysWithValues: blobs.map { ($0, 10) })
        func run(_ name: String, at time: Int64, isOpen: Bool = false) -> RetainedRun {
            RetainedRun(id: RunID(name), started: time, ended: isOpen ? nil : time, pipeline: "p")
        }
        let runs = [
            run("oldest", at: 1), run("old", at: 2), run("new", at: 3),
            run("open", at: 0, isOpen: true),
        ]
        let named: [RunID: Set<Digest>] = [
            RunID("oldest"): [blobs[0]], RunID("old"): [blobs[1], blobs[2]],
            RunID("new"): [blobs[2], blobs[3]], RunID("open"): [blobs[4]],
        ]
        func left(_ bytesMax: Int) -> [String] {
            let rest = RetentionRules.overfull(
                runs,
                blobs: named,
                sizes: sizes,
                bytesMax: bytesMax
            )
            let kept = runs.filter { !rest.runs.contains($0.id) }.compactMap { named[$0.id] }
            #expect(
                rest.keptBytes == kept.reduce(into: Set<Digest>()) { $0.formUnion($1) }.count * 10
            )
            return rest.runs.map(\.text)
        }
        #expect(left(50) == [])
        #expect(left(49) == ["oldest"])
        // An old run leaves although it alone would fit: what remains has no gap.
        #expect(left(39) == ["old", "oldest"])
        // The newest ended run and open ones stay.
        #expect(left(1) == ["old", "oldest"])
        let teams = Teams([Team(name: "p", quota: TeamQuota(bytes: 9))])
        #expect(RetentionRules.blobDays(.standard, teams: teams) == 1)
        #expect(RetentionRules.blobDays(.standard, teams: Teams()) == 30)
    }

    @Test(
        "of bytes is written with a unit",
        arguments: [
            ("20 GB", 20_000_000_000), ("5kB", 5_000), ("1 TB", 1_000_000_000_000), ("20", nil),
            ("GB", nil), ("0 MB", nil), ("-1 GB", nil), ("1.5 GB", nil), ("9999999999 TB", nil),
        ]
    )
    func size(text: String, bytes: Int?) {
        #expect(ByteSize.bytes(of: text) == bytes)
        #expect(bytes.map { ByteSize.bytes(of: ByteSize.text($0)) } ?? nil == bytes)
    }

    @Test("keeps the runs of its team for its own days, and other runs as before")
    func days() {
        let day: Int64 = 86_400_000
        let runs = ["pay-a", "web"].flatMap { pipeline in
            (1...6).map { age in
                RetainedRun(
                    id: RunID("\(pipeline) \(age)"),
                    started: -Int64(age) * day,
                    ended: -Int64(age) * day,
                    pipeline: pipeline
                )
            }
        }
        let teams = Teams([
            Team(name: "pay", pipelines: ["pay-*"], quota: TeamQuota(days: 2))
        ])
        let policy = RetentionPolicy(keepDays: 5, keepRuns: 1)
        let expired = RetentionRules.expired(runs, policy, teams: teams, now: 0).map(\.text)
        #expect(
            expired == ["pay-a 6", "web 6", "pay-a 5", "web 5", "pay-a 4", "pay-a 3", "pay-a 2"]
        )
    }
}
