// `snapfarm watch`: runs what is saved, and shows it on a page on this machine.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

/// `snapfarm watch`: runs the tests whose files were saved, until Ctrl-C.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Runs the tests whose files you save, and shows the pictures in your browser.",
        discussion: """
            Runs all tests once, and then those that a saved file reaches. Browsers stay warm, and \
            the page of `snapfarm review` follows by itself. Only you move the pin, with the page's \
            button. Ctrl-C ends it, with exit code 0.
            """
    )

    @OptionGroup var pipeline: PipelineArgument
    @Option(
        name: .customLong("select"),
        help: """
            Run only what matches KEY=VALUE. Keys: job, cell, device, test, or an axis. May be \
            repeated.
            """
    )
    var select: [String] = []
    @Option(help: "Worker processes (default: cores, at most 3 where tests need simulators).")
    var workers: Int?
    @Option(help: "Where decisions are kept (default: .snapfarm beside the pipeline file).")
    var data: String?
    @Flag(inversion: .prefixedNo, help: "Open the address where there is a desktop.")
    var open = true

    func validate() throws {
        guard (1...FarmLimits.workersMax).contains(workers ?? 1) else {
            throw ValidationError(
                "--workers is \(workers ?? 0); it must be from 1 to \(FarmLimits.workersMax)."
            )
        }
    }

    func run() async throws {
        let request = WatchRequest(
            file: try pipeline.finder.file(),
            select: select,
            workers: workers.map(WorkerCount.fixed),
            data: data.map(PipelineSource.absolute),
            opensBrowser: open,
            environment: OwnEnvironment.variables
        )
        try await Watch(request).run()
    }
}
