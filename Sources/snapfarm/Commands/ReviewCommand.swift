// `snapfarm review`: a run's page on this machine, for one person, while the command runs.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

/// `snapfarm review`: serves a page on this machine, for a person's decisions about a run.
struct ReviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Shows a run's pictures in your browser, where you accept, reject and publish.",
        discussion: """
            Takes a run from the data folder (--run), from a coordinator (--coordinator), \
            or its FailureDiffs.zip or output folder (--from), and prints an address that one browser can open. Publishing does what \
            approve does: it writes the next reference set, and moves the pin in the work tree. \
            The page is served to this machine only, until Ctrl-C.
            """
    )

    @OptionGroup var pipeline: PipelineArgument
    @Option(name: .customLong("run"), help: "A run, or latest (the default): see approve.")
    var run: String?
    @Option(help: "A FailureDiffs.zip, an output folder, or the URL of a zip.") var from: String?
    @Option(help: "The URL of the coordinator that has the run; its token is SNAPFARM_TOKEN.")
    var coordinator: String?
    @Option(help: "Where state is kept (default: .snapfarm beside the pipeline file).")
    var data: String?
    @Flag(inversion: .prefixedNo, help: "Open the address where there is a desktop.")
    var open = true

    func validate() throws {
        guard run == nil || from == nil else {
            throw ValidationError("Name one run: either --run RUN or --from ZIP, folder or URL.")
        }
        guard coordinator == nil || from == nil else {
            throw ValidationError(
                "Name one run: either of --coordinator or --from ZIP, folder or URL."
            )
        }
    }

    func run() async throws {
        var request = ReviewRequest(try place(), environment: OwnEnvironment.variables)
        request.file = pipeline.finder.named
        request.data = data
        try await LocalReview(request, opensBrowser: open).run()
    }

    private func place() throws -> ReviewRequest.Place {
        if let from { return .from(from) }
        guard let coordinator else { return .run(run ?? "latest") }
        return .coordinator(
            try RemoteCoordinator(url: coordinator, environment: OwnEnvironment.variables),
            RunID(run ?? "latest")
        )
    }
}
