// `snapfarm doctor`: its options, and the output of its report.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun

/// `snapfarm doctor`: names what a run would lack, before it starts.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says what this machine, the repository and its services lack for a run.",
        discussion: """
            Looks at Git, disks, memory, the programs, browsers, fonts and simulators of the jobs, the \
            reference store with the pin, and a coordinator where one is named. Changes nothing. \
            Exit 0: a run can start; else the code that a run would end with.
            """
    )

    @OptionGroup var pipeline: PipelineArgument
    @OptionGroup var coordinator: CoordinatorOptions
    @Option(help: "Where state is kept (default: .snapfarm beside the pipeline file).")
    var data: String?
    @Flag(help: "Print one JSON document.") var json = false
    @OptionGroup var quiet: QuietOption

    func run() async throws {
        let report = await Doctor(
            finder: pipeline.finder,
            coordinator: coordinator.url,
            data: data,
            environment: OwnEnvironment.variables
        ).report()
        if json {
            try FleetOutput.print(report)
        } else {
            Console.print(report.text(isQuiet: quiet.isOn))
        }
        guard report.exit == .passed else { throw ArgumentParser.ExitCode(report.exit.rawValue) }
    }
}
