import ArgumentParser
import FarmDrivers
import FarmPipeline

/// `snapfarm schema`: the JSON Schema of pipeline files, for editors.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of pipeline files.",
        shouldDisplay: false
    )

    func run() throws { Console.print(PipelineSchema.text(drivers: DriverCatalog.kinds)) }
}
