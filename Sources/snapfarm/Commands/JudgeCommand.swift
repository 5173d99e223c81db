// `snapfarm judge`: the kept pictures of a run under the rules of now.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

/// `snapfarm judge`: judges a run again without running a test.
struct JudgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Judges a run's pictures again, by the pipeline file and pin of now.",
        discussion: """
            Runs no test. Takes the kept pictures of a run from the data folder (--run), or from \
            its FailureDiffs.zip or output folder (--from), and judges them by the policies, leniencies, screens and quarantine of the \
            pipeline file and by the pin, as both are now. The same inputs give the same bytes. A \
            test that the kept pictures do not decide has no verdict, and the exit code is 2.
            """
    )

    @OptionGroup var pipeline: PipelineArgument
    @Option(
        name: .customLong("run"),
        help: "A run of the data folder, or latest."
    )
    var run: String?
    @Option(help: "A FailureDiffs.zip, an output folder, or the URL of a zip.") var from: String?
    @Option(help: "A set, a pin file or a revision instead of the work tree's pin.")
    var pin: String?
    @Option(help: "Where the judgement's report, pictures and summary go.") var output =
        "snapfarm-out/judged"
    @Option(help: "Where state is kept (default: .snapfarm beside the pipeline file).")
    var data: String?
    @Flag(help: "Print summary.json on standard output.") var json = false
    @OptionGroup var quiet: QuietOption

    func validate() throws {
        guard (run == nil) != (from == nil) else {
            throw ValidationError("Name the run: either --run RUN or --from ZIP, folder or URL.")
        }
        if let from, JudgeRequest.wouldReplace(from, output: output) {
            throw ValidationError(
                "--output \(output) holds what is judged; its files would be replaced."
            )
        }
    }

    func run() async throws {
        let code = try await JudgedAgain(
            JudgeRequest(
                run.map { .run($0) } ?? .from(from ?? ""),
                file: pipeline.finder.named,
                data: data,
                pin: pin,
                output: output,
                printsJSON: json,
                isQuiet: quiet.isOn,
                environment: OwnEnvironment.variables
            )
        ).perform()
        if code != ExitCode.passed.rawValue { Foundation.exit(code) }
    }
}
