// The option for the pipeline file of a command. The rule is in `PipelineFinder`.
import ArgumentParser
import FarmDrivers
import FarmRun

/// `--pipeline FILE`, for every command that needs the pipeline file.
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

/// `--pipeline FILE` or just FILE, for commands without another argument.
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
