// Tests the search for tests that end their process: in every suite with a few bad tests, exactly
// these are blamed.
import FarmCore
import Testing

@testable import FarmDrivers

@Suite("the launches of a command job")
struct LaunchQueueTests {
    /// Programs by the results they leave when they die.
    enum Program: CaseIterable {
        /// None: the program writes its results at its end.
        case late
        /// The results of the tests before.
        case partial
        /// The results of the tests before, and the name of the started test.
        case streaming
    }

    /// A suite whose bad tests end every process that reaches them.
    private struct Suite {
        let tests: [TestID]
        let bad: Set<TestID>
        let program: Program
        var death = LaunchDeath.crash

        init(_ count: Int, bad: [Int], _ program: Program) {
            tests = (0..<count).map { TestID("t\($0)") }
            self.bad = Set(bad.map { TestID("t\($0)") })
            self.program = program
        }

        /// Runs the suite to its end.
        func run() -> (blamed: [TestID], givenUp: [TestID], launches: Int, results: Set<TestID>) {
            var queue = LaunchQueue([tests])
            var outcome = (
                blamed: [TestID](), givenUp: [TestID](), launches: 0, results: Set<TestID>()
            )
            while let launch = queue.next() {
                outcome.launches += 1
                guard let place = launch.firstIndex(where: { bad.contains($0) }) else {
                    outcome.results.formUnion(launch)
                    queue.ended()
                    continue
                }
                let done = program == .late ? [] : launch[..<place]
                outcome.results.formUnion(done)
                let step = queue.died(
                    DeadLaunch(
                        tests: launch,
                        open: Array(launch[done.endIndex...]),
                        running: program == .streaming ? [launch[place]] : [],
                        death: death
                    )
                )
                outcome.blamed += step.blamed
                outcome.givenUp += step.givenUp
            }
            return outcome
        }
    }

    @Test(
        "a bad test costs itself and at most two launches a halving, no other",
        arguments: Program.allCases,
        [[0], [999], [500], [0, 1], [250, 251, 990]]
    )
    func culprits(program: Program, bad: [Int]) {
        let suite = Suite(1_000, bad: bad, program)
        let outcome = suite.run()
        #expect(Set(outcome.blamed) == suite.bad && outcome.blamed.count == bad.count)
        #expect(outcome.givenUp.isEmpty)
        #expect(outcome.results == Set(suite.tests).subtracting(suite.bad))
        let most = program == .streaming ? 1 + bad.count : 1 + 20 * bad.count
        #expect(outcome.launches <= most, "\(outcome.launches) launches")
    }

    @Test(
        "a hang that the program names costs one launch, and a flood or a time that is over halves"
    )
    func deaths() {
        for death in [LaunchDeath.hang([TestID("t7")]), .flood, .timeOver, .exit] {
            var suite = Suite(64, bad: [7], .late)
            suite.death = death
            let outcome = suite.run()
            #expect(outcome.blamed == [TestID("t7")] && outcome.givenUp.isEmpty)
            #expect(outcome.launches <= (death == .hang([TestID("t7")]) ? 2 : 13))
        }
    }

    @Test("a time that was over in the middle of quick tests blames none of them")
    func long() {
        var queue = LaunchQueue([])
        let tests = (0..<9).map { TestID("t\($0)") }
        let step = queue.died(
            DeadLaunch(
                tests: tests,
                open: Array(tests[4...]),
                running: [tests[4]],
                death: .timeOver
            )
        )
        #expect(step.blamed.isEmpty && step.runsAgain)
        #expect(queue.next() == Array(tests[4...]))
        let last = [tests[8]]
        #expect(
            queue.died(DeadLaunch(tests: tests, open: last, running: [], death: .timeOver)).blamed
                .isEmpty
        )
        #expect(
            queue.died(DeadLaunch(tests: last, open: last, running: [], death: .timeOver)).blamed
                == last
        )
    }

    @Test("a program that never comes to a test is given up after a few launches")
    func broken() {
        let suite = Suite(1_000, bad: Array(0..<1_000), .late)
        let outcome = suite.run()
        #expect(outcome.launches == LaunchQueue.silentLaunchesMax)
        #expect(Set(outcome.blamed + outcome.givenUp) == Set(suite.tests))
    }

    @Test("a suite of crashes is not looked through to its end")
    func manyCulprits() {
        let suite = Suite(1_000, bad: Array(0..<500), .streaming)
        let outcome = suite.run()
        #expect(outcome.launches == LaunchQueue.deathsMax)
        #expect(outcome.blamed.count == LaunchQueue.deathsMax)
        #expect(Set(outcome.blamed + outcome.givenUp) == Set(suite.tests))
    }
}
