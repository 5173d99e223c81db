import FarmCore
import FarmTesting
import Testing

@testable import FarmLedger

@Suite("Whose turn it is")
struct TurnsTests {
    /// Open runs, and workers whose leases end in the order of their grants.
    private struct Farm {
        var turns = Turns()
        var teams = Teams()
        var now: Milliseconds = 0
        var open: [TurnRun] = []
        private(set) var leases: [RunID] = []

        mutating func open(_ run: String, _ pipeline: String, priority: Int = 0) {
            open.append(
                TurnRun(
                    run: RunID(run),
                    pipeline: pipeline,
                    priority: priority,
                    started: now
                )
            )
        }

        mutating func add(_ leases: Int, to run: RunID) {
            for place in open.indices where open[place].run == run {
                open[place].leases += leases
            }
        }

        mutating func claim() -> String? {
            guard let run = turns.order(open, of: teams, now: now).runs.first else { return nil }
            turns.served(run)
            leases.append(run)
            add(1, to: run)
            return run.text
        }

        /// Ends the oldest lease.
        mutating func end() { add(-1, to: leases.removeFirst()) }

        /// Lets each of `workers` claim, and then each claim again as often as `rounds` says; all
        /// leases take a second.
        mutating func work(workers: Int, rounds: Int) -> [String] {
            (0..<rounds).flatMap { _ in
                let served = (0..<workers).compactMap { _ in claim() }
                now += 1_000
                for _ in served { end() }
                return served
            }
        }
    }

    @Test("the team with the fewest leases for its weight comes first, whatever its runs")
    func fewest() {
        var farm = Farm()
        for number in 10..<60 { farm.open("a\(number)", "a", priority: 100) }
        farm.now = 5
        farm.open("b", "b")
        #expect(farm.claim() == "a10", "the older of two teams that have nothing")
        #expect(farm.claim() == "b")
        #expect(farm.claim() == "a11")
        #expect(farm.claim() == "b")
        #expect(farm.claim() == "a12")
        farm.now += 10
        farm.open("c", "c", priority: -100)
        #expect(farm.claim() == "c")
        #expect(farm.claim() == "c")
    }

    @Test("of 8 workers a team of weight 3 gets 6, and of one worker three turns of four")
    func weights() {
        var farm = Farm()
        farm.teams = Teams([Team(name: "pay", pipelines: ["pay-*"], weight: 3)])
        farm.open("a1", "pay-app")
        farm.open("a2", "pay-web")
        farm.open("b", "shop")
        let first = farm.work(workers: 8, rounds: 1)
        #expect(first.count { $0.hasPrefix("a") } == 6, "\(first)")
        let later = farm.work(workers: 1, rounds: 40)
        #expect(later.count { $0.hasPrefix("a") } == 30, "\(later)")
    }

    @Test("with fewer workers than teams, each team gets its turn")
    func round() {
        var farm = Farm()
        for team in ["a", "b", "c", "d", "e"] {
            for run in 1...3 { farm.open("\(team)\(run)", team) }
        }
        let served = farm.work(workers: 2, rounds: 15)
        for team in ["a", "b", "c", "d", "e"] {
            #expect(served.count { $0.hasPrefix(team) } == 6, "\(served)")
        }
    }

    @Test("a team that was idle does not get the time that it did not use")
    func idle() {
        var farm = Farm()
        farm.open("a", "a")
        _ = farm.work(workers: 1, rounds: 100)
        farm.open("b", "b")
        let served = farm.work(workers: 1, rounds: 20)
        #expect(served.first == "b")
        #expect(served.count { $0 == "b" } == 10, "\(served)")
    }

    @Test("a team whose run no worker could take for an hour gets one minute of it")
    func unplaceable() {
        var farm = Farm()
        farm.open("a", "a")
        farm.open("b", "b")
        // No worker fits b: the lease goes to the next run in the order.
        for _ in 0..<3_600 {
            let order = farm.turns.order(farm.open, of: farm.teams, now: farm.now).runs
            #expect(order.first == RunID("b") || farm.now == 0)
            farm.turns.served(RunID("a"))
            farm.add(1, to: RunID("a"))
            farm.now += 1_000
            farm.add(-1, to: RunID("a"))
        }
        let served = farm.work(workers: 1, rounds: 100)
        #expect((50...85).contains(served.count { $0 == "b" }), "\(served.count { $0 == "b" })")
        #expect(served.suffix(20).count { $0 == "b" } == 10)
    }

    @Test("within a team priority counts, then turns; one that came last waits one turn of each")
    func within() {
        var farm = Farm()
        for number in 0..<5 { farm.open("a\(number)", "a") }
        #expect(farm.work(workers: 2, rounds: 2) == ["a0", "a1", "a2", "a3"])
        farm.open("new", "a")
        #expect(farm.work(workers: 1, rounds: 4) == ["a4", "a0", "a1", "a2"])
        farm.open("urgent", "a", priority: 1)
        #expect(farm.work(workers: 1, rounds: 2) == ["urgent", "urgent"])
        farm.open.removeAll { $0.run == RunID("urgent") }
        #expect(farm.work(workers: 1, rounds: 3) == ["a3", "new", "a4"])
    }

    @Test("a run without waiting tests gets no turn, and its leases count for its team")
    func busy() {
        var farm = Farm()
        farm.open("a1", "a")
        farm.open("a2", "a")
        farm.open("b", "b")
        farm.add(2, to: RunID("a1"))
        farm.open[0].waits = false
        #expect(farm.claim() == "b")
        #expect(farm.claim() == "b")
        let order = farm.turns.order(farm.open, of: farm.teams, now: 0).runs
        #expect(!order.contains(RunID("a1")))
    }

    @Test("workers count as shared while a second team has runs, and for ten minutes after")
    func shared() {
        var farm = Farm()
        func isShared(at now: Milliseconds) -> Bool {
            farm.turns.order(farm.open, of: farm.teams, now: now).isShared
        }
        farm.open("a1", "a")
        farm.open("a2", "a")
        #expect(!isShared(at: 0))
        farm.open("b", "b")
        #expect(isShared(at: 1_000))
        farm.open.removeAll { $0.run == RunID("b") }
        #expect(isShared(at: 600_999))
        #expect(!isShared(at: 601_000))
    }

    @Test("new teams of the configuration count at the next claim")
    func reload() {
        var farm = Farm()
        farm.open("a", "a")
        farm.open("b", "b")
        farm.open("c", "c")
        for team in ["a", "b", "c"] { #expect(farm.claim() == team) }
        farm.teams = Teams([Team(name: "all", pipelines: ["a", "b"])])
        #expect(farm.claim() == "c")
    }

    @Test("no team with work waits while another of its weight gets more than its turns")
    func property() {
        var random = SeededGenerator.announced()
        for _ in 0..<200 {
            var farm = Farm()
            let teams = (0..<Int.random(in: 2...8, using: &random)).map { number in
                Team(
                    name: "t\(number)",
                    pipelines: ["p\(number)-*"],
                    weight: Int.random(in: 1...3, using: &random)
                )
            }
            farm.teams = Teams(teams)
            for (number, _) in teams.enumerated() {
                for run in 0..<Int.random(in: 1...5, using: &random) {
                    farm.open(
                        "t\(number)-\(run)",
                        "p\(number)-\(run)",
                        priority: Int.random(in: -100...100, using: &random)
                    )
                }
            }
            let workers = Int.random(in: 1...6, using: &random)
            // The leases that each team got since another one had its last.
            var since: [String: [String: Int]] = [:]
            let weight = Dictionary(uniqueKeysWithValues: teams.map { ($0.name, $0.weight) })
            for _ in 0..<300 {
                if farm.leases.count == workers {
                    farm.now += 1_000
                    farm.end()
                }
                guard let run = farm.claim() else { continue }
                let team = String(run.prefix { $0 != "-" })
                for other in teams.map(\.name) where other != team {
                    since[other, default: [:]][team, default: 0] += 1
                    guard weight[other] == weight[team] else { continue }
                    let got = since[other]?[team] ?? 0
                    #expect(got <= 2 * workers, "\(other) waits while \(team) got \(got)")
                }
                since[team] = [:]
            }
        }
    }
}
