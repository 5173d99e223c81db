import FarmCore
import FarmDrivers
import FarmPipeline
import FarmWorker
import Foundation

/// What the command line asks for.
struct RunRequest: Sendable {
    let file: String
    let mode: RunMode
    let select: [String]
    let workers: WorkerCount
    let output: String
    let data: String?
    let port: Int
    let resumes: Bool
    /// Without the pipeline's quarantine.
    let rules: RunRules
    let printsJSON: Bool
    let isQuiet: Bool
    /// Where the history of runs is read and kept; nil: nowhere.
    var history: HistoryFile? = nil
    /// Which machine of how many, as the command line says; nil: as the CI says.
    var shard: ShardPlace? = nil
    /// What this machine's workers offer beside what they find, as on the command line.
    var offer: [String] = []
    let environment: [String: String]
    /// The run is on a coordinator elsewhere.
    var isElsewhere = false

    /// Workers that a run of this pipeline begins with on this machine.
    func workersAtFirst(_ pipeline: Pipeline) -> Int {
        switch workers {
        case .fixed(let count): count
        case .measured:
            SlotRules.atFirst(
                cores: ProcessInfo.processInfo.activeProcessorCount,
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
