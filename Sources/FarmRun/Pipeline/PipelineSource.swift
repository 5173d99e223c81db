// A pipeline file, and the folder that its relative paths start at.
import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation

/// A decoded pipeline, with the path of its file.
package struct PipelineSource: Sendable {
    private(set) var pipeline: Pipeline
    /// The text of the pipeline file.
    let text: String
    /// Absolute path of the pipeline file.
    package let file: String
    /// Absolute path of the pipeline file's folder.
    package let folder: String

    /// Reads and decodes the pipeline file; the error lists all mistakes at once.
    init(file: String) throws {
        let path = Self.absolute(file)
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw PipelineSourceError.unreadable(file)
        }
        guard bytes.count <= FarmLimits.pipelineBytesMax,
            let text = String(data: bytes, encoding: .utf8)
        else { throw PipelineSourceError.notText(file) }
        self.file = path
        folder = path.parentFolder
        self.text = text
        pipeline = try Self.decode(text, file: file, folder: folder)
        if case .file(let list) = pipeline.screens {
            pipeline.screens = try Self.screens(of: self.path(list), named: list)
        }
    }

    /// Decodes another text of the pipeline file, such as a proposed one, without its list of screens.
    ///
    /// `file` is the name in errors.
    func decoded(_ text: String, file: String) throws -> Pipeline {
        try Self.decode(text, file: file, folder: folder)
    }

    private static func decode(_ text: String, file: String, folder: String) throws -> Pipeline {
        try PipelineDecoder.decode(
            text,
            file: file,
            drivers: DriverCatalog.kinds,
            frameworks: FrameworkChoice(folder: folder)
        )
    }

    /// Reads the list of screens from a file.
    private static func screens(of path: String, named name: String) throws -> ScreenList {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw PipelineSourceError.noScreens(name, "cannot be read; is it there?")
        }
        guard bytes.count <= FarmLimits.pipelineBytesMax,
            let text = String(data: bytes, encoding: .utf8)
        else { throw PipelineSourceError.noScreens(name, "is not a text file in UTF-8.") }
        let list = ScreenList(lines: text)
        let names = list.names ?? []
        guard names.count <= FarmLimits.screensMax, names.allSatisfy(ScreenList.isName) else {
            throw PipelineSourceError.noScreens(
                name,
                "has more than \(FarmLimits.screensMax) screens, or a name that is too long."
            )
        }
        return list
    }

    /// Replaces the masks of all comparisons by the boxes that are painted in them.
    ///
    /// Only commands that compare pictures need this.
    mutating func resolveMasks() throws(IgnoreError) {
        let origin = self
        for index in pipeline.jobs.indices {
            try pipeline.jobs[index].comparison.resolveMasks { mask throws(IgnoreError) in
                try IgnoredBoxes.boxes(ofMask: origin.path(mask))
            }
        }
    }

    /// Returns the absolute path of a path in the pipeline file, which may be relative to its
    /// folder.
    func path(_ relative: String) -> String {
        relative.isAbsolutePath ? relative : (folder + "/" + relative).standardizedPath
    }

    /// Returns the absolute path of a path on the command line, without `.` and `..`; keeps links.
    package static func absolute(_ path: String) -> String {
        let full =
            path.isAbsolutePath ? path : FileManager.default.currentDirectoryPath + "/" + path
        return full.standardizedPath
    }
}

extension String {
    /// This path without `.` and `..`; links are kept.
    var standardizedPath: String {
        var parts: [String] = []
        for part in pathParts where !part.isEmpty && part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}

/// The errors of reading a pipeline file, its list of screens or its store.
package enum PipelineSourceError: ExplainedError {
    case unreadable(String)
    case notText(String)
    case noScreens(String, String)
    case noStore(String, hasPin: Bool)

    package var code: String {
        switch self {
        case .unreadable, .notText: "pipeline-unreadable"
        case .noScreens: "screens-unreadable"
        case .noStore: "store-missing"
        }
    }
    package var message: String {
        switch self {
        case .unreadable(let file): "\(file): cannot be read; is it there?"
        case .notText(let file): "\(file): is not a text file in UTF-8 of reasonable size."
        case .noScreens(let file, let fact): "\(file), the list of screens, \(fact)"
        case .noStore(let path, let hasPin):
            "there is no reference store at \(path)"
                + (hasPin ? ", but the pin names references." : " yet.")
        }
    }
    package var remedy: String {
        switch self {
        case .unreadable: "Correct its name: FILE, --pipeline FILE or SNAPFARM_PIPELINE."
        case .notText: "Save it as UTF-8."
        case .noScreens: "Correct `screens:`: a list, or a file that names a screen on each line."
        case .noStore(_, let hasPin):
            hasPin
                ? "Clone the store there, or correct `references.store`."
                : "Make it with `snapfarm refs init`, or by recording: `snapfarm run --mode record`."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .unreadable, .notText, .noScreens: .invalidInput
        case .noStore: .configuration
        }
    }
}
