// A pipeline file and the folder its relative paths start at.
import FarmCore
import FarmDrivers
import FarmFrameworks
import FarmPipeline
import Foundation

/// A decoded pipeline and where it lies.
struct PipelineSource: Sendable {
    private(set) var pipeline: Pipeline
    /// Absolute path of the pipeline file's folder.
    let folder: String

    /// Reads and decodes; every mistake at once.
    init(file: String) throws {
        let path = Self.absolute(file)
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw PipelineSourceError.unreadable(file)
        }
        guard bytes.count <= FarmLimits.pipelineBytesMax,
            let text = String(data: bytes, encoding: .utf8)
        else { throw PipelineSourceError.notText(file) }
        folder = (path as NSString).deletingLastPathComponent
        pipeline = try PipelineDecoder.decode(
            text,
            file: file,
            drivers: DriverCatalog.kinds,
            frameworks: FrameworkChoice(folder: folder)
        )
    }

    /// Replaces the masks of all comparisons by the boxes painted in them.
    ///
    /// Only for those who judge pictures: other commands need no masks.
    mutating func resolveMasks() throws(IgnoreError) {
        let origin = self
        for index in pipeline.jobs.indices {
            try pipeline.jobs[index].comparison.resolveMasks { mask throws(IgnoreError) in
                try IgnoreOptions.boxes(ofMask: origin.path(mask))
            }
        }
    }

    /// A path of the pipeline file, which may be relative to its folder.
    func path(_ relative: String) -> String {
        relative.isAbsolutePath ? relative : (folder + "/" + relative).standardizedPath
    }

    static func absolute(_ path: String) -> String {
        let full =
            path.isAbsolutePath ? path : FileManager.default.currentDirectoryPath + "/" + path
        return full.standardizedPath
    }
}

extension String {
    /// Without `.` and `..`; links are kept as they are.
    var standardizedPath: String {
        var parts: [String] = []
        for part in pathParts where !part.isEmpty && part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}

/// Why a pipeline file or what it names cannot be used.
enum PipelineSourceError: ExplainedError {
    case unreadable(String)
    case notText(String)
    case noStore(String, hasPin: Bool)

    var code: String {
        switch self {
        case .unreadable, .notText: "pipeline-unreadable"
        case .noStore: "store-missing"
        }
    }
    var message: String {
        switch self {
        case .unreadable(let file): "\(file): cannot be read; is it there?"
        case .notText(let file): "\(file): is not a text file in UTF-8 of reasonable size."
        case .noStore(let path, let hasPin):
            "there is no reference store at \(path)"
                + (hasPin ? ", but the pin names references." : " yet.")
        }
    }
    var remedy: String {
        switch self {
        case .unreadable: "Name the pipeline file: snapfarm run pipelines/app.yaml."
        case .notText: "Save it as UTF-8."
        case .noStore(_, let hasPin):
            hasPin
                ? "Clone the store there, or correct `references.store`."
                : "Record the first references: snapfarm run FILE --mode record."
        }
    }
    var exit: ExitCode {
        switch self {
        case .unreadable, .notText: .invalidInput
        case .noStore: .configuration
        }
    }
}
