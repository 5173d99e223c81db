// The place of the runs that `show` and an agent ask about: the data folders of this machine, or a
// coordinator.
import FarmAPI
import FarmCore
import FarmLedger
import FarmReports
import Foundation

/// The place of the runs of a question.
package struct RunQuestion: Sendable {
    /// The path of the pipeline file, or `nil` to search for the one of the run's pipeline.
    package var file: String?
    /// The path of the data folder, or `nil` for those of the working folder.
    package var data: String?
    /// The coordinator that has the runs, or `nil` for those of this machine.
    package var coordinator: RemoteCoordinator?
    package var environment: [String: String]

    package init(
        file: String?,
        data: String?,
        coordinator: RemoteCoordinator?,
        environment: [String: String]
    ) {
        self.file = file
        self.data = data
        self.coordinator = coordinator
        self.environment = environment
    }

    /// The options of a command that name this place.
    var options: [(String, String)] {
        let all = [("--pipeline", file), ("--data", data), ("--coordinator", coordinator?.url)]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The runs of this machine, the newest first, each with its data folder.
    private func found() throws -> [(run: RunListing, data: String)] {
        var folders = try LocalRuns(data: data).folders()
        if data == nil, let file {
            let own = PipelineSource.absolute(file).parentFolder + "/.snapfarm"
            let isUsed = FileManager.default.fileExists(atPath: own + "/ledger.sqlite")
            if isUsed, !folders.contains(own) { folders.append(own) }
        }
        let found = try folders.flatMap { folder in
            try LocalRuns(data: folder).newest(FarmLimits.listMax).map { (run: $0, data: folder) }
        }
        return found.sorted { ($0.run.started, $0.run.run) > ($1.run.started, $1.run.run) }
    }

    /// Returns the newest runs of the place.
    func runs() async throws -> [RunListing] {
        guard let coordinator else { return try found().map(\.run) }
        return try await coordinator.asked { try await $0.runs(limit: FarmLimits.listMax) }
    }

    /// Finds a run of this machine by its id, or the newest one of the work tree's branch.
    ///
    /// - Throws: `LedgerError.noRun`, `LatestRunError` if there is no newest run, and
    ///   `BriefError.ranNothing` for a run that an earlier one proves green.
    func local(_ name: String) throws -> (run: RunID, data: String) {
        let place = SourcePlace(
            CIEnvironment.detect(environment),
            folder: FileManager.default.currentDirectoryPath,
            environment
        )
        let isLatest = name == RunSearch.latest
        let one = try found().first { isLatest ? place.fits($0.run) : $0.run.run.text == name }
        guard let (run, data) = one else {
            guard isLatest else { throw LedgerError.noRun(RunID(name)) }
            throw LatestRunError.none(.openFirst, branch: place.branch)
        }
        guard run.problem?.code != "unchanged" else { throw BriefError.ranNothing(run.run.text) }
        return (run.run, data)
    }
}
