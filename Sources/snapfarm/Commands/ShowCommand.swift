// `snapfarm show`: why a run is red, and one of its changes, on a terminal or as a short document.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import FarmServer

/// `snapfarm show`: shows a run, or one of its changes.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Says why a run is red, causes first; with an id, shows that change.",
        discussion: """
            Needs no browser, and decides nothing. An answer has at most \
            \(FarmLimits.briefRecordsMax) records; --cursor goes on. docs/schema/answers.schema.json \
            is the schema of --json. A terminal with the pictures of kitty or iTerm2, or with sixels, \
            shows reference, failed picture and difference.
            """
    )

    @Argument(
        help: "A run's id, latest, its output folder or FailureDiffs.zip, or the URL of a zip."
    )
    var run: String
    @Argument(
        help: "A cause, change, test or picture: its id, the beginning of an id, or its name."
    )
    var change: String?
    @OptionGroup var pipeline: PipelineOption
    @OptionGroup var place: RunPlaceOptions
    @Option(help: "The cursor of the answer before.") var cursor: String?
    @Option(help: "Write the pictures of the change into this folder.") var pictures: String?
    @Flag(help: "With --pictures: write thumbnails.") var thumbnails = false
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        guard change != nil || pictures == nil else {
            throw ValidationError("--pictures needs a CHANGE.")
        }
        guard pictures != nil || !thumbnails else {
            throw ValidationError("--thumbnails needs --pictures.")
        }
    }

    func run() async throws {
        let question = try place.question(file: pipeline.finder.named)
        let asked = try await AskedRun.open(run, question)
        let terminal = json || change == nil ? nil : PictureTerminal.asked(OwnEnvironment.variables)
        let answer = try await asked.answer(
            about: change,
            from: cursor,
            pictures: pictures.map { ($0, thumbnails ? .thumbnail : .whole) },
            terminal: terminal
        )
        if json { return try FleetOutput.print(answer.document) }
        for line in answer.lines.prefix(1) { Console.print(line + "\n") }
        terminal?.show(answer.pictures)
        for line in answer.lines.dropFirst() { Console.print(line + "\n") }
    }
}
