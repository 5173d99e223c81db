// The settings of a coordinator: options of the command line over the configuration file.
import ArgumentParser
import FarmRun

/// The options of all commands on the coordinator's own machine.
struct CoordinatorPlace: ParsableArguments {
    @Option(help: "The coordinator's configuration file.") var config: String?
    @Option(help: "Where its state is kept (instead of `data:` of the configuration).")
    var data: String?

    func configuration() throws -> CoordinatorConfiguration {
        try CoordinatorConfiguration(file: config, data: data)
    }
}
