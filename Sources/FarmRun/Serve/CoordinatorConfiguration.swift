// The settings of a coordinator: options of the command line over the configuration file.
import FarmCore
import FarmPipeline
import Foundation

/// The settings of a coordinator, with absolute paths.
package struct CoordinatorConfiguration: Sendable {
    package var settings: CoordinatorSettings
    /// The absolute path of the data folder.
    package let data: String
    /// The absolute path of the folder that relative paths of the settings start at.
    let folder: String

    /// Reads the configuration file, if one is named; a named data folder overrides the file's.
    ///
    /// - Throws: `ConfigurationError`, and `DocumentErrors` for a file with mistakes.
    package init(file: String?, data named: String?) throws {
        var settings = CoordinatorSettings()
        var folder = FileManager.default.currentDirectoryPath
        if let file {
            let path = PipelineSource.absolute(file)
            guard let bytes = FileManager.default.contents(atPath: path) else {
                throw ConfigurationError.unreadable(file)
            }
            guard bytes.count <= FarmLimits.pipelineBytesMax,
                let text = String(data: bytes, encoding: .utf8)
            else { throw ConfigurationError.notText(file) }
            settings = try CoordinatorSettings.decode(text, file: file)
            folder = path.parentFolder
        }
        func absolute(_ path: String) -> String { Self.absolute(path, in: folder) }
        if let tls = settings.tls {
            settings.tls = TLSFiles(
                certificate: absolute(tls.certificate),
                key: absolute(tls.key)
            )
        }
        guard let data = named.map(PipelineSource.absolute) ?? settings.data.map(absolute)
        else { throw ConfigurationError.noData }
        self.settings = settings
        self.data = data
        self.folder = folder
    }

    /// The URL for browsers on this machine, as far as the configuration gives it.
    package var url: String {
        url(listening: settings.listen ?? ListenAddress(port: CoordinatorSettings.defaultPort))
    }

    /// Returns the URL for browsers on this machine if the coordinator listens at `address`.
    func url(listening address: ListenAddress) -> String {
        var listen = address
        // A browser cannot open the address that stands for all addresses of the machine.
        if ["0.0.0.0", "::"].contains(listen.host) {
            listen.host = ProcessInfo.processInfo.hostName
        }
        return "\(settings.tls == nil ? "http" : "https")://\(listen.text)"
    }

    private static func absolute(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") ? path : (folder + "/" + path).standardizedPath
    }

    /// Returns the absolute path of a path in the settings.
    func path(_ text: String) -> String { Self.absolute(text, in: folder) }

    /// Returns the value of the variable `name`.
    ///
    /// If `name` is `nil`, returns the value of `standard`, or `nil` if that is not set.
    ///
    /// - Throws: `ConfigurationError.noVariable`.
    func secret(
        _ name: String?,
        or standard: String,
        _ environment: [String: String]
    ) throws -> String? {
        guard let name else { return environment[standard].flatMap { $0.isEmpty ? nil : $0 } }
        return try secret(name, environment)
    }

    /// Returns the value of a variable that the settings name.
    ///
    /// - Throws: `ConfigurationError.noVariable`.
    func secret(_ name: String, _ environment: [String: String]) throws -> String {
        guard let value = environment[name], !value.isEmpty else {
            throw ConfigurationError.noVariable(name)
        }
        return value
    }

    /// The path of the file with the coordinator's tokens.
    package var tokens: String { data + "/tokens.json" }
}

/// The errors of a coordinator's configuration.
package enum ConfigurationError: ExplainedError {
    case unreadable(String)
    case notText(String)
    case noData
    case noVariable(String)
    case noLedger

    package var code: String {
        switch self {
        case .unreadable, .notText: "configuration-unreadable"
        case .noData: "data-folder-unnamed"
        case .noVariable: "variable-unset"
        case .noLedger: "ledger-unnamed"
        }
    }
    package var message: String {
        switch self {
        case .unreadable(let file): "\(file): cannot be read; is it there?"
        case .notText(let file): "\(file): is not a text file in UTF-8 of reasonable size."
        case .noData: "no data folder is named."
        case .noVariable(let name):
            "the variable \(name), which the configuration names, is not set."
        case .noLedger: "no ledger in PostgreSQL is named."
        }
    }
    package var remedy: String {
        switch self {
        case .unreadable: "Name the file with --config; deploy/snapfarm.yaml is an example."
        case .notText: "Save it as UTF-8."
        case .noData: "Name it with --data DIR, or as `data:` in the configuration file."
        case .noVariable: "Set it to the secret itself where you call this command."
        case .noLedger:
            "Name it with --ledger postgres://…, or as `ledger:` in the configuration file."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .unreadable, .notText: .invalidInput
        case .noData, .noLedger: .usage
        case .noVariable: .configuration
        }
    }
}
