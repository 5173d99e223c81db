import FarmCore
import Testing

@Suite("Which tests straggle")
struct BackupRulesTests {
    private func overrun(_ seconds: Double, learned: Double? = nil, mean: Double? = nil) -> Double?
    {
        BackupRules.overrun(
            of: RunningTest(seconds: seconds, learnedSeconds: learned, meanSeconds: mean)
        )
    }

    @Test(
        "a test straggles at three times what it should take, and not within seconds",
        arguments: [
            (seconds: 5.0, learned: 0.2, overrun: nil),
            (5.5, 0.2, 0.5),
            (30, 10, nil),
            (31, 10, 1.0),
        ]
    )
    func learned(seconds: Double, learned: Double, overrun expected: Double?) {
        #expect(overrun(seconds, learned: learned) == expected)
        // What earlier runs say of the test is better than what this one says of its job.
        #expect(overrun(seconds, learned: learned, mean: 0.001) == expected)
    }

    @Test("where only an average is known, the first test on a device has time to boot it")
    func unlearned() {
        #expect(overrun(19, mean: 0.1) == nil)
        #expect(overrun(21, mean: 0.1) == 1)
        #expect(overrun(59, mean: 20) == nil)
        #expect(overrun(61, mean: 20) == 1)
    }

    @Test("where nothing is known, nothing straggles")
    func unknown() { #expect(overrun(1_000_000) == nil) }

    @Test("a job that records, or beside which nothing may run, has no backups")
    func jobs() {
        var job = Job(
            name: JobName("unit"),
            kind: .unit,
            driver: .command(CommandSettings(discover: "d", run: "r")),
            cells: []
        )
        #expect(BackupRules.applies(to: job, mode: .verify))
        #expect(!BackupRules.applies(to: job, mode: .record))
        job.exclusive = true
        #expect(!BackupRules.applies(to: job, mode: .verify))
    }
}
