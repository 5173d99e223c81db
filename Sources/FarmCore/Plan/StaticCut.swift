// Tests cut for machines by what they and the start on their cells cost. Two ways, and the one that
// ends sooner: test by test, longest first, each to the machine that would be done soonest (Graham
// 1969: at most 4/3 of the best cut where starting costs nothing); and cell by cell, each machine
// filled to a limit before the next goes on with the rest (McNaughton 1959), which starts on at most
// one cell more for each machine. The first is better for many short starts, the second for few
// long ones.

/// What is to be cut; times in microseconds.
struct StaticCut {
    /// Of each test.
    let times: [Int]
    /// Of each test: the place of its cell in `starts`.
    let cells: [Int]
    /// Of each cell: before a machine's first test there.
    let starts: [Int]
    /// All tests, longest first.
    let order: [Int]

    /// The limit is found to a part in so many of the time.
    private static let exactness = 1_000

    /// The machine of each test, from 0.
    func machines(_ total: Int) -> [Int] {
        let greedy = testByTest(total)
        var best = greedy.machines
        // Below it no limit holds everything; at the upper one the first way is as good.
        var low = (times.reduce(0, +) + starts.reduce(0, +)) / max(1, total)
        var high = greedy.end
        while high - low > high / Self.exactness + 1 {
            let limit = low + (high - low) / 2
            if let cut = cellByCell(total, limit: limit) {
                best = cut
                high = limit
            } else {
                low = limit
            }
        }
        return best
    }

    private func testByTest(_ total: Int) -> (machines: [Int], end: Int) {
        var machines = [Int](repeating: 0, count: times.count)
        var loads = [Int](repeating: 0, count: total)
        var started = [Set<Int>](repeating: [], count: total)
        for test in order {
            let cell = cells[test]
            let ends = loads.indices.map { machine in
                loads[machine] + times[test] + (started[machine].contains(cell) ? 0 : starts[cell])
            }
            let best = ends.indices.min { (ends[$0], $0) < (ends[$1], $1) } ?? 0
            machines[test] = best
            loads[best] = ends[best]
            started[best].insert(cell)
        }
        return (machines, loads.max() ?? 0)
    }

    /// Nil where the machines cannot hold everything within the limit this way.
    private func cellByCell(_ total: Int, limit: Int) -> [Int]? {
        var waiting = starts.map { _ in [Int]() }
        for test in order { waiting[cells[test]].append(test) }
        let work = waiting.indices.map { cell in
            waiting[cell].reduce(starts[cell]) { $0 + times[$1] }
        }
        var machines = [Int](repeating: 0, count: times.count)
        var machine = 0
        var load = 0
        for cell in waiting.indices.sorted(by: { (work[$1], $0) < (work[$0], $1) }) {
            while !waiting[cell].isEmpty {
                guard machine < total else { return nil }
                var end = load + starts[cell]
                var left: [Int] = []
                for test in waiting[cell] {
                    guard end + times[test] <= limit else {
                        left.append(test)
                        continue
                    }
                    machines[test] = machine
                    end += times[test]
                }
                if left.count < waiting[cell].count { load = end }
                if !left.isEmpty { (machine, load) = (machine + 1, 0) }
                waiting[cell] = left
            }
        }
        return machines
    }
}
