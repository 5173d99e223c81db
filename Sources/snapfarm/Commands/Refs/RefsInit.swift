// `snapfarm refs init`: the store, the abilities of its host, and the merge driver of this clone.
import ArgumentParser
import FarmCore
import FarmFiles
import FarmReferences
import FarmRun
import Foundation

struct RefsInit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Makes the store, or recognises it, and sets this clone up.",
        discussion: """
            A remote is tried with a real push and fetch; what it does not allow is done another \
            way, which is said. In a clone of the project the merge driver for pins is installed: \
            one line in .gitattributes, to be committed, and settings of this clone.
            """
    )

    @Argument(help: "A path or a Git URL (default: the pipeline's store).") var location: String?
    @OptionGroup var options: RefsOptions
    @OptionGroup var remote: RemoteOptions
    @Flag(inversion: .prefixedNo, help: "Install the merge driver.") var mergeDriver = true

    struct Result: Encodable {
        var store: String
        var isNew: Bool
        var remote: RemoteStart?
        var fallbacks: [String]
        var mergeDriver: MergeDriverSetup?
        var remembered: [String: String]
    }

    func run() throws {
        let place = try options.place(store: location)
        var result = Result(
            store: place.location.description,
            isNew: false,
            remote: nil,
            fallbacks: [],
            mergeDriver: nil,
            remembered: [:]
        )
        if let path = place.location.localPath {
            result.isNew = try Self.makeStore(at: path)
        }
        if place.isRemote || remote.remote != nil, let far = try place.remote(remote) {
            let start = try far.initialise(nonce: Self.nonce())
            result.remote = start
            if place.isRemote { result.isNew = start.isNew }
            result.fallbacks = start.abilities.fallbacks
        }
        if let root = place.checkedOut.root {
            if mergeDriver { result.mergeDriver = try Self.installDriver(place, root: root) }
            result.remembered = try Self.remember(place, options: options, root: root)
        }
        try options.show(result, lines: Self.lines(result))
    }

    private static func makeStore(at path: String) throws -> Bool {
        if FileManager.default.fileExists(atPath: path) {
            do {
                _ = try ReferenceStore(opening: path)
                return false
            } catch let error as ReferenceStoreError {
                guard case .notAStore = error else { throw error }
                // A folder without a store can become one only if it is empty.
            }
            if FileManager.default.fileExists(atPath: path + "/HEAD") {
                _ = try ReferenceStore.create(inEmptyRepository: path)
                return true
            }
        }
        _ = try ReferenceStore.create(at: path)
        return true
    }

    /// Returns a text of letters and digits that is unique to this probe of a host.
    private static func nonce() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(getpid(), radix: 36)
    }

    private static func installDriver(
        _ place: ReferencePlace,
        root: String
    ) throws -> MergeDriverSetup? {
        guard let setup = try place.mergeDriver() else { return nil }
        let git = GitCommand(folder: root, environment: place.environment)
        let file = "\(root)/.gitattributes"
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        for setting in setup.settings { try git.set(setting.name, to: setting.value) }
        if setup.attributesLine != nil {
            try DurableFile.write(Data(setup.attributes(after: text).utf8), to: file)
        }
        return setup
    }

    /// Stores the place in the clone's settings, so that Git's calls of the driver and the hook
    /// need no options.
    private static func remember(
        _ place: ReferencePlace,
        options: RefsOptions,
        root: String
    ) throws -> [String: String] {
        let git = GitCommand(folder: root, environment: place.environment)
        var settings: [String: String] = [:]
        if let file = options.pipeline.file {
            let path = PipelineSource.absolute(file)
            let top = root + "/"
            settings[PipelineFinder.setting] =
                path.hasPrefix(top) ? String(path.dropFirst(top.count)) : path
        } else if place.pipeline == nil {
            let url = place.location.localPath ?? place.location.url
            settings[ReferencePlaceFinder.storeSetting] = url
            settings[ReferencePlaceFinder.pinSetting] = try place.pinInRepository(root)
        }
        for (name, value) in settings where try git.setting(name) != value {
            try git.set(name, to: value)
        }
        return settings
    }

    private static func lines(_ result: Result) -> [String] {
        var lines = [
            result.isNew
                ? "made the store \(result.store)" : "\(result.store) is a store already"
        ]
        if let start = result.remote, !start.isNew == result.isNew {
            lines.append(
                start.isNew ? "made the remote a store" : "the remote is a store already"
            )
        }
        if result.remote != nil, result.fallbacks.isEmpty {
            lines.append("the host allows all that snapfarm needs")
        }
        lines += result.fallbacks
        switch result.mergeDriver {
        case nil: lines.append("no merge driver: the pin is in no Git work tree, or not wanted")
        case let setup? where setup.isComplete: lines.append("the merge driver is installed")
        case let setup?:
            lines.append("installed the merge driver:")
            lines += setup.commands.map { "  " + $0 }
            if setup.attributesLine != nil { lines.append("commit .gitattributes") }
        }
        for (name, value) in result.remembered.sorted(by: { $0.key < $1.key }) {
            lines.append("this clone remembers \(name) = \(value)")
        }
        return lines
    }
}
