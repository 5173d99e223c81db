// Which pipeline a review belongs to, where nobody names the file: that of the run's name, in the
// working folder or in `pipelines/`.
import FarmCore
import Foundation

enum PipelineSearch {
    /// Files that are looked at in one folder.
    private static let filesMax = 200

    /// The only pipeline with references and this name.
    ///
    /// - Throws: `PipelineSearchError` where there is none or more than one.
    static func find(named name: String) throws -> PipelineSource {
        try only(all().filter { $0.source.pipeline.name == name }, named: name).source
    }

    /// The only one of these files.
    static func only(_ found: [PipelineFile], named name: String?) throws -> PipelineFile {
        guard let only = found.first, found.count == 1 else {
            throw found.isEmpty
                ? PipelineSearchError.none(name: name)
                : PipelineSearchError.several(found.map(\.file))
        }
        return only
    }

    /// Every pipeline file with references, here and in `pipelines/`.
    static func all() -> [PipelineFile] {
        let working = FileManager.default.currentDirectoryPath
        var found: [PipelineFile] = []
        for folder in ["", "pipelines/"] {
            let names =
                (try? FileManager.default.contentsOfDirectory(atPath: "\(working)/\(folder)"))
            let files = (names ?? []).filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
            for file in files.sorted().prefix(filesMax) {
                guard let source = try? PipelineSource(file: folder + file),
                    source.pipeline.references != nil
                else { continue }
                found.append(PipelineFile(file: folder + file, source: source))
            }
        }
        return found
    }
}

/// A pipeline file as it was named or found.
struct PipelineFile {
    let file: String
    let source: PipelineSource
}

/// Why no pipeline file, or no run of one, is found.
package enum PipelineSearchError: ExplainedError {
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
        case .none(let name):
            "there is no pipeline file with references "
                + (name.map { "and the name \($0.prefix(200).debugDescription) " } ?? "")
                + "here or in pipelines/."
        case .several(let files): "several pipeline files fit: \(files.joined(separator: ", "))."
        case .noReferences(let name): "the pipeline \(name) has no references."
        case .noLedger(let data): "the data folder \(data) holds no runs."
        case .nothingToReview(let data):
            "no complete run of \(data) has a picture to approve or reject."
        }
    }
    package var remedy: String {
        switch self {
        case .none, .several: "Name the pipeline file before the options."
        case .noReferences: "Add `references:` to the pipeline file."
        case .noLedger:
            "Name the data folder of the run with --data, or approve --from its FailureDiffs.zip."
        case .nothingToReview: "Run first: snapfarm run FILE; `snapfarm runs` lists what there is."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .none, .several: .invalidInput
        case .noReferences: .configuration
        case .noLedger, .nothingToReview: .invalidInput
        }
    }
}
