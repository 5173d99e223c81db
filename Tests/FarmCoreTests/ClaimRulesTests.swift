import FarmCore
import FarmTesting
import Testing

@Suite("Which work a worker gets")
struct ClaimRulesTests {
    private func waiting(
        _ job: String,
        _ cell: String,
        _ count: Int,
        alone: Int = 0,
        quiet: Int = 0
    ) -> WaitingCell {
        WaitingCell(
            job: JobName(job),
            cell: CellID(cell),
            count: count,
            alone: alone,
            quiet: quiet
        )
    }

    @Test("unit and snapshot jobs run side by side")
    func sideBySide() {
        let cells = [waiting("snap", "a", 100), waiting("unit", "host", 10)]
        let active = [ActiveLease(job: JobName("snap"), cell: CellID("a"))]
        let choice = ClaimRules.choose(
            ClaimQuestion(waiting: cells, active: active, workers: 2, warm: nil)
        )
        #expect(choice?.job == JobName("unit"))
    }

    @Test("a worker's own lease, which ends before its next begins, turns it away from no job")
    func ownLease() {
        let cells = [waiting("snap", "a", 5), waiting("unit", "host", 50)]
        let active = [
            ActiveLease(job: JobName("snap"), cell: CellID("a")),
            ActiveLease(job: JobName("unit"), cell: .host),
        ]
        func job(_ own: CellKey?) -> JobName? {
            let question = ClaimQuestion(
                waiting: cells,
                active: active,
                workers: 2,
                warm: nil,
                own: own
            )
            return ClaimRules.choose(question)?.job
        }
        #expect(job(nil) == JobName("unit"))
        #expect(job(CellKey(job: JobName("snap"), cell: CellID("a"))) == JobName("snap"))
    }

    @Test("a warm cell comes first, then the cell with the most work")
    func warmth() {
        let cells = [waiting("snap", "a", 5), waiting("snap", "b", 9)]
        #expect(
            ClaimRules.choose(
                ClaimQuestion(waiting: cells, active: [], workers: 2, warm: CellID("a"))
            )?.cell
                == CellID("a")
        )
        #expect(
            ClaimRules.choose(ClaimQuestion(waiting: cells, active: [], workers: 2, warm: nil))?
                .cell
                == CellID("b")
        )
    }

    @Test("a suspect waits until nothing else does, and runs alone")
    func suspects() {
        let both = [waiting("unit", "host", 3, alone: 1)]
        let first = ClaimRules.choose(
            ClaimQuestion(waiting: both, active: [], workers: 1, warm: nil)
        )
        #expect(first?.company == .others)
        let left = [waiting("unit", "host", 0, alone: 2)]
        let choice = ClaimRules.choose(
            ClaimQuestion(waiting: left, active: [], workers: 1, warm: nil)
        )
        #expect(choice?.company == .alone && choice?.size == 1)
    }

    @Test("what needs a quiet host comes last, all of a cell at a time")
    func quietLast() {
        for (cells, company, size) in [
            ([waiting("unit", "host", 3, alone: 1, quiet: 2)], LeaseCompany.others, nil),
            ([waiting("unit", "host", 0, alone: 2, quiet: 2)], .alone, 1),
            ([waiting("unit", "host", 0, quiet: 2)], .quiet, 2),
        ] {
            let choice = ClaimRules.choose(
                ClaimQuestion(waiting: cells, active: [], workers: 1, warm: nil)
            )
            #expect(choice?.company == company)
            #expect(size == nil || choice?.size == size)
        }
    }

    @Test("beside an exclusive job nothing runs, and it waits for others to end")
    func exclusive() {
        let jobs: Set = [JobName("gpu")]
        let busy = [ActiveLease(job: JobName("gpu"), cell: .host)]
        #expect(
            ClaimRules.choose(
                ClaimQuestion(
                    waiting: [waiting("unit", "host", 3)],
                    active: busy,
                    workers: 2,
                    warm: nil,
                    exclusive: jobs
                )
            ) == nil
        )
        let others = [ActiveLease(job: JobName("unit"), cell: .host)]
        #expect(
            ClaimRules.choose(
                ClaimQuestion(
                    waiting: [waiting("gpu", "host", 3)],
                    active: others,
                    workers: 2,
                    warm: nil,
                    exclusive: jobs
                )
            ) == nil
        )
    }

    @Test("leases shrink toward the end, and any number of workers takes everything exactly once")
    func shrinking() {
        var generator = SeededGenerator.announced()
        for _ in 0..<200 {
            let total = Int.random(in: 1...20_000, using: &generator)
            let workers = Int.random(in: 1...64, using: &generator)
            var left = total
            var last = Int.max
            while left > 0 {
                let size = ShardSize.next(waitingInCell: left, waiting: left, workers: workers)
                #expect(size >= 1 && size <= left && size <= last)
                last = size
                left -= size
            }
        }
    }

    @Test("what is left and soon done is shared out at once, in equal parts")
    func lastShare() {
        // A share is 15 of 300, what a lease is worth 20, and 10 workers are there.
        let size = ShardSize.next(
            waitingInCell: 300,
            waiting: 300,
            workers: 10,
            meanSeconds: 0.005
        )
        #expect(size == 30)
    }

    @Test(
        "a lease of quick tests is never cut below what it costs to begin",
        arguments: [
            (0.001, 100), (0.01, 10), (0.04, 2), (5.0, 1), (0, 300), (Double.nan, 1), (-1, 1),
        ]
    )
    func leastUseful(mean: Double, size: Int) {
        // 300 wait, and with 500 workers the share alone would be one test.
        #expect(
            ShardSize.next(waitingInCell: 300, waiting: 300, workers: 500, meanSeconds: mean)
                == size
        )
    }
}
