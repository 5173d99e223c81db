import FarmCore
import FarmServer
import Testing

@Suite("Why a run is not done")
struct WaitReasonsTests {
    private func situation(
        state: RunState = .running,
        leases: Int = 0,
        holders: Int = 0,
        live: Int = 0,
        silent: Int = 0,
        ahead: [String] = [],
        beside: Int = 0,
        unplaceable: String? = nil,
        notes: [Problem] = []
    ) -> RunSituation {
        let cell = CellProgress(
            job: JobName("unit"),
            cell: .host,
            planned: 5,
            done: 2,
            bad: 0,
            unplaceable: unplaceable
        )
        return RunSituation(
            run: RunID("r9"),
            progress: RunProgress(state: state, cells: [cell], workers: live, notes: notes),
            leases: leases,
            holders: holders,
            liveWorkers: live,
            silentWorkers: silent,
            ahead: ahead.map { RunID($0) },
            beside: beside
        )
    }

    private func words(_ situation: RunSituation) -> [String] {
        WaitReasons.of(situation).map(\.text)
    }

    @Test("the reason that somebody must act on is named")
    func reasons() {
        let none = words(situation())
        #expect(none[0] == "3 of 5 test cases have no verdict yet.")
        #expect(none[1].hasPrefix("No worker calls. Start one"))
        #expect(none.last == "unit on host: 3 of 5 open.")
        #expect(words(situation(silent: 2))[1].contains("2 called before"))
        #expect(words(situation(live: 2))[1].contains("none has a lease"))
        #expect(
            words(situation(leases: 3, holders: 2, live: 5))[1]
                == "3 leases are held by 2 workers."
        )
        let one = words(situation(leases: 1, holders: 1, live: 1, beside: 1))
        #expect(one[1] == "1 lease is held by 1 worker.")
        #expect(one[2] == "It shares the workers with 1 other open run.")
        let coming = Problem(code: Problem.workersComingCode, message: "2 come.", remedy: "Wait.")
        #expect(words(situation(notes: [coming]))[0] == "2 come. Wait.", "nobody need start one")
        let losses = (1...4).map { number in
            Problem.workerLost(
                WorkerID("w\(number)"),
                TestKey(job: JobName("unit"), cell: .host, test: TestID("t")),
                open: 2,
                isKnown: number == 4
            )
        }
        let lost = words(situation(leases: 1, holders: 1, live: 1, notes: losses))
        #expect(lost.count { $0.hasPrefix("worker w") } == 3)
        #expect(
            lost[0].hasPrefix(
                "worker w2 was lost while it had t of unit on host to run, the first of 2 in hand."
            )
        )
        #expect(lost[2].hasPrefix("worker w4 was lost while t of unit on host ran. "))
        let stuck = words(situation(live: 2, unplaceable: "no worker offers lab"))
        #expect(stuck[1] == "2 workers call, and none of them may run what is open.")
        #expect(stuck[2] == "unit on host: 3 of 5 open: unplaceable: no worker offers lab.")
        let queued = words(situation(leases: 1, holders: 1, live: 1, ahead: ["r1", "r2"]))
        #expect(queued[2] == "Run r1 and 1 more, of a higher priority, goes first.")
        let shared = words(situation(leases: 1, holders: 1, live: 1, beside: 3))
        #expect(shared[2] == "It shares the workers with 3 other open runs.")
        let unfit = Problem(code: Problem.workerUnfitCode, message: "w1 cannot.", remedy: "Mend.")
        let full = Problem(code: "storage-fails", message: "The disk is full.", remedy: "Free it.")
        let ill = words(situation(notes: [full, unfit]))
        #expect(Array(ill[0...1]) == ["The disk is full. Free it.", "w1 cannot. Mend."])
        #expect(!ill.contains { $0.contains("No worker calls") }, "its words say what to do")
        #expect(words(situation(state: .passed)) == ["Run r9 has ended: passed."])
    }
}
