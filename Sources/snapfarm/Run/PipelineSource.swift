// A pipeline file and what lies beside it: the pin, the reference store.
import FarmCore
import FarmReferences
import Foundation

/// A decoded pipeline and where it lies.
struct PipelineSource: Sendable {
    let pipeline: Pipeline
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
        pipeline = try PipelineDecoder.decode(text, file: file)
        folder = (path as NSString).deletingLastPathComponent
    }

    /// A path of the pipeline file, which may be relative to its folder.
    func path(_ relative: String) -> String {
        relative.hasPrefix("/") ? relative : (folder + "/" + relative).standardizedPath
    }

    /// Absolute path of the pin file; empty for a pipeline without references.
    var pinFile: String { pipeline.references.map { path($0.pin) } ?? "" }

    /// The text of the pin file; empty where there is none yet.
    func pinText() throws -> String {
        guard let settings = pipeline.references else { return "" }
        let path = path(settings.pin)
        guard FileManager.default.fileExists(atPath: path) else { return "" }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw PipelineSourceError.unreadable(settings.pin)
        }
        // Parsed here so that a broken pin is said before anything runs.
        return try ReferencePin(parsing: bytes, file: settings.pin).text
    }

    /// The store of the pipeline's references, made where a record run needs one; nil for a
    /// pipeline without references.
    func store(for mode: RunMode, pin: String) throws -> ReferenceStore? {
        guard let settings = pipeline.references else { return nil }
        guard !settings.store.contains("://"), !settings.store.contains("@") else {
            throw PipelineSourceError.remoteStore(settings.store)
        }
        let path = path(settings.store)
        guard FileManager.default.fileExists(atPath: path) else {
            guard mode == .record, pin.isEmpty else {
                throw PipelineSourceError.noStore(path, hasPin: !pin.isEmpty)
            }
            return try ReferenceStore.create(at: path)
        }
        let store = try ReferenceStore(opening: path)
        try store.check(ReferencePin(parsing: Data(pin.utf8), file: settings.pin))
        return store
    }

    /// Writes the pin file, whole or not at all.
    func write(pin text: String) throws {
        guard let settings = pipeline.references else { return }
        let path = path(settings.pin)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    static func absolute(_ path: String) -> String {
        let full =
            path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        return full.standardizedPath
    }
}

extension String {
    /// Without `.` and `..`; links are kept as they are.
    var standardizedPath: String {
        var parts: [Substring] = []
        for part in split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}

/// Why a pipeline file or what it names cannot be used.
enum PipelineSourceError: ExplainedError {
    case unreadable(String)
    case notText(String)
    case remoteStore(String)
    case noStore(String, hasPin: Bool)

    var code: String {
        switch self {
        case .unreadable, .notText: "pipeline-unreadable"
        case .remoteStore: "store-remote"
        case .noStore: "store-missing"
        }
    }
    var message: String {
        switch self {
        case .unreadable(let file): "\(file): cannot be read; is it there?"
        case .notText(let file): "\(file): is not a text file in UTF-8 of reasonable size."
        case .remoteStore(let store): "the store \(store) is not on this machine."
        case .noStore(let path, let hasPin):
            "there is no reference store at \(path)"
                + (hasPin ? ", but the pin names references." : " yet.")
        }
    }
    var remedy: String {
        switch self {
        case .unreadable: "Name the pipeline file: snapfarm run pipelines/app.yaml."
        case .notText: "Save it as UTF-8."
        case .remoteStore(let store):
            "Clone it beside the repository (git clone --mirror \(store)) and name that path; "
                + "fetching from a URL is not built yet."
        case .noStore(_, let hasPin):
            hasPin
                ? "Clone the store there, or correct `references.store`."
                : "Record the first references: snapfarm run FILE --mode record."
        }
    }
    var exit: FarmExit {
        switch self {
        case .unreadable, .notText: .invalidInput
        case .remoteStore, .noStore: .configuration
        }
    }
}
