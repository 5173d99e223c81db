// The options of approve and reject: the run, and the selected pictures.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

/// The common options of approve and reject.
struct ReviewOptions: ParsableArguments {
    @OptionGroup var pipeline: PipelineArgument
    @Option(
        name: .customLong("run"),
        help: "A run of the data folder, or with --coordinator one of its runs; or latest."
    )
    var run: String?
    @Option(help: "A FailureDiffs.zip, an output folder, or the URL of a zip.") var from: String?
    @Option(help: "The URL of the coordinator that has the run; its token is SNAPFARM_TOKEN.")
    var coordinator: String?
    @Option(
        name: .customLong("select"),
        help: """
            KEY=VALUE; keys job, cell, device, test, suite, snapshot, verdict, cause, or an axis.
            """
    )
    var select: [String] = []
    @Option(
        name: .customLong("change"),
        help: "The id of a change: all pictures that show it. May be repeated."
    )
    var changes: [String] = []
    @Option(help: "Why; kept with the decision.") var reason: String = ""
    @Option(help: "Where state is kept (default: .snapfarm beside the pipeline file).")
    var data: String?
    @Flag(help: "Show what would happen, and change nothing.") var dryRun = false
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        guard (run == nil) != (from == nil) else {
            throw ValidationError("Name the run: either --run RUN or --from ZIP, folder or URL.")
        }
        guard coordinator == nil || run != nil else {
            throw ValidationError("Name the coordinator's run with --run RUN.")
        }
        let most = FarmLimits.decisionReasonBytesMax
        guard reason.utf8.count <= most else {
            throw ValidationError("--reason is over \(most) bytes.")
        }
    }

    /// Returns the request for a review.
    ///
    /// - Throws: `RemoteCoordinatorError` for a coordinator that cannot be called.
    func request(_ target: PinTarget = .workTree) throws -> ReviewRequest {
        var request = ReviewRequest(try place(), environment: OwnEnvironment.variables)
        request.file = pipeline.finder.named
        request.data = data
        request.select = select
        request.changes = changes
        request.reason = reason
        request.isDryRun = dryRun
        request.target = target
        return request
    }

    private func place() throws -> ReviewRequest.Place {
        guard let run else { return .from(from ?? "") }
        guard let coordinator else { return .run(run) }
        return .coordinator(
            try RemoteCoordinator(url: coordinator, environment: OwnEnvironment.variables),
            RunID(run)
        )
    }
}
