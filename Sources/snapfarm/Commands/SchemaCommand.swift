import ArgumentParser
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmRun

/// `snapfarm schema`: prints the schema of the files that users write, for editors and people.
struct SchemaCommand: ParsableCommand {
    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case pipeline, scenes, keys
    }

    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of pipeline or scenes files, or all keys as Markdown.",
        shouldDisplay: false
    )

    @Argument(help: "pipeline, scenes or keys.")
    var subject = Subject.pipeline

    func run() throws { Console.print(Self.text(subject)) }

    static func text(_ subject: Subject) -> String {
        let drivers = DriverCatalog.kinds
        return switch subject {
        case .pipeline: PipelineSchema.text(drivers: drivers)
        case .scenes: ScenesSchema.text
        case .keys:
            KeyReference.markdown(
                PipelineSchema.sections(drivers: drivers) + ScenesSchema.sections
            )
        }
    }
}
