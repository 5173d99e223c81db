// The search for the pipeline file of an earlier run, if the caller names no file: the one with the
// name of the run's pipeline.
import FarmCore
import Foundation

enum PipelineSearch {
    /// Returns the only pipeline with references that has the given name.
    ///
    /// - Throws: `PipelineSearchError` if there is none or more than one, and the mistakes of the
    ///   file if it is the only one.
    static func find(named name: String, _ environment: [String: String]) throws -> PipelineSource {
        try only(all(environment).filter { $0.source.pipeline.name == name }, named: name).source
    }

    /// Returns the only one of the found files, by the rules of `PipelineFinder`; throws if there
    /// is none or more than one.
    static func only(_ found: [PipelineFile], named name: String?) throws -> PipelineFile {
        guard !found.isEmpty else { throw PipelineSearchError.none(name: name ?? "") }
        let choice = try PipelineFinder.choice(found.map(\.candidate))
        return found.first { $0.candidate == choice } ?? found[0]
    }

    /// Returns every pipeline file with references.
    static func all(_ environment: [String: String]) throws -> [PipelineFile] {
        let candidates = PipelineFinder(named: nil, environment: environment)
            .candidates(.references)
        let found = candidates.map { candidate in
            Result {
                PipelineFile(candidate: candidate, source: try PipelineSource(file: candidate.file))
            }
        }
        // Mistakes in one of several files do not matter for the others.
        if found.count == 1 { return try found.map { try $0.get() } }
        return found.compactMap { try? $0.get() }
    }
}

/// A pipeline file with its decoded pipeline; the caller named the file, or a search found it.
struct PipelineFile {
    let candidate: PipelineFinder.Candidate
    let source: PipelineSource
}

extension PipelineFile {
    /// Reads the pipeline file that the caller names.
    init(named file: String) throws {
        candidate = PipelineFinder.Candidate(file: file, rank: .other)
        source = try PipelineSource(file: file)
    }
}

/// The errors of searching for a pipeline file, or for one of its runs.
package enum PipelineSearchError: ExplainedError {
    /// No file fits.
    ///
    /// `name` is `nil` if any file was wanted. Otherwise a file with references was wanted, with
    /// that name unless it is empty.
    case none(name: String?)
    case several([String])
    case noReferences(name: String)
    case noLedger(data: String)
    case nothingToReview(data: String)

    package var code: String {
        switch self {
        case .none: "pipeline-not-found"
        case .several: "pipeline-ambiguous"
        case .noReferences: "no-reference-store"
        case .noLedger, .nothingToReview: "unknown-run"
        }
    }
    package var message: String {
        switch self {
        case .none(nil): "there is no pipeline file here or in pipelines/."
        case .none(let name?):
            "there is no pipeline file with references "
                + (name.isEmpty ? "" : "and the name \(name.prefix(200).debugDescription) ")
                + "here or in pipelines/."
        case .several(let files): "several pipeline files fit: \(files.joined(separator: ", "))."
        case .noReferences(let name): "the pipeline \(name) has no references."
        case .noLedger(let data): "the data folder \(data) holds no runs."
        case .nothingToReview(let data):
            "no complete run of this branch in \(data) has a picture left to approve or reject."
        }
    }
    package var remedy: String {
        switch self {
        case .none(nil): "Make one with `snapfarm init`, or name it: --pipeline FILE."
        case .none, .several: "Name it: --pipeline FILE, or SNAPFARM_PIPELINE."
        case .noReferences: "Add `references:` to the pipeline file."
        case .noLedger:
            "Name the data folder of the run with --data, or its FailureDiffs.zip with --from."
        case .nothingToReview:
            "Run first: snapfarm run; or name a run of `snapfarm runs` with --run RUN."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .none, .several: .usage
        case .noReferences: .configuration
        case .noLedger, .nothingToReview: .invalidInput
        }
    }
}
