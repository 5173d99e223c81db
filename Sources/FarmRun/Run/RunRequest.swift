// What the command line asks of a run, here or on a coordinator elsewhere.
import FarmCore
import FarmDrivers
import FarmLedger
import FarmPipeline
import FarmWorker
import Foundation

/// What the command line asks for.
package struct RunRequest: Sendable {
    let file: String
    let mode: RunMode
    let select: [String]
    /// Names of tests and suites; nil: all tests.
    let tests: Set<String>?
    /// Nil: the command line does not say.
    let workers: WorkerCount?
    let output: String
    let data: String?
    let port: Int
    let resumes: Bool
    /// Without the pipeline's quarantine.
    let rules: RunRules
    let printsJSON: Bool
    let isQuiet: Bool
    /// Where the history of runs is read and kept; nil: nowhere.
    let history: HistoryFile?
    /// Which machine of how many, as the command line says; nil: as the CI says.
    let shard: ShardPlace?
    /// What this machine's workers offer beside what they find, as on the command line.
    let offer: [String]
    /// Nothing is built: `snapfarm build` did it.
    let isBuilt: Bool
    let environment: [String: String]
    /// The run is on a coordinator elsewhere.
    let isElsewhere: Bool

    /// Prints the run's result for people.
    var words: ResultWords { ResultWords(besideDocument: printsJSON) }

    package init(
        file: String,
        mode: RunMode,
        select: [String],
        tests: Set<String>? = nil,
        workers: WorkerCount?,
        output: String,
        data: String?,
        port: Int,
        resumes: Bool,
        rules: RunRules,
        printsJSON: Bool,
        isQuiet: Bool,
        history: HistoryFile? = nil,
        shard: ShardPlace? = nil,
        offer: [String] = [],
        isBuilt: Bool = false,
        environment: [String: String],
        isElsewhere: Bool = false
    ) {
        self.file = file
        self.mode = mode
        self.select = select
        self.tests = tests
        self.workers = workers
        self.output = output
        self.data = data
        self.port = port
        self.resumes = resumes
        self.rules = rules
        self.printsJSON = printsJSON
        self.isQuiet = isQuiet
        self.history = history
        self.shard = shard
        self.offer = offer
        self.isBuilt = isBuilt
        self.environment = environment
        self.isElsewhere = isElsewhere
    }

    /// Workers that a run of this pipeline begins with on this machine.
    func workersAtFirst(
        _ pipeline: Pipeline,
        cores: Int = ProcessInfo.processInfo.activeProcessorCount
    ) -> Int {
        switch workers {
        case .fixed(let count): count
        case .measured, nil:
            SlotRules.atFirst(
                cores: cores,
                needsSimulators: pipeline.needsSimulators
                    || pipeline.jobs.contains { DriverCatalog.kinds.runOnDevices($0.driver) }
            )
        }
    }

    /// What changes the number of workers while a run goes on; nil: nothing does.
    func tuner(
        _ demand: WorkerDemand,
        open: @escaping @Sendable () async throws -> Int
    ) -> WorkerTuner? {
        guard workers == .measured else { return nil }
        let isQuiet = isQuiet
        return WorkerTuner(
            demand: demand,
            first: demand.count,
            pressure: HostLoadMeter.path(environment),
            say: { if !isQuiet { Console.say($0) } },
            open: open
        )
    }
}
