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
        share: TeamShare? = nil,
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
            share: share
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
        let one = words(situation(leases: 1, holders: 1, live: 1))
        #expect(one[1] == "1 lease is held by 1 worker.")
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
        #expect(queued[2] == "Run r1 and 1 more of its team go first, by priority.")
        let unfit = Problem(code: Problem.workerUnfitCode, message: "w1 cannot.", remedy: "Mend.")
        let full = Problem(code: "storage-fails", message: "The disk is full.", remedy: "Free it.")
        let ill = words(situation(notes: [full, unfit]))
        #expect(Array(ill[0...1]) == ["The disk is full. Free it.", "w1 cannot. Mend."])
        #expect(!ill.contains { $0.contains("No worker calls") }, "its words say what to do")
        #expect(words(situation(state: .passed)) == ["Run r9 has ended: passed."])
    }

    @Test("a run that takes turns says with how many, and what its team has of the workers")
    func turns() {
        func said(beside: Int, leases: Int, others: Int, live: Int = 4) -> [String] {
            let share = TeamShare(
                team: "pay",
                beside: beside,
                leases: leases,
                workers: live,
                otherTeams: others
            )
            return words(situation(leases: 4, holders: live, live: live, share: share))
        }
        #expect(
            said(beside: 3, leases: 1, others: 0)[2]
                == "It takes turns with 3 other open runs of team pay, which has 1 of 4 workers now."
        )
        #expect(
            said(beside: 1, leases: 0, others: 2)[2]
                == "It takes turns with 1 other open run of team pay, which has 0 of 4 workers now. "
                + "2 other teams share the workers."
        )
        #expect(
            said(beside: 0, leases: 1, others: 1)[2]
                == "Team pay has 1 of 4 workers now. 1 other team shares the workers."
        )
        #expect(said(beside: 0, leases: 1, others: 0)[2] == "Team pay has 1 of 4 workers now.")
        #expect(!said(beside: 0, leases: 4, others: 0).contains { $0.contains("pay") })
        #expect(!said(beside: 3, leases: 0, others: 1, live: 0).contains { $0.contains("pay") })
    }
}
