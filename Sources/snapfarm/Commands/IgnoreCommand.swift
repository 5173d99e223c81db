// `snapfarm ignore`: its options. The flow is `IgnoreProposal`.
import ArgumentParser
import FarmCore
import FarmRun
import Foundation

/// `snapfarm ignore`: ignores regions of a picture, as a patch of the pipeline file.
struct IgnoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ignore",
        abstract: "Ignores regions of a picture from now on, as a patch of the pipeline file.",
        discussion: """
            Adds boxes to the rule of one picture (comparison.snapshots.<picture>.ignore), which \
            counts on all devices and variants; all other bytes of the file stay. The page of a \
            run shows this command for a box that is drawn on the enlarged picture. Prints the \
            patch; --write applies it. Exit codes: 0 done, 64 no picture's name or no such job, 65 the file \
            has mistakes, or a form that the patch does not fit; then the lines to write are shown.
            """
    )

    @Argument(help: "The picture: SUITE/NAME, or its id CELL/SUITE/NAME.") var picture: String
    @Option(
        help: "A box of pixels that never count, as X,Y-RIGHT,BOTTOM; may be repeated."
    )
    var box: [String]
    @Option(help: "The picture's job, where several jobs may have the picture.") var job: String?
    @OptionGroup var pipeline: PipelineOption
    @Flag(help: "Write the boxes into the pipeline file.") var write = false

    func run() throws {
        let boxes = try IgnoredBoxes.boxes(of: box)
        let file = try pipeline.finder.file()
        let proposal = IgnoreProposal(
            file: file,
            picture: picture,
            job: job,
            boxes: boxes,
            environment: ProcessInfo.processInfo.environment
        )
        try proposal.perform(writes: write)
    }
}
