// Where a coordinator's state and settings are: flags over the configuration file.
import ArgumentParser
import FarmCore
import FarmPipeline
import Foundation

/// What all commands on the coordinator's own machine take.
struct CoordinatorPlace: ParsableArguments {
    @Option(help: "The coordinator's configuration file.") var config: String?
    @Option(help: "Where its state is kept, over `data:` of the configuration.")
    var data: String?
}

/// The settings of a coordinator, with absolute paths.
struct CoordinatorConfiguration: Sendable {
    let settings: CoordinatorSettings
    /// Absolute.
    let data: String
    /// Where relative paths of the settings start; absolute.
    let folder: String

    init(_ place: CoordinatorPlace) throws {
        var settings = CoordinatorSettings()
        var folder = FileManager.default.currentDirectoryPath
        if let file = place.config {
            let path = PipelineSource.absolute(file)
            guard let bytes = FileManager.default.contents(atPath: path) else {
                throw ConfigurationError.unreadable(file)
            }
            guard bytes.count <= FarmLimits.pipelineBytesMax,
                let text = String(data: bytes, encoding: .utf8)
            else { throw ConfigurationError.notText(file) }
            settings = try CoordinatorSettings.decode(text, file: file)
            folder = (path as NSString).deletingLastPathComponent
        }
        func absolute(_ path: String) -> String {
            path.hasPrefix("/") ? path : (folder + "/" + path).standardizedPath
        }
        if let tls = settings.tls {
            settings.tls = TLSFiles(
                certificate: absolute(tls.certificate),
                key: absolute(tls.key)
            )
        }
        guard let data = place.data.map(PipelineSource.absolute) ?? settings.data.map(absolute)
        else { throw ConfigurationError.noData }
        self.settings = settings
        self.data = data
        self.folder = folder
    }

    /// The coordinator's tokens.
    var tokens: String { data + "/tokens.json" }
}

/// Why a coordinator's configuration cannot be used.
enum ConfigurationError: ExplainedError {
    case unreadable(String)
    case notText(String)
    case noData

    var code: String {
        switch self {
        case .unreadable, .notText: "configuration-unreadable"
        case .noData: "data-folder-unnamed"
        }
    }
    var message: String {
        switch self {
        case .unreadable(let file): "\(file): cannot be read; is it there?"
        case .notText(let file): "\(file): is not a text file in UTF-8 of reasonable size."
        case .noData: "no data folder is named."
        }
    }
    var remedy: String {
        switch self {
        case .unreadable: "Name the file with --config; deploy/snapfarm.yaml is an example."
        case .notText: "Save it as UTF-8."
        case .noData: "Name it with --data DIR, or as `data:` in the configuration file."
        }
    }
    var exit: ExitCode {
        switch self {
        case .unreadable, .notText: .invalidInput
        case .noData: .usage
        }
    }
}
