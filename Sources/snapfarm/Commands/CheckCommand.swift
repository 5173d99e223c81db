// `snapfarm check`: checks the invariants of a data folder. It only reads and takes no lock, so it
// can work beside a run. The tests of crashes rely on it.
import ArgumentParser
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a data folder and names what is broken.",
        discussion: """
            Reads only, also beside a run. Exit 0: all is true; 1: something is broken, a line \
            each; 65: there is no ledger; 69: the bucket of its blobs does not answer; 78: it was \
            written by another version.
            """
    )

    @Option(help: "The data folder (default: .snapfarm).") var data: String?
    @Option(help: "The coordinator's configuration, to look into its bucket.") var config: String?
    @Flag(help: "Read every blob and compute its digest, too.") var deep = false
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        let scrutiny: BlobScrutiny = deep ? .contents : .size
        let report =
            if let config {
                try await CheckReport(
                    CoordinatorConfiguration(file: config, data: data),
                    scrutiny: scrutiny,
                    environment: OwnEnvironment.variables
                )
            } else {
                try CheckReport(
                    folder: PipelineSource.absolute(data ?? ".snapfarm"),
                    scrutiny: scrutiny
                )
            }
        Console.print(json ? try report.json() : report.text())
        guard report.clean else { throw ArgumentParser.ExitCode(ExitCode.differences.rawValue) }
    }
}
