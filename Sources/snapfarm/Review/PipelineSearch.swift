// Which pipeline a review belongs to, where nobody names the file: that of the run's name, in the
// working folder or in `pipelines/`.
import FarmCore
import Foundation

enum PipelineSearch {
    /// Files that are looked at in one folder.
    private static let filesMax = 200

    /// The only pipeline with references and, where one is given, this name.
    ///
    /// - Throws: `PipelineSearchError` where there is none or more than one.
    static func find(named name: String?) throws -> PipelineSource {
        let working = FileManager.default.currentDirectoryPath
        var found: [(file: String, source: PipelineSource)] = []
        for folder in ["", "pipelines/"] {
            let names =
                (try? FileManager.default.contentsOfDirectory(atPath: "\(working)/\(folder)"))
            let files = (names ?? []).filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
            for file in files.sorted().prefix(filesMax) {
                guard let source = try? PipelineSource(file: folder + file),
                    source.pipeline.references != nil,
                    name == nil || source.pipeline.name == name
                else { continue }
                found.append((folder + file, source))
            }
        }
        guard let only = found.first, found.count == 1 else {
            throw found.isEmpty
                ? PipelineSearchError.none(name: name)
                : PipelineSearchError.several(found.map(\.file))
        }
        return only.source
    }
}

enum PipelineSearchError: ExplainedError {
    case none(name: String?)
    case several([String])
    case noReferences(name: String)
    case noLedger(data: String)

    var code: String {
        switch self {
        case .none: "pipeline-not-found"
        case .several: "pipeline-ambiguous"
        case .noReferences: "no-reference-store"
        case .noLedger: "unknown-run"
        }
    }
    var message: String {
        switch self {
        case .none(let name):
            "there is no pipeline file with references "
                + (name.map { "and the name \($0.prefix(200).debugDescription) " } ?? "")
                + "here or in pipelines/."
        case .several(let files): "several pipeline files fit: \(files.joined(separator: ", "))."
        case .noReferences(let name): "the pipeline \(name) has no references."
        case .noLedger(let data): "the data folder \(data) holds no runs."
        }
    }
    var remedy: String {
        switch self {
        case .none, .several: "Name the file before the options: snapfarm approve FILE …"
        case .noReferences: "Add `references:` to the pipeline file."
        case .noLedger:
            "Name the data folder of the run with --data, or approve --from its FailureDiffs.zip."
        }
    }
    var exit: FarmExit {
        switch self {
        case .none, .several: .invalidInput
        case .noReferences: .configuration
        case .noLedger: .invalidInput
        }
    }
}
