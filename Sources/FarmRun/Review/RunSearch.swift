// Which run of a data folder a review is about, and which pipeline file it belongs to. The ledger
// knows the run's pipeline by name, the files here say which of them has it.
import FarmCI
import FarmCore
import FarmLedger
import Foundation

struct RunSearch {
    /// Instead of an id: the newest complete run of the work tree's branch that has a picture left to
    /// decide about.
    static let latest = "latest"
    /// Runs that are looked into for one.
    static let candidatesMax = 50

    /// A run that a review may be about.
    struct Candidate {
        let run: RunID
        let source: PipelineSource
        /// The data folder.
        let data: String
        /// No complete run of its branch is newer.
        var isNewest = false
    }

    let request: ReviewRequest

    /// The run of an id; for `latest` every run it may be, the newest first.
    ///
    /// - Throws: `PipelineSearchError` where no file or no data folder fits, `LedgerError.noRun`.
    func candidates(_ wanted: String) throws -> [Candidate] {
        let files =
            try request.file.map { [try PipelineFile(named: $0)] }
            ?? PipelineSearch.all(request.environment)
        var folders: [String] = []
        for file in files {
            let folder = ReviewSession.data(request, file.source)
            if !folders.contains(folder) { folders.append(folder) }
        }
        guard let first = folders.first else { throw PipelineSearchError.none(name: "") }
        let kept = folders.filter { FileManager.default.fileExists(atPath: Self.ledger($0)) }
        guard !kept.isEmpty else { throw PipelineSearchError.noLedger(data: first) }
        let rows = try kept.flatMap { folder in
            try SQLiteLedger.runs(inFileAt: Self.ledger(folder), limit: FarmLimits.listMax)
                .map { (folder: folder, row: $0) }
        }
        guard wanted == Self.latest else {
            guard let found = rows.first(where: { $0.row.id.text == wanted }) else {
                throw LedgerError.noRun(RunID(wanted))
            }
            return [try candidate(found.row, found.folder, files)]
        }
        let places = files.map { ($0, place(of: $0)) }
        let complete = rows.filter { folder, row in
            row.isCompleteVerify
                && places.contains { $1.fits(row.facts) && isFile($0, of: row, in: folder) }
        }
        .sorted { ($0.row.started, $0.row.id) > ($1.row.started, $1.row.id) }
        // A run can be green although pictures are missing: only the newest is worth a look for that.
        let newest = complete.first.map { $0.row.id }
        let fitting = complete.filter { $0.row.mayHavePictures || $0.row.id == newest }
            .prefix(Self.candidatesMax)
        guard !fitting.isEmpty else { throw PipelineSearchError.nothingToReview(data: kept[0]) }
        return try fitting.map {
            var candidate = try candidate($0.row, $0.folder, files)
            candidate.isNewest = candidate.run == newest
            return candidate
        }
    }

    private func place(of file: PipelineFile) -> SourcePlace {
        let environment = request.environment
        return SourcePlace(
            CIEnvironment.detect(environment),
            folder: file.source.folder,
            environment
        )
    }

    private func isFile(_ file: PipelineFile, of row: RunRow, in folder: String) -> Bool {
        file.source.pipeline.name == row.facts.pipeline
            && ReviewSession.data(request, file.source) == folder
    }

    private static func ledger(_ folder: String) -> String { folder + "/ledger.sqlite" }

    private func candidate(
        _ row: RunRow,
        _ folder: String,
        _ files: [PipelineFile]
    ) throws -> Candidate {
        // A file that is named is compared with the run where the run is opened.
        let fitting = files.filter { request.file != nil || isFile($0, of: row, in: folder) }
        let file = try PipelineSearch.only(fitting, named: row.facts.pipeline)
        return Candidate(run: row.id, source: file.source, data: folder)
    }
}

extension RunRow {
    fileprivate var isCompleteVerify: Bool {
        facts.mode == .verify && (state == .failed || state == .passed)
    }

    /// Whether the run did not find everything as expected.
    ///
    /// All tests are good if only pictures of deleted tests are missing.
    fileprivate var mayHavePictures: Bool { state == .failed || bad > 0 }
}
