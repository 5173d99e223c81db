// The search for the run of a review, in data folders or at a coordinator, and for its pipeline
// file: the one with the pipeline's name from the ledger.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer
import Foundation

struct RunSearch {
    /// The word used in place of an id: the newest complete run of the work tree's branch with an
    /// undecided picture.
    static let latest = "latest"
    /// The most runs that are searched for `latest`.
    static let candidatesMax = 50

    /// A run that a review may be about, with its pipeline file and data folder.
    struct Candidate {
        let run: RunID
        let source: PipelineSource
        /// The path of the data folder.
        let data: String
    }

    /// A run in a list, with its data folder.
    private struct Found {
        let run: RunListing
        /// The path of the run's data folder, or `nil` for a run of a coordinator.
        let folder: String?
    }

    let request: ReviewRequest

    /// Returns the run with an id; for `latest`, every run that it can be, the newest first.
    ///
    /// - Throws: `PipelineSearchError` if no file or no data folder fits, `LedgerError.noRun`.
    func candidates(_ wanted: String) throws -> [Candidate] {
        let files = try files()
        var folders: [String] = []
        for file in files {
            let folder = ReviewSession.data(request, file.source)
            if !folders.contains(folder) { folders.append(folder) }
        }
        guard let first = folders.first else { throw PipelineSearchError.none(name: "") }
        let kept = folders.filter { FileManager.default.fileExists(atPath: Self.ledger($0)) }
        guard !kept.isEmpty else { throw PipelineSearchError.noLedger(data: first) }
        let found = try kept.flatMap { folder in
            try SQLiteLedger.runs(inFileAt: Self.ledger(folder), limit: FarmLimits.listMax)
                .map { Found(run: RunListing($0), folder: folder) }
        }
        guard wanted == Self.latest else {
            guard let one = found.first(where: { $0.run.run.text == wanted }) else {
                throw LedgerError.noRun(RunID(wanted))
            }
            return [try candidate(one, files)]
        }
        return try latest(of: found, files, in: kept[0]).map { try candidate($0, files) }
    }

    /// Returns the runs of a coordinator that `latest` can be, the newest first.
    ///
    /// - Throws: The errors of `candidates`.
    func latest(of runs: [RunListing], at coordinator: String) throws -> [RunID] {
        let found = runs.map { Found(run: $0, folder: nil) }
        return try latest(of: found, files(), in: coordinator).map(\.run.run)
    }

    /// Returns the runs that `latest` can be, at least one, the newest first.
    ///
    /// The newest complete run is always among them, because even a green run can miss pictures.
    private func latest(
        of found: [Found],
        _ files: [PipelineFile],
        in place: String
    ) throws -> [Found] {
        let places = files.map { ($0, self.place(of: $0)) }
        let complete = found.filter { found in
            found.run.isCompleteVerify
                && places.contains { $1.fits(found.run) && isFile($0, of: found) }
        }
        .sorted { ($0.run.started, $0.run.run) > ($1.run.started, $1.run.run) }
        guard let newest = complete.first else {
            throw PipelineSearchError.nothingToReview(data: place)
        }
        let others = complete.dropFirst().filter(\.run.mayHavePictures)
        return [newest] + others.prefix(Self.candidatesMax - 1)
    }

    private func files() throws -> [PipelineFile] {
        try request.file.map { [try PipelineFile(named: $0)] }
            ?? PipelineSearch.all(request.environment)
    }

    private func place(of file: PipelineFile) -> SourcePlace {
        let environment = request.environment
        return SourcePlace(
            CIEnvironment.detect(environment),
            folder: file.source.folder,
            environment
        )
    }

    private func isFile(_ file: PipelineFile, of found: Found) -> Bool {
        file.source.pipeline.name == found.run.pipeline
            && found.folder.map { $0 == ReviewSession.data(request, file.source) } ?? true
    }

    private static func ledger(_ folder: String) -> String { folder + "/ledger.sqlite" }

    private func candidate(_ found: Found, _ files: [PipelineFile]) throws -> Candidate {
        // A named file is compared with the run when the run is opened.
        let fitting = files.filter { request.file != nil || isFile($0, of: found) }
        let file = try PipelineSearch.only(fitting, named: found.run.pipeline)
        return Candidate(run: found.run.run, source: file.source, data: found.folder ?? "")
    }
}

extension RunListing {
    fileprivate var isCompleteVerify: Bool {
        mode == .verify && (state == .failed || state == .passed)
    }

    /// Whether the run may have pictures to decide about.
    ///
    /// A run can fail without a bad test, if only pictures of deleted tests are missing.
    fileprivate var mayHavePictures: Bool { state == .failed || bad > 0 }
}

extension SourcePlace {
    /// Whether a run is of this branch or this very commit; every run is if the branch is unknown.
    func fits(_ run: RunListing) -> Bool {
        branch.isEmpty || run.branch == branch || !commit.isEmpty && run.commit == commit
    }
}
