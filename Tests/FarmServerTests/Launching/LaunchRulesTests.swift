import FarmCore
import FarmServer
import FarmTesting
import Testing

@testable import FarmLedger

@Suite("Which workers are started and stopped")
struct LaunchRulesTests {
    private static let now: Int64 = 1_764_000_000_000

    private static func offer(_ words: String...) -> WorkerOffer {
        var offer = WorkerOffer()
        for word in words { try? offer.add(word: word) }
        return offer
    }

    private static func launcher(
        named name: String = "l",
        min: Int = 0,
        max: Int = 4,
        tests: Int = 10,
        offer: WorkerOffer = WorkerOffer(),
        _ workers: [LaunchedWorker] = []
    ) -> LauncherState {
        var settings = LauncherSettings(name: name, place: .local, offers: offer, max: max)
        settings.min = min
        settings.testsPerWorker = tests
        settings.startSeconds = 60
        return LauncherState(settings: settings, offer: offer, workers: workers)
    }

    private static func work(
        waiting: Int,
        leased: Int = 0,
        leases: Int = 0,
        needs: String? = nil
    ) -> OpenWork {
        let need = needs.flatMap { try? Need(name: $0, parsing: Need.anything) }
        return OpenWork(
            run: RunID("r"),
            needs: Needs(need.map { [$0] } ?? []),
            cell: CellKey(job: JobName("pages"), cell: CellID("A")),
            waiting: waiting,
            open: waiting + leased,
            leases: leases
        )
    }

    /// Returns a worker that was started `ago` seconds ago.
    private static func started(
        number: Int = 1,
        ago: Int64 = 10,
        _ listing: LaunchedWorker.Listing = .running,
        of launcher: String = "l"
    ) -> LaunchedWorker {
        LaunchedWorker(
            LaunchedName(launcher: launcher, second: now / 1000 - ago, number: number),
            listing
        )
    }

    private static func called(
        _ worker: LaunchedWorker,
        silent seconds: Int64 = 0,
        leases: Int = 0,
        offer: WorkerOffer = WorkerOffer()
    ) -> CalledWorker {
        CalledWorker(
            id: worker.name.worker,
            seen: now - seconds * 1000,
            isLive: seconds < 30,
            leases: leases,
            offer: offer
        )
    }

    /// Returns the number of workers that each launcher starts.
    private func starts(
        _ work: [OpenWork],
        _ called: [CalledWorker] = [],
        _ launchers: [LauncherState]
    ) -> [Int] {
        var counts = launchers.map { _ in 0 }
        for step in LaunchRules.steps(
            work: work,
            called: called,
            launchers: launchers,
            now: Self.now
        ) {
            if case .start(let place, let count, _, _) = step { counts[place] += count }
        }
        return counts
    }

    private func stops(
        _ work: [OpenWork],
        _ called: [CalledWorker] = [],
        _ launcher: LauncherState
    ) -> [LaunchStop] {
        LaunchRules.steps(work: work, called: called, launchers: [launcher], now: Self.now)
            .compactMap { step in
                if case .stop(_, _, let reason) = step { reason } else { nil }
            }
    }

    @Test(
        "one worker is started for so many open test cases, and never more than max",
        arguments: [(0, 0), (1, 1), (10, 1), (11, 2), (40, 4), (4000, 4)]
    )
    func counts(waiting: Int, started: Int) {
        #expect(starts([Self.work(waiting: waiting)], [], [Self.launcher()]) == [started])
    }

    @Test("nothing is started while a started worker may still come, nor beside one that is idle")
    func coming() {
        let work = [Self.work(waiting: 10)]
        #expect(starts(work, [], [Self.launcher([Self.started()])]) == [0])
        #expect(starts([Self.work(waiting: 30)], [], [Self.launcher([Self.started()])]) == [2])
        let idle = CalledWorker(id: WorkerID("own"), seen: Self.now, isLive: true)
        #expect(starts(work, [idle], [Self.launcher()]) == [0], "also one nobody launched")
        var unfit = idle
        unfit.isUnfit = true
        #expect(starts(work, [unfit], [Self.launcher()]) == [1], "it cannot work")
        var busy = idle
        busy.leases = 1
        #expect(starts(work, [busy], [Self.launcher()]) == [1], "it works for another")
        #expect(
            starts([Self.work(waiting: 5, leased: 5, leases: 1)], [busy], [Self.launcher()]) == [0]
        )
    }

    @Test("a worker that never comes is given up after its time, and another may be started")
    func late() {
        let work = [Self.work(waiting: 10)]
        let launcher = Self.launcher([Self.started(ago: 61)])
        #expect(stops(work, [], launcher) == [.late])
        #expect(starts(work, [], [launcher]) == [1])
        #expect(stops(work, [], Self.launcher([Self.started(ago: 59)])) == [])
        let gone = Self.started(.gone)
        #expect(
            LaunchRules.phase(of: gone, nil, startSeconds: 60, now: Self.now) == .endedUncalled
        )
        #expect(starts(work, [], [Self.launcher([gone])]) == [1])
    }

    @Test("a worker that left is replaced at once, and one that hangs is stopped")
    func gone() {
        let work = [Self.work(waiting: 10)]
        let gone = Self.started(ago: 500, .gone)
        #expect(starts(work, [Self.called(gone, silent: 5)], [Self.launcher([gone])]) == [1])
        #expect(
            starts(work, [Self.called(gone, silent: 5)], [Self.launcher()]) == [1],
            "also one that was forgotten: the ledger counts it as live for a while"
        )
        let hangs = Self.started(ago: 500)
        #expect(stops(work, [Self.called(hangs, silent: 119)], Self.launcher([hangs])) == [])
        #expect(stops(work, [Self.called(hangs, silent: 120)], Self.launcher([hangs])) == [.silent])
        let full = Self.launcher(max: 1, [hangs])
        #expect(starts(work, [Self.called(hangs, silent: 120)], [full]) == [0], "it still runs")
    }

    @Test("a worker in its scheduler's queue is taken out when nothing waits; one that runs is not")
    func unneeded() {
        let queue = [
            Self.started(number: 1, .pending), Self.started(number: 2, .pending),
            Self.started(number: 3),
        ]
        #expect(stops([], [], Self.launcher(queue)) == [.unneeded, .unneeded])
        #expect(stops([Self.work(waiting: 20)], [], Self.launcher(queue)) == [.unneeded])
        #expect(stops([], [], Self.launcher(min: 3, queue)) == [])
    }

    @Test("min are there when nothing waits, and stay")
    func min() {
        let launcher = Self.launcher(min: 2, [Self.started()])
        let steps = LaunchRules.steps(work: [], called: [], launchers: [launcher], now: Self.now)
        #expect(steps == [.start(launcher: 0, count: 1, cell: nil, stay: true)])
    }

    @Test("a launcher that pauses, or whose scheduler does not answer, starts and stops nothing")
    func pauses() {
        let work = [Self.work(waiting: 10)]
        var launcher = Self.launcher(min: 1, [Self.started(ago: 100)])
        launcher.isListed = false
        #expect(starts(work, [], [launcher]) == [0])
        #expect(stops(work, [], launcher) == [])
        launcher.isListed = true
        launcher.pausedUntil = Self.now + 1
        #expect(starts(work, [], [launcher]) == [0])
        #expect(stops(work, [], launcher) == [.late])
        #expect(
            starts(work, [], [launcher, Self.launcher(named: "m")]) == [0, 1],
            "the next one does"
        )
    }

    @Test("work goes to the first launcher that fits, and what is over to the next")
    func fits() {
        let lab = Self.launcher(named: "lab", max: 2, offer: Self.offer("lab"))
        let plain = Self.launcher(named: "plain", max: 2)
        #expect(starts([Self.work(waiting: 10)], [], [lab, plain]) == [1, 0])
        #expect(starts([Self.work(waiting: 40)], [], [lab, plain]) == [2, 2])
        let needsLab = Self.work(waiting: 100, needs: "lab")
        #expect(starts([needsLab], [], [plain, lab]) == [0, 2])
        #expect(starts([Self.work(waiting: 100, needs: "gpu")], [], [plain, lab]) == [0, 0])
        let idle = CalledWorker(id: WorkerID("own"), seen: Self.now, isLive: true)
        #expect(starts([needsLab, Self.work(waiting: 1)], [idle], [plain, lab]) == [0, 2])
    }

    @Test("a worker that lacks what its launcher promised is not started again and again")
    func lacks() {
        let own = Self.started(ago: 50)
        let launcher = Self.launcher(offer: Self.offer("lab"), [own])
        #expect(
            starts([Self.work(waiting: 5, needs: "lab")], [Self.called(own)], [launcher]) == [0]
        )
    }

    @Test("failures in a row make a launcher wait longer, up to ten minutes")
    func pauseSeconds() {
        #expect(
            [0, 1, 2, 3, 7, 99].map { LaunchRules.pauseSeconds(failures: $0) }
                == [0, 10, 20, 40, 600, 600]
        )
    }

    @Test(
        "only a launcher's own names are its workers'",
        arguments: [
            ("l-12-3", true), ("l-12", false), ("l-12-3-4", false), ("m-12-3", false),
            ("l-x-3", false), ("l-012-3", false), ("l--12-3", false), ("", false),
            ("l-12-3 ", false),
        ]
    )
    func names(text: String, isOwn: Bool) {
        #expect((LaunchedName(text, of: "l") != nil) == isOwn)
    }

    /// Simulates small farms: workers come late or never, die, hang and leave, and work comes and
    /// goes.
    @Test("whatever happens, no launcher has more than max, and without work all are gone")
    func property() {
        var random = SeededGenerator.announced()
        for _ in 0..<200 {
            var farm = SmallFarm(using: &random)
            for _ in 0..<60 { farm.step(using: &random) }
            farm.isOver = true
            farm.waiting = 0
            for _ in 0..<80 { farm.step(using: &random) }
            #expect(farm.listed.isEmpty, "scale to zero")
        }
    }

    private struct SmallFarm {
        struct Machine {
            var name: LaunchedName
            var isPending: Bool
            var comesIn: Int?
            var seen: Int64?
            var idle = 0
        }
        let max: Int
        var listed: [Machine] = []
        var waiting = 0
        /// Whether no more work comes.
        var isOver = false
        private var now = LaunchRulesTests.now
        private var number = 0
        private var called: [WorkerID: CalledWorker] = [:]
        private var gone: [LaunchedName] = []

        init(using random: inout SeededGenerator) { max = Int.random(in: 1...5, using: &random) }

        mutating func step(using random: inout SeededGenerator) {
            now += 3_000
            if !isOver, Int.random(in: 0..<8, using: &random) == 0 {
                waiting = Int.random(in: 0...80, using: &random)
            }
            live(using: &random)
            let launcher = state
            let steps = LaunchRules.steps(
                work: waiting > 0 ? [LaunchRulesTests.work(waiting: waiting)] : [],
                called: Array(called.values),
                launchers: [launcher],
                now: now
            )
            gone = []
            for step in steps {
                switch step {
                case .start(_, let count, _, _): start(count, using: &random)
                case .stop(_, let name, _): listed.removeAll { $0.name == name }
                }
            }
            #expect(listed.count <= max)
            #expect(waiting > 0 || steps.allSatisfy { if case .stop = $0 { true } else { false } })
        }

        private var state: LauncherState {
            LaunchRulesTests.launcher(
                max: max,
                listed.map { LaunchedWorker($0.name, $0.isPending ? .pending : .running) }
                    + gone.map { LaunchedWorker($0, .gone) }
            )
        }

        private mutating func start(_ count: Int, using random: inout SeededGenerator) {
            for _ in 0..<count {
                number += 1
                let name = LaunchedName(launcher: "l", second: now / 1000, number: number)
                let comes = Int.random(in: 0..<5, using: &random) > 0
                listed.append(
                    Machine(
                        name: name,
                        isPending: Bool.random(using: &random),
                        comesIn: comes ? Int.random(in: 0...10, using: &random) : nil
                    )
                )
            }
        }

        /// Makes workers come, call, hang, die, and leave after being idle.
        private mutating func live(using random: inout SeededGenerator) {
            for place in listed.indices.reversed() {
                let luck = Int.random(in: 0..<40, using: &random)
                if luck == 0 {
                    gone.append(listed.remove(at: place).name)
                    continue
                }
                if let comes = listed[place].comesIn {
                    listed[place].comesIn = comes > 0 ? comes - 1 : nil
                    if comes == 0 { listed[place].seen = now }
                    listed[place].isPending = false
                } else if listed[place].seen != nil, luck != 1 {
                    listed[place].seen = now
                    listed[place].idle = waiting > 0 ? 0 : listed[place].idle + 1
                }
                let machine = listed[place]
                if let seen = machine.seen {
                    called[machine.name.worker] = CalledWorker(
                        id: machine.name.worker,
                        seen: seen,
                        isLive: now - seen < 30_000
                    )
                }
                if machine.idle > 5 { gone.append(listed.remove(at: place).name) }
            }
        }
    }
}
