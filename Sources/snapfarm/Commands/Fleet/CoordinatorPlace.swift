// Where a coordinator's state and settings are: flags over the configuration file.
import ArgumentParser
import FarmRun

/// What all commands on the coordinator's own machine take.
struct CoordinatorPlace: ParsableArguments {
    @Option(help: "The coordinator's configuration file.") var config: String?
    @Option(help: "Where its state is kept (instead of `data:` of the configuration).")
    var data: String?

    func configuration() throws -> CoordinatorConfiguration {
        try CoordinatorConfiguration(file: config, data: data)
    }
}
