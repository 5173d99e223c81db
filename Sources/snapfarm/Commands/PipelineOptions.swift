// How every command is told which pipeline file is meant. The rule is PipelineFinder's.
import ArgumentParser
import FarmDrivers
import FarmRun

/// `--pipeline FILE`, which every command takes that needs the pipeline file.
struct PipelineOption: ParsableArguments {
    static let about =
        "The pipeline file (default: SNAPFARM_PIPELINE; what `refs init` remembered; snapfarm.yaml; "
        + "the only one here or in pipelines/)."

    @Option(name: .customLong("pipeline"), help: ArgumentHelp(Self.about, valueName: "file"))
    var file: String?

    var finder: PipelineFinder {
        PipelineFinder(named: file, environment: OwnEnvironment.variables)
    }
}

/// The same for commands that have no other argument: the file's name alone will do.
struct PipelineArgument: ParsableArguments {
    @Argument(help: "The same as --pipeline FILE.") var file: String?
    @OptionGroup var option: PipelineOption

    func validate() throws {
        guard file == nil || option.file == nil else {
            throw ValidationError("Name the pipeline file once: FILE or --pipeline FILE.")
        }
    }

    var finder: PipelineFinder {
        PipelineFinder(named: file ?? option.file, environment: OwnEnvironment.variables)
    }
}
