// The options that say where a command finds runs: on this machine or at a coordinator.
import ArgumentParser
import FarmDrivers
import FarmRun

struct RunPlaceOptions: ParsableArguments {
    @OptionGroup var options: CoordinatorOptions
    @Option(help: "The data folder that has the runs (default: those of the working folder).")
    var data: String?

    func validate() throws {
        guard data == nil || options.coordinator == nil else {
            throw ValidationError("--coordinator or --data: one place at a time.")
        }
    }

    /// Returns the question for runs; `file` is the pipeline file that the user named, or `nil`.
    func question(file: String?) throws -> RunQuestion {
        let environment = OwnEnvironment.variables
        return RunQuestion(
            file: file,
            data: data,
            coordinator: try data == nil
                ? options.url.map { try RemoteCoordinator(url: $0, environment: environment) }
                : nil,
            environment: environment
        )
    }
}
