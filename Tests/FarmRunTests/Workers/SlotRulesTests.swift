import FarmCore
import Testing

@testable import FarmRun

@Suite("How many workers a machine has")
struct SlotRulesTests {
    private func next(
        _ workers: Int,
        waiting: Double,
        source: HostLoad.Source = .pressure,
        memory: Double? = 0.5,
        open: Int = 1_000,
        first: Int = 4
    ) -> Int {
        let load = HostLoad(waiting: waiting, source: source)
        return SlotRules.next(
            workers,
            room: HostRoom(load: load, freeMemory: memory),
            open: open,
            atFirst: first
        )
    }

    @Test("a machine whose tests only wait gets more workers, to four for each it began with")
    func grows() {
        var workers = 4
        var counts: [Int] = []
        for _ in 0..<8 {
            workers = next(workers, waiting: 0.05)
            counts.append(workers)
        }
        #expect(counts == [5, 6, 7, 8, 10, 12, 15, 16])
        #expect(next(16, waiting: 0.05) == 16)
    }

    @Test("one whose processors are in use keeps those it has")
    func stays() {
        #expect(next(4, waiting: 0.3) == 4)
        #expect(next(9, waiting: 0.87) == 9)
    }

    @Test("one that starves its tests loses workers, down to those it began with")
    func shrinks() {
        #expect(next(9, waiting: 0.9) == 8)
        #expect(next(4, waiting: 1) == 4)
        #expect(next(2, waiting: 1) == 2)
    }

    @Test("memory that runs out takes workers away, and little of it gives none")
    func memory() {
        #expect(next(9, waiting: 0, memory: 0.05) == 8)
        #expect(next(9, waiting: 0, memory: 0.15) == 9)
        #expect(next(9, waiting: 0, memory: nil) == 11)
    }

    @Test("no worker is started for which there is no test case")
    func tail() {
        #expect(next(4, waiting: 0, open: 4) == 4)
        #expect(next(8, waiting: 0, open: 9) == 9)
        // A worker without work leaves by itself.
        #expect(next(8, waiting: 0, open: 2) == 8)
    }

    @Test("a machine that only has a load average keeps its workers")
    func loadAverage() { #expect(next(4, waiting: 0, source: .loadAverage) == 4) }

    @Test("a host of simulators begins with three")
    func simulators() {
        #expect(SlotRules.atFirst(cores: 12, needsSimulators: true) == 3)
        #expect(SlotRules.atFirst(cores: 2, needsSimulators: true) == 2)
        #expect(SlotRules.atFirst(cores: 12, needsSimulators: false) == 12)
    }
}
