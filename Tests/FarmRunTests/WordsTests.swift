import FarmAPI
import FarmCore
import FarmLedger
import FarmRun
import FarmServer
import Foundation
import Testing

@testable import FarmRun

@Suite("What commands show")
struct WordsTests {
    @Test("columns are as wide as their widest text, and the last one is as long as it is")
    func table() {
        let rows = [["a", "1", "x"], ["bbb", "20", "long text"]]
        #expect(TextTable.lines(rows) == ["a    1   x", "bbb  20  long text"])
        #expect(TextTable.lines(rows, numbers: [1]) == ["a     1  x", "bbb  20  long text"])
        #expect(TextTable.lines([]) == [])
    }

    @Test(
        "bytes are counted in powers of 1000",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_500, "1.5 kB"), (2_000_000, "2.0 MB"),
            (5_000_000_000, "5.0 GB"), (5_000_000_000_000, "5000.0 GB"),
        ]
    )
    func bytes(count: Int, text: String) {
        #expect(Amount.bytes(count) == text)
    }

    @Test("time left is in seconds, and in minutes from the first whole one")
    func clock() {
        #expect(Heartbeat.clock(0.2) == "1 s" && Heartbeat.clock(59) == "59 s")
        #expect(Heartbeat.clock(60) == "1 min 0 s" && Heartbeat.clock(125) == "2 min 5 s")
    }

    @Test(
        "a word for a shell is quoted where the shell would read more than a word",
        arguments: [
            ("snapfarm.refs", "snapfarm.refs"), ("my pin", "'my pin'"), ("", "''"),
            ("-n", "'-n'"), ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"),
        ]
    )
    func quoted(word: String, text: String) {
        #expect(GitWords.quoted(word) == text)
    }

    @Test("the command that commits a pin elsewhere goes there; what is staged is not added again")
    func commit() {
        let path = "/no such folder/snapfarm.refs"
        #expect(
            GitWords.commit(path, "Approve 1 new", isStaged: false)
                == "git -C '/no such folder' add '\(path)' && git -C '/no such folder' commit -m "
                + "'Approve 1 new' -- '\(path)'"
        )
        #expect(
            GitWords.commit(path, "m", isStaged: true) == "git -C '/no such folder' commit -m m"
        )
    }

    @Test("a list of runs shows how long each took, and nothing for one that goes on")
    func runs() {
        func listing(_ id: String, ended: String?) -> RunListing {
            RunListing(
                run: RunID(id),
                pipeline: "p",
                key: "",
                mode: .verify,
                state: ended == nil ? .running : .passed,
                commit: "0123456789abcdef",
                branch: "main",
                started: "2026-11-21T16:00:00.000Z",
                ended: ended,
                planned: 4,
                done: 3,
                bad: 0,
                priority: 0
            )
        }
        let rows = RunTable.rows([
            listing("r1", ended: "2026-11-21T16:04:10.000Z"),
            listing("r2", ended: "2026-11-21T16:00:02.500Z"), listing("r3", ended: nil),
        ])
        #expect(rows[0].first == "RUN")
        #expect(rows.dropFirst().map { $0[5] } == ["4 min 10 s", "2.5 s", ""])
        #expect(
            rows[1]
                == [
                    "r1", "passed", "3/4", "", "2026-11-21 16:00:00Z", "4 min 10 s", "main",
                    "0123456789ab", "verify", "p",
                ]
        )
    }

    @Test("why a run waits is asked of all workers and of the runs beside it")
    func situation() {
        func worker(_ id: String, _ state: WorkerLiveness, leases: Int) -> WorkerListing {
            WorkerListing(
                worker: WorkerID(id),
                state: state,
                leases: leases,
                seen: "",
                offer: nil
            )
        }
        func run(
            _ id: String,
            _ state: RunState,
            priority: Int,
            team: String? = "pay",
            leases: Int? = nil
        ) -> RunListing {
            RunListing(
                run: RunID(id),
                pipeline: "p",
                key: "",
                mode: .verify,
                state: state,
                commit: "",
                branch: "",
                started: "",
                ended: nil,
                planned: 1,
                done: 0,
                bad: 0,
                priority: priority,
                team: team,
                leases: leases
            )
        }
        let situation = RunSituation(
            of: RunID("mine"),
            progress: RunProgress(state: .running, cells: [], workers: 1),
            workers: [
                worker("w1", .live, leases: 1), worker("w2", .silent, leases: 1),
                worker("w3", .unfit, leases: 0), worker("w4", .left, leases: 0),
            ],
            runs: [
                run("newest", .running, priority: 9, leases: 2),
                run("stranger", .running, priority: 9, team: "web", leases: 3),
                run("older", .running, priority: 9), run("mine", .running, priority: 1),
                run("beside", .running, priority: 1, leases: 1),
                run("other", .running, priority: 1, team: "web"),
                run("behind", .running, priority: 0), run("ended", .passed, priority: 9),
                run("old", .passed, priority: 1, team: "gone"),
                run("unnamed", .running, priority: 1, team: nil),
            ]
        )
        #expect(situation.leases == 2 && situation.holders == 2 && situation.liveWorkers == 1)
        #expect(situation.silentWorkers == 1)
        #expect(
            situation.share
                == TeamShare(team: "pay", beside: 1, leases: 3, workers: 1, otherTeams: 2)
        )
        #expect(situation.ahead == [RunID("older"), RunID("newest")])
    }
}
