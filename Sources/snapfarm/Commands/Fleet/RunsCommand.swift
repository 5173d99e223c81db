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
    @Option(name: .shortAndLong, help: "Runs that are shown.") var limit: Int = 20
    @Flag(help: "Show the tests that were flaky in these runs, with what they did.")
    var flaky = false
    @Option(help: "With --flaky: only runs of the pipeline with this name.")
    var pipelineName: String?
    @Flag(help: "Print one JSON document.") var json = false

    private struct Document: Encodable {
        var schemaVersion = 1
        var runs: [RunListing]
    }

    func validate() throws {
        guard (1...FarmLimits.listMax).contains(limit) else {
            throw ValidationError(
                "--limit is \(limit); it must be from 1 to \(FarmLimits.listMax)."
            )
        }
        guard pipelineName == nil || flaky else {
            throw ValidationError("--pipeline-name needs --flaky.")
        }
        guard data == nil || options.coordinator == nil else {
            throw ValidationError("Either --coordinator or --data: one place at a time.")
        }
    }

    func run() async throws {
        let isRemote = data == nil && options.url != nil
        if flaky { return try await showFlaky(isRemote: isRemote) }
        let runs =
            isRemote
            ? try await options.ask { try await $0.runs(limit: limit) }
            : try LocalRuns(data: data).newest(limit)
        if json { return try FleetOutput.print(Document(runs: runs)) }
        guard !runs.isEmpty else { return Console.say("there are no runs.") }
        FleetOutput.print(table: RunTable.rows(runs))
        for run in runs {
            if let problem = run.problem { Console.print("\(run.run): \(problem)\n") }
        }
    }

    private struct FlakyDocument: Encodable {
        var schemaVersion = 1
        var runs: Int
        var tests: [FlakyTest]
    }

    private func showFlaky(isRemote: Bool) async throws {
        let (pipeline, limit) = (pipelineName, limit)
        let found =
            isRemote
            ? try await options.ask { try await $0.flaky(pipeline: pipeline, runs: limit) }
            : try LocalRuns(data: data).flaky(pipeline: pipeline, runs: limit)
        if json {
            return try FleetOutput.print(FlakyDocument(runs: found.runs, tests: found.tests))
        }
        for line in FlakyTable.lines(found) { Console.print(line + "\n") }
        if found.tests.isEmpty { Console.say("no test was flaky in \(found.runs) runs.") }
    }
}
