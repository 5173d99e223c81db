// The options of `snapfarm run`, for a local run or one on a coordinator elsewhere.
import FarmCore
import FarmDrivers
import FarmLedger
import FarmPipeline
import FarmWorker
import Foundation

/// The options of `snapfarm run`.
package struct RunRequest: Sendable {
    let file: String
    let mode: RunMode
    let select: [String]
    /// The names of the tests and suites to run, or `nil` to run all.
    let tests: Set<String>?
    /// The number of workers, or `nil` if the command line does not name it.
    let workers: WorkerCount?
    let output: String
    let data: String?
    let port: Int
    let resumes: Bool
    /// The rules of the run from the command line, without the pipeline's quarantine.
    let rules: RunRules
    let printsJSON: Bool
    let isQuiet: Bool
    /// The file of the history, or `nil` for none.
    let history: HistoryFile?
    /// This machine's share of the plan; if `nil`, the CI's variables decide.
    let shard: ShardPlace?
    /// The capabilities that the command line offers, beside those that the workers find
    /// themselves.
    let offer: [String]
    /// Whether the products of an earlier `snapfarm build` are used.
    let isBuilt: Bool
    let environment: [String: String]
    /// Whether the run is on a coordinator elsewhere.
    let isElsewhere: Bool
    /// Whether an earlier run may prove this one green, so that no test runs.
    let allowsReuse: Bool
    /// A zip or an output folder of an earlier run that may prove this one green, or `nil` for
    /// none.
    let reuses: String?
    /// The option `--red-of`, or `nil` to run all tests.
    let redOf: RedOfRequest?

    /// The printer of the run's result for people.
    var words: ResultPrinter { ResultPrinter(besideDocument: printsJSON) }

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
        isElsewhere: Bool = false,
        allowsReuse: Bool = true,
        reuses: String? = nil,
        redOf: RedOfRequest? = nil
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
        self.allowsReuse = allowsReuse
        self.reuses = reuses
        self.redOf = redOf
    }

    /// Returns the number of workers that a run of `pipeline` starts with on this machine.
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

    /// Returns the tuner that changes the number of workers during a run, or `nil` for a fixed
    /// number.
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
