import FarmCore
import FarmServer
import Testing

@testable import FarmAPI
@testable import FarmLedger

@Suite("What people read of workers on demand")
struct LaunchWordsTests {
    private static let now: Int64 = 1_764_000_000_000
    private static let work = OpenWork(
        run: RunID("r"),
        needs: Needs([Need(name: "lab", bounds: [])]),
        cell: CellKey(job: JobName("pages"), cell: CellID("A")),
        waiting: 5,
        open: 5,
        leases: 0
    )

    private func notes(
        _ work: OpenWork = work,
        offers: String = "lab",
        started: [Int64] = [],
        failure: LaunchFailure? = nil,
        called: [CalledWorker] = []
    ) -> [String] {
        var offer = WorkerOffer()
        try? offer.add(word: offers)
        let settings = LauncherSettings(name: "hpc", place: .local, offers: offer, max: 2)
        let workers = started.enumerated().map { number, ago in
            LaunchedWorker(
                LaunchedName(launcher: "hpc", second: Self.now / 1000 - ago, number: number),
                .running
            )
        }
        let state = LauncherState(
            settings: settings,
            offer: offer,
            workers: workers,
            pausedUntil: failure == nil ? 0 : Self.now + 9_100
        )
        let notes = LaunchWords.notes(
            work: [work],
            called: called,
            launchers: [state],
            failures: [failure],
            now: Self.now
        )
        let areMarked = notes.values.joined().allSatisfy { $0.isOfLauncher }
        #expect(areMarked)
        return notes[RunID("r"), default: []].map(\.description)
    }

    @Test("how many were started, and since when")
    func coming() {
        #expect(
            notes(started: [40, 40]) == [
                "pages on A waits for a worker: 2 were started 40 s ago by the launcher hpc. "
                    + "One that has not called after 10 min is given up."
            ]
        )
        #expect(notes(started: [180]).first?.contains("1 was started 3 min ago") == true)
        #expect(notes(started: [5, 1]).first?.contains("the first 5 s ago") == true)
    }

    @Test("what went wrong, and when it is tried again")
    func failed() {
        let failure = LaunchFailure(
            reason: "its command sbatch ended with status 1.",
            at: Self.now - 900
        )
        #expect(
            notes(failure: failure) == [
                "pages on A waits for a worker: the launcher hpc gave up 0 s ago: "
                    + "its command sbatch ended with status 1. It tries again in 10 s."
            ]
        )
    }

    @Test("that a launcher has its max, and that none fits")
    func full() {
        let called = [0, 1].map { number in
            CalledWorker(
                id: WorkerID("hpc-\(Self.now / 1000 - 50)-\(number)"),
                seen: Self.now,
                isLive: true
            )
        }
        #expect(notes(started: [50, 50], called: called).first?.contains("hpc has its 2") == true)
        #expect(
            notes(offers: "gpu").first?.contains("no launcher's workers have lab") == true
        )
    }

    @Test("nothing where everything that is open has a worker")
    func nothing() {
        var work = Self.work
        work.waiting = 0
        #expect(notes(work, started: [40]).isEmpty)
    }
}
