import FarmCore
import Testing

@testable import FarmRun

@Suite("The workers of a pool")
struct WorkerCrewTests {
    @Test("as many slots begin as are lacking, and no number is given twice")
    func begin() {
        let crew = WorkerCrew()
        #expect(crew.begin(upTo: 2) == [1, 2])
        #expect(crew.begin(upTo: 2) == [])
        #expect(crew.end(1) == false)
        #expect(crew.begin(upTo: 3) == [3, 4])
    }

    @Test("the newest that run are retired first, and one that has not started is not")
    func retire() {
        let crew = WorkerCrew()
        _ = crew.begin(upTo: 3)
        crew.started(1, 101)
        crew.started(2, 102)
        #expect(crew.retire(downTo: 1) == [101, 102])
        #expect(crew.isRetired(1) && crew.isRetired(2) && !crew.isRetired(3))
        #expect(crew.retire(downTo: 1) == [])
    }

    @Test("a process that has stopped is not signalled: its number may be another's")
    func stopped() {
        let crew = WorkerCrew()
        _ = crew.begin(upTo: 2)
        crew.started(1, 101)
        crew.started(2, 102)
        crew.stopped(2)
        #expect(crew.retire(downTo: 1) == [101])
    }

    @Test("the last slot that ends says so")
    func last() {
        let crew = WorkerCrew()
        _ = crew.begin(upTo: 2)
        #expect(!crew.end(2))
        #expect(crew.end(1))
    }

    @Test("a demand is heard at its newest, and ends")
    func demand() async {
        let demand = WorkerDemand(2)
        demand.set(5)
        #expect(demand.count == 5)
        demand.end()
        var heard: [Int] = []
        for await count in demand.counts { heard.append(count) }
        #expect(heard == [5])
    }

    @Test("workers are replaced so often and no more")
    func budget() {
        let budget = RestartBudget(2)
        #expect(budget.take() && budget.take() && !budget.take() && !budget.take())
    }

    @Test("a fixed number of workers is never tuned, a measured one is")
    func request() throws {
        let demand = WorkerDemand(3)
        #expect(Self.request(.fixed(3)).tuner(demand, open: { 1 }) == nil)
        let tuner = Self.request(.measured).tuner(demand, open: { 1 })
        #expect(tuner?.first == 3)
    }

    @Test(
        "a pipeline of simulators begins with three workers at most, unless somebody says more",
        arguments: [
            ("xcodebuild", nil, 3), ("xcodebuild", .measured, 3), ("xcodebuild", .fixed(8), 8),
            ("command", nil, 12),
        ] as [(String, WorkerCount?, Int)]
    )
    func atFirst(driver: String, workers: WorkerCount?, expected: Int) {
        var job = RunBench.job()
        job.driver = DriverSettings(driver)
        let pipeline = Pipeline(name: "p", references: nil, devices: [], axes: [], jobs: [job])
        #expect(Self.request(workers).workersAtFirst(pipeline, cores: 12) == expected)
    }

    private static func request(_ workers: WorkerCount?) -> RunRequest {
        RunRequest(
            file: "app.yaml",
            mode: .verify,
            select: [],
            workers: workers,
            output: "out",
            data: nil,
            port: 0,
            resumes: false,
            rules: RunRules(),
            printsJSON: false,
            isQuiet: true,
            environment: [:]
        )
    }
}
