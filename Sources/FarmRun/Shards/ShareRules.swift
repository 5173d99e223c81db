// Cuts a plan for machines that do not communicate: each computes all shares from the same plan and
// the same history, and takes its own. Longest first, each test goes to the machine that would
// finish it first (Graham 1969: at most 4/3 of the best cut if starting costs nothing). Without a
// history, all tests count as equally long. A test's identity never contains a share's number, so
// learned durations stay valid for another number of machines.
import FarmCore
import Foundation

package enum ShareRules {
    /// Returns the share of one machine.
    ///
    /// The shares of `place.total` machines are disjoint and add up to the plan.
    ///
    /// Pure: the same plan and history give the same shares. `plan` is the whole plan. An empty
    /// history counts as none.
    package static func share(
        of plan: Plan,
        at place: ShardPlace,
        history: RunHistory?
    ) -> PlanShare {
        shares(of: plan, at: [place], total: place.total, history: history)[0]
    }

    /// Returns the shares of some of `total` machines, in the order of `places`, from one cut.
    package static func shares(
        of plan: Plan,
        at places: [ShardPlace],
        total: Int,
        history: RunHistory?
    ) -> [PlanShare] {
        let learned = history.flatMap { $0.isEmpty ? nil : $0 }
        let digest = learned?.digest
        let items = items(of: plan)
        let machines = machines(of: items, plan, learned.map { LearnedCosts($0) }, total)
        return places.map { place in
            var tests = plan.jobs.map { $0.job.cells.map { _ in [Int]() } }
            for (item, machine) in zip(items, machines) where machine == place.index {
                tests[item.job][item.cell].append(item.test)
            }
            return PlanShare(place: place, history: digest, tests: tests)
        }
    }

    /// A test case on a cell, by its indexes in the plan.
    private struct Item {
        var job: Int
        var cell: Int
        var test: Int
    }

    private static func items(of plan: Plan) -> [Item] {
        plan.jobs.indices.flatMap { job in
            plan.jobs[job].job.cells.indices.flatMap { cell in
                plan.jobs[job].tests.indices.map { Item(job: job, cell: cell, test: $0) }
            }
        }
    }

    private static func key(_ item: Item, _ plan: Plan) -> TestKey {
        let planned = plan.jobs[item.job]
        return TestKey(
            job: planned.job.name,
            cell: planned.job.cells[item.cell].id,
            test: planned.tests[item.test]
        )
    }

    /// Returns the index of the machine that gets each item, from 0.
    private static func machines(
        of items: [Item],
        _ plan: Plan,
        _ costs: LearnedCosts?,
        _ total: Int
    ) -> [Int] {
        let keys = items.map { key($0, plan) }
        let times = keys.map { costs?.microseconds($0) ?? 1 }
        let order = items.indices.sorted { one, other in
            times[one] == times[other] ? keys[one] < keys[other] : times[one] > times[other]
        }
        var machines = [Int](repeating: 0, count: items.count)
        var loads = [Int](repeating: 0, count: total)
        var started = [Set<CellKey>](repeating: [], count: total)
        for test in order {
            let cell = CellKey(job: keys[test].job, cell: keys[test].cell)
            let start = costs?.start(cell) ?? 0
            let ends = loads.indices.map { machine in
                loads[machine] + times[test] + (started[machine].contains(cell) ? 0 : start)
            }
            let best = ends.indices.min { (ends[$0], $0) < (ends[$1], $1) } ?? 0
            machines[test] = best
            loads[best] = ends[best]
            started[best].insert(cell)
        }
        return machines
    }
}

extension ShareRules {
    /// Returns this machine's part of the references that no test of the plan is known to make.
    ///
    /// Only the whole run can tell that they are missing. The merge then shows their pictures, so
    /// one machine must bring them along. A part by `--select` brings those of its own cells.
    package static func orphans(of evidence: RunEvidence) -> [Reference] {
        guard evidence.plan.mode == .verify else { return [] }
        guard let place = evidence.plan.share?.place else {
            return evidence.plan.part.map { orphans(of: evidence, in: $0) } ?? []
        }
        return evidence.plan.filtered ? [] : orphans(of: evidence, at: place)
    }

    private static func orphans(of evidence: RunEvidence, in part: PlanPart) -> [Reference] {
        let tests = part.tests.mapValues { Set($0) }
        let names = Set(part.jobs.map(\.name))
        return evidence.references.sorted { $0.key < $1.key }.flatMap { _, references in
            references.references.filter { reference in
                guard let suite = references.suites[reference.id.firstFolder],
                    names.contains(suite.job)
                else { return true }
                // References of a job that was not selected come with the part that runs it.
                guard let known = tests[suite.job.text] else { return false }
                let test = suite.test(of: reference.id)
                return test.map { !known.contains($0) } ?? true
            }
        }
    }

    private static func orphans(
        of evidence: RunEvidence,
        at place: ShardPlace
    ) -> [Reference] {
        var known: [CellKey: Set<TestID>] = [:]
        for planned in evidence.plan.jobs {
            let tests = Set(planned.tests)
            for cell in planned.job.cells {
                known[CellKey(job: planned.job.name, cell: cell.id)] = tests
            }
        }
        return evidence.references.sorted { $0.key < $1.key }.flatMap { cell, references in
            references.references.filter { reference in
                let suite = references.suites[reference.id.firstFolder]
                let test = suite?.test(of: reference.id)
                if let suite, let test,
                    known[CellKey(job: suite.job, cell: cell)]?.contains(test) == true
                {
                    return false
                }
                let digest = Digest(of: Array(reference.id.text.utf8))
                let number = UInt32(digest.hex.prefix(8), radix: 16) ?? 0
                return Int(number) % place.total == place.index
            }
        }
    }
}
