// `snapfarm runs`: the runs of a coordinator, or of this machine.
import ArgumentParser
import FarmAPI
import FarmCore
import FarmRun

/// `snapfarm runs`: lists runs.
struct RunsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "Lists runs, the newest first: a coordinator's, or those made here.",
        discussion: """
            Without a coordinator, those of the data folders .snapfarm and pipelines/.snapfarm of \
            the working folder, or of --data. Reads only, also beside a run.
            """
    )

    @OptionGroup var options: CoordinatorOptions
    @Option(help: "The data folder whose runs are shown, instead of a coordinator's.")
    var data: String?
    @Option(
        name: .shortAndLong,
        help: "Runs that are shown (default: 20; \(FarmLimits.briefRecordsMax) with --json)."
    )
    var limit: Int?
    @Option(help: "With --json: the cursor of the answer before.") var cursor: String?
    @Flag(help: "Show the tests that were flaky in these runs, with what they did.")
    var flaky = false
    @Flag(help: "With --history: show how many tests the runs inherited.") var reuse = false
    @Option(help: "With --flaky: only runs of the pipeline with this name.")
    var pipelineName: String?
    @Option(help: "With --flaky or --reuse: the runs of this file, that `run --history` writes.")
    var history: String?
    @Option(help: "With --flaky: a folder that gets a page of the tests, and one for each.")
    var report: String?
    @Flag(help: "Print one JSON document.") var json = false

    /// The number of runs in a table, and of those that the tests that were flaky are searched in.
    private var count: Int { limit ?? 20 }

    func validate() throws {
        guard (1...FarmLimits.listMax).contains(count) else {
            throw ValidationError(
                "--limit is \(count); it must be from 1 to \(FarmLimits.listMax)."
            )
        }
        guard cursor == nil || json && !flaky && !reuse else {
            throw ValidationError("--cursor needs --json, and goes with runs alone.")
        }
        guard pipelineName == nil || flaky else {
            throw ValidationError("--pipeline-name needs --flaky.")
        }
        guard !reuse || history != nil && !flaky else {
            throw ValidationError("--reuse needs --history, and does not go with --flaky.")
        }
        guard flaky || reuse || history == nil, flaky || report == nil else {
            throw ValidationError("--history and --report need --flaky.")
        }
        let places = [history, data, options.coordinator].compactMap(\.self)
        guard places.count < 2 else {
            throw ValidationError("--coordinator, --data or --history: one place at a time.")
        }
        guard history == nil || pipelineName == nil else {
            throw ValidationError("--pipeline-name does not go with --history.")
        }
    }

    func run() async throws {
        let isRemote = data == nil && options.url != nil
        if flaky { return try await showFlaky(isRemote: isRemote) }
        if reuse, let history { return try showReuse(HistoryFile(history)) }
        let most = json ? FarmLimits.listMax : count
        let runs =
            isRemote
            ? try await options.ask { try await $0.runs(limit: most) }
            : try LocalRuns(data: data).newest(most)
        if json {
            let place = [("--data", data), ("--coordinator", options.coordinator)]
            return try FleetOutput.print(
                RunsBrief(
                    runs,
                    limit: limit ?? FarmLimits.briefRecordsMax,
                    from: cursor,
                    place: place.compactMap { name, value in value.map { (name, $0) } }
                )
            )
        }
        guard !runs.isEmpty else { return Console.say("there are no runs.") }
        FleetOutput.print(table: RunTable.rows(runs))
        for run in runs {
            if let problem = run.problem { Console.print("\(run.run): \(problem)\n") }
        }
    }

    private struct ReuseDocument: Encodable {
        var schemaVersion = 1
        var runs: [ReuseCount]
        var total: ReuseCount
        var off: [JobName]
    }

    private func showReuse(_ history: HistoryFile) throws {
        let record = try history.reuse()
        if json {
            let runs = Array(record.counts.prefix(count))
            return try FleetOutput.print(
                ReuseDocument(runs: runs, total: record.total, off: record.off)
            )
        }
        FleetOutput.print(table: ReuseTable.rows(record, limit: count))
        for line in ReuseTable.lines(record) { Console.print(line + "\n") }
    }

    private struct FlakyDocument: Encodable {
        var schemaVersion = 1
        var runs: Int
        var tests: [FlakyTest]
    }

    private func showFlaky(isRemote: Bool) async throws {
        let found = try await findFlaky(isRemote: isRemote)
        if let report {
            let isHere = history == nil && !isRemote
            let data = isHere ? try LocalRuns(data: data).folders() : []
            Console.say("written: \(try FlakyReport(folder: report, data: data).write(found))")
        }
        if json {
            return try FleetOutput.print(FlakyDocument(runs: found.runs, tests: found.tests))
        }
        for line in FlakyTable.lines(found) { Console.print(line + "\n") }
        if found.tests.isEmpty { Console.say("no test was flaky in \(found.runs) runs.") }
    }

    private func findFlaky(isRemote: Bool) async throws -> FlakyTests {
        let (pipeline, limit) = (pipelineName, count)
        if let history { return try HistoryFile(history).flaky(runs: limit) }
        guard isRemote else {
            return try LocalRuns(data: data).flaky(pipeline: pipeline, runs: limit)
        }
        return try await options.ask { try await $0.flaky(pipeline: pipeline, runs: limit) }
    }
}
