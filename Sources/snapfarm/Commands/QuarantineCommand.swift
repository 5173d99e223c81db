// `snapfarm quarantine`: its options. The rule is `QuarantineRule`.
import ArgumentParser
import FarmAPI
import FarmCore
import FarmDrivers
import FarmRun

/// `snapfarm quarantine`: proposes a quarantine for flaky tests.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Proposes to quarantine tests that are flaky, as a patch of the pipeline file.",
        discussion: """
            A test is proposed if it was flaky often enough, on enough hosts, on days without a \
            fault of the farm; a test that only fails is broken and is not. The runs are those of \
            --history, of a coordinator, or of this machine. Prints the patch; --write applies it.
            """
    )

    @OptionGroup var pipeline: PipelineArgument
    @OptionGroup var options: CoordinatorOptions
    @Option(help: "File with the results of earlier runs, that `run --history` writes.")
    var history: String?
    @Option(help: "Where state is kept (default: .snapfarm beside the pipeline file).")
    var data: String?
    @Option(help: "The newest runs that count.") var runs: Int = 20
    @Option(help: "Times that a test was flaky in them.") var times: Int = 3
    @Option(help: "Hosts on which it was.") var hosts: Int = 2
    @Option(help: "Clean runs in a row after which a test leaves quarantine.")
    var cleanRuns: Int = 20
    @Option(help: "Days after which it leaves at the latest.") var days: Int = 30
    @Flag(help: "Write the lines into the pipeline file.") var write = false

    func validate() throws {
        let ranges = [
            ("runs", runs, FarmLimits.listMax), ("times", times, FarmLimits.listMax),
            ("hosts", hosts, FarmLimits.listMax),
            ("clean-runs", cleanRuns, FarmLimits.cleanRunsMax),
            ("days", days, 366),
        ]
        for (name, value, most) in ranges where !(1...most).contains(value) {
            throw ValidationError("--\(name) is \(value); it must be from 1 to \(most).")
        }
        let places = [history, data, options.coordinator].compactMap(\.self)
        guard places.count < 2 else {
            throw ValidationError("--history, --data or --coordinator: one place at a time.")
        }
    }

    func run() async throws {
        let proposal = QuarantineProposal(
            file: try pipeline.finder.file(),
            rule: QuarantineRule(times: times, hosts: hosts, cleanRuns: cleanRuns, days: days)
        )
        let (name, folder) = try proposal.place()
        let limit = runs
        let found: FlakyTests
        if let history {
            found = try HistoryFile(history).flaky(runs: limit)
        } else if data == nil, options.url != nil {
            found = try await options.ask { try await $0.flaky(pipeline: name, runs: limit) }
        } else {
            found = try LocalRuns(data: data ?? folder).flaky(pipeline: name, runs: limit)
        }
        try proposal.perform(on: found, writes: write)
    }
}
