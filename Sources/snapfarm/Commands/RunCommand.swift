// `snapfarm run`: the options of a run, on this machine or on a coordinator elsewhere.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

extension RunMode: ExpressibleByArgument {}

/// `snapfarm run`: runs a pipeline and judges it, on this machine or at a coordinator.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a pipeline and judges it.",
        discussion: "With --coordinator, the run is handed to a fleet; the token comes from "
            + "SNAPFARM_TOKEN."
    )

    @OptionGroup var pipeline: PipelineArgument
    @Option(help: "verify compares with the references, record makes new ones.")
    var mode: RunMode = .verify
    @Option(
        name: .customLong("select"),
        help: """
            Run only what matches KEY=VALUE. Keys: job, cell, device, test, or an axis. May be \
            repeated.
            """
    )
    var select: [String] = []
    @Option(
        help: """
            Run only the tests and suites that this file names, one a line; - is standard input. An \
            empty list runs nothing and exits 0.
            """
    )
    var testsFrom: String?
    @Option(
        help: """
            Worker processes (default: cores, at most 3 where tests need simulators); auto: as many \
            as the machine has room for.
            """
    )
    var workers: WorkerCount?
    @Option(help: "Where reports and artifacts go.") var output: String = "snapfarm-out"
    @Option(help: "Where state is kept (default: .snapfarm beside the pipeline file).")
    var data: String?
    @Option(help: "Port of the embedded coordinator (default: any free one).") var port: Int = 0
    @Option(
        help: """
            File that remembers how long tests take, and what later commits need not run. Keep it \
            in the CI's cache.
            """
    ) var history: String?
    @Option(
        help: """
            Run only this machine's share: INDEX/TOTAL, counted from 0 (default: what the CI \
            says).
            """
    )
    var shard: String?
    @Flag(
        help: """
            Finish the open test cases of the newest open run of the same plan.
            """
    ) var resume = false
    @Option(
        name: .customLong("repeat"),
        help: """
            Run each test case this many times. Differing verdicts make it flaky. Only with \
            --mode verify.
            """
    )
    var repeats: Int = 1
    @Flag(
        help: """
            Build nothing: use what `snapfarm build` made, here or on a machine whose workspace \
            this one has.
            """
    ) var built = false
    @Flag(help: "Stop after the first test that makes the run red.") var failFast = false
    @Option(
        help:
            "Hand the run to the coordinator at this URL, or at one of several with commas, and follow it."
    )
    var coordinator: String?
    @Flag(help: "With --coordinator: lend this machine's cores while the run lasts.")
    var join = false
    @Option(
        help: """
            With --coordinator: callers with the same key share one run (default: the CI run).
            """
    )
    var key: String?
    @Option(help: "With --coordinator: your team's runs with a higher one go first (-100 to 100).")
    var priority: Int?
    @Option(help: "With --coordinator: minutes to wait while your team's quota has no room.")
    var quotaWait: Int?
    @Option(
        help: """
            Say that this machine has NAME or NAME=VALUE, for cells that need it. May be repeated.
            """
    )
    var offer: [String] = []
    @Flag(help: "Run all tests, also those that nothing has changed for.")
    var noReuse = false
    @Option(
        help: """
            A FailureDiffs.zip or output folder of an earlier run. If it proves, as --history may, \
            that only the pin has changed since, no test runs.
            """
    )
    var reuse: String?
    @Option(
        help: """
            Run only what is not green in this run (its id, latest, or its FailureDiffs.zip or \
            output folder) and inherit the other verdicts. Both must be of the same code.
            """
    )
    var redOf: String?
    @Flag(
        help: """
            With --red-of: also inherit verdicts of other code. The run is then never green.
            """
    ) var otherCode = false
    @Flag(help: "Print summary.json on standard output.") var json = false
    @OptionGroup var quiet: QuietOption

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is \(port); it must be from 0 to 65535.")
        }
        guard (1...FarmLimits.repeatsMax).contains(repeats) else {
            throw ValidationError(
                "--repeat is \(repeats); it must be from 1 to \(FarmLimits.repeatsMax)."
            )
        }
        guard repeats == 1 || mode == .verify else {
            throw ValidationError("--repeat is for --mode verify; record takes pictures twice.")
        }
        if case .fixed(let count) = workers, !(1...FarmLimits.workersMax).contains(count) {
            throw ValidationError(
                "--workers is \(count); it must be from 1 to \(FarmLimits.workersMax), or auto."
            )
        }
        guard coordinator != nil || (!join && key == nil && priority == nil) else {
            throw ValidationError("--join, --key and --priority need --coordinator.")
        }
        guard (0...1_440).contains(quotaWait ?? 0) else {
            throw ValidationError("--quota-wait is \(quotaWait ?? 0); it must be from 0 to 1440.")
        }
        guard FarmLimits.priorities.contains(priority ?? 0) else {
            throw ValidationError("--priority must be from -100 to 100.")
        }
        guard coordinator == nil || join || offer.isEmpty else {
            throw ValidationError("--offer is for this machine's workers; add --join.")
        }
        guard reuse == nil || !noReuse else {
            throw ValidationError("--reuse and --no-reuse exclude each other.")
        }
        guard redOf == nil || reuse == nil else {
            throw ValidationError("--red-of and --reuse exclude each other.")
        }
        guard redOf != nil || !otherCode else {
            throw ValidationError("--other-code needs --red-of.")
        }
        if let key, !FleetNames.isUsable(key) {
            throw ValidationError(
                "--key must be one line of 1 to \(FleetNames.bytesMax) bytes."
            )
        }
    }

    func run() async throws {
        _ = try LocalOffer.said(offer)
        if redOf != nil {
            guard mode == .verify else { throw RedOfError.records }
            guard select.isEmpty, testsFrom == nil else { throw RedOfError.ownPart }
        }
        let environment = OwnEnvironment.variables
        let tests = try testsFrom.map(ChosenTests.read)
        if let tests, tests.isEmpty {
            return ResultPrinter(besideDocument: json)
                .say("--tests-from names no test: nothing to run here.")
        }
        let request = RunRequest(
            file: try pipeline.finder.file(),
            mode: mode,
            select: select,
            tests: tests,
            workers: workers,
            output: output,
            data: data,
            port: port,
            resumes: resume,
            rules: RunRules(repeats: repeats, failsFast: failFast),
            printsJSON: json,
            isQuiet: quiet.isOn,
            history: history.map(HistoryFile.init),
            shard: try shard.map { try ShardPlace(parsing: $0) },
            offer: offer,
            isBuilt: built,
            environment: environment,
            isElsewhere: coordinator != nil,
            allowsReuse: !noReuse,
            reuses: reuse,
            redOf: redOf.map { RedOfRequest($0, allowsOtherCode: otherCode) }
        )
        let code: Int32
        if let coordinator {
            var remote = try RemoteCoordinator(url: coordinator, environment: environment)
            remote.key = key
            remote.joins = join
            remote.priority = priority
            if let quotaWait { remote.quotaWaitSeconds = Double(quotaWait) * 60 }
            code = try await RemoteRun(request: request, coordinator: remote).perform()
        } else {
            code = try await LocalRun(request).perform()
        }
        if code != ExitCode.passed.rawValue { Foundation.exit(code) }
    }
}

extension WorkerCount: ExpressibleByArgument {
    package init?(argument: String) {
        if argument == "auto" {
            self = .measured
        } else if let count = Int(argument) {
            self = .fixed(count)
        } else {
            return nil
        }
    }
}
