import FarmCore
import FarmPipeline
import Testing

@Suite("Judging a machine and a coordinator")
struct DoctorRulesTests {
    @Test(
        "a full disk ends a run, one that is nearly full is warned of",
        arguments: [
            (0, HealthLine.Level.failure), (99_999_999, .failure), (100_000_000, .warning),
            (999_999_999, .warning), (1_000_000_000, .ok), (Int.max, .ok), (nil, .ok),
        ] as [(Int?, HealthLine.Level)]
    )
    func disk(free: Int?, level: HealthLine.Level) {
        let line = MachineHealth.line(
            WrittenFolder("output", path: "/out", freeBytes: free, isWritable: true)
        )
        #expect(line.level == level, "\(line)")
        #expect(line.exit == (level == .failure ? .inputOutput : .passed))
        #expect(line.fact.hasPrefix("/out "))
        #expect(line.remedy.isEmpty == (level == .ok))
    }

    @Test("a folder that cannot be written is said before its space")
    func readOnly() {
        let line = MachineHealth.line(
            WrittenFolder("cache", path: "/c", freeBytes: 0, isWritable: false)
        )
        #expect(line.fact == "/c cannot be written." && line.exit == .inputOutput)
    }

    @Test(
        "little free memory is warned of, unknown memory is not",
        arguments: [(nil, HealthLine.Level.ok), (0.5, .ok), (0.1, .ok), (0.09, .warning)]
            as [(Double?, HealthLine.Level)]
    )
    func memory(free: Double?, level: HealthLine.Level) {
        let line = MachineHealth.memory(cores: 1, bytes: 4_200_000_000, freeMemory: free)
        #expect(line.level == level)
        #expect(line.fact.hasPrefix("1 core, 4.2 GB of memory"))
    }

    @Test(
        "a clock may differ by the seconds that an HTTP date cannot tell",
        arguments: [
            (nil, HealthLine.Level.ok), (0, .ok), (30, .ok), (-30, .ok), (31, .warning),
            (-3_600, .warning),
        ] as [(Double?, HealthLine.Level)]
    )
    func clock(ahead: Double?, level: HealthLine.Level) {
        let line = MachineHealth.clock(ahead: ahead)
        #expect(line.level == level)
        if level == .warning { #expect(line.fact.contains((ahead ?? 0) > 0 ? "before" : "behind")) }
    }

    @Test(
        "who would hand in a run needs the scope for it",
        arguments: [
            ([AccessScope.submit], true, HealthLine.Level.ok), ([.admin], true, .ok),
            ([.read, .work], true, .failure), ([.work], false, .ok), ([], true, .failure),
        ]
    )
    func token(scopes: [AccessScope], handsIn: Bool, level: HealthLine.Level) {
        let grant = AccessGrant(name: "ci", scopes: Set(scopes))
        let line = CoordinatorHealth.token(grant, handsIn: handsIn)
        #expect(line.level == level, "\(line)")
    }

    @Test("cells that no worker fits are counted, and the nearest worker is named")
    func workers() throws {
        var mac = WorkerOffer()
        try mac.add("xcode", "15.4")
        let workers = [OfferingWorker(WorkerID("mac-1"), mac)]
        let fits = Needs([try Need(name: "xcode", parsing: ">=15")])
        let newer = Needs([try Need(name: "xcode", parsing: ">=16")])
        let none = CoordinatorHealth.workers([], needs: [fits])
        #expect(none.level == .warning && none.remedy.contains("snapfarm worker"))
        #expect(CoordinatorHealth.workers(workers, needs: [fits, Needs([])]).level == .ok)
        let some = CoordinatorHealth.workers(workers, needs: [fits, newer])
        #expect(some.level == .warning)
        #expect(some.fact.hasPrefix("1 of 2 cells would wait: "), "\(some.fact)")
        #expect(some.fact.contains("mac-1"), "\(some.fact)")
    }
}
