// The file `.snapfarm/built.json`: the jobs that `snapfarm build` built, with their tests and
// products, for `snapfarm run --built`. It travels to other machines with the products that it
// names.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmFiles
import FarmPipeline
import Foundation

/// The record of one `snapfarm build`: the jobs with their tests and products.
struct BuiltRecord: Hashable, Sendable, Codable {
    /// The record's path, relative to the work tree.
    static let path = ".snapfarm/built.json"
    private static let versionNow = 1

    private var version = Self.versionNow
    /// The absolute path of the work tree, which is part of the products' paths.
    let workTree: String
    /// The hash of the commit that was built; empty if it is unknown.
    let commit: String
    let jobs: [PlannedJob]

    init(workTree: String, commit: String, jobs: [PlannedJob]) {
        self.workTree = workTree
        self.commit = commit
        self.jobs = jobs
    }

    /// Reads the record in the work tree of `source`.
    ///
    /// - Throws: ``BuiltError`` if the record is missing or unreadable, or is of another folder or
    ///   commit.
    init(of source: PipelineSource, commit here: String) throws {
        let path = "\(source.folder)/\(Self.path)"
        guard let bytes = try BoundedFile.read(path, bytesMax: FarmLimits.shardEvidenceBytesMax)
        else { throw BuiltError.missing(path) }
        do {
            self = try JSONDecoder().decode(Self.self, from: bytes)
        } catch {
            throw BuiltError.unreadable(path)
        }
        guard version == Self.versionNow else { throw BuiltError.unreadable(path) }
        guard workTree == source.folder else {
            throw BuiltError.elsewhere(built: workTree, here: source.folder)
        }
        guard commit == here || commit.isEmpty || here.isEmpty else {
            throw BuiltError.otherCommit(built: commit, here: here)
        }
    }

    /// Removes the record of a work tree, before a new build changes its products.
    static func remove(from workTree: String) {
        try? FileManager.default.removeItem(atPath: "\(workTree)/\(path)")
    }

    /// Writes the record into its work tree.
    func write() throws {
        let path = "\(workTree)/\(Self.path)"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            try DurableFile.write(encoder.encode(self), to: path)
        } catch let error as FileFailure {
            throw DriverError.fileUnwritable(path: path, reason: error.reason)
        } catch {
            throw DriverError.fileUnwritable(path: path, reason: error.inWords)
        }
    }

    /// Returns the tests and products of `job` from the record, without building.
    ///
    /// - Throws: ``BuiltError`` if the record does not have the job, or has it with another
    ///   `driver`, `env` or `needs`, or if its products are missing.
    func found(_ job: Job) throws -> DiscoveredJob {
        guard let built = jobs.first(where: { $0.job.name == job.name }) else {
            throw BuiltError.notBuilt(jobs.map(\.job.name))
        }
        guard built.job.driver == job.driver, built.job.env == job.env,
            built.job.needs == job.needs
        else { throw BuiltError.otherSettings }
        let products = try DriverCatalog.kinds.products(of: built, workTree: workTree)
        for path in products.paths where !FileManager.default.fileExists(atPath: path) {
            throw BuiltError.productsMissing(path, handedOn: products.handedOn)
        }
        return DiscoveredJob(job: job, tests: built.tests, prepared: built.prepared)
    }
}

/// The errors of `snapfarm build` and of `--built`.
enum BuiltError: ExplainedError, Hashable {
    case nothingToBuild([String])
    case missing(String)
    case unreadable(String)
    case elsewhere(built: String, here: String)
    case otherCommit(built: String, here: String)
    case notBuilt([JobName])
    case otherSettings
    case productsMissing(String, handedOn: [String])

    var code: String {
        switch self {
        case .nothingToBuild: "nothing-to-build"
        case .missing, .productsMissing: "built-missing"
        case .unreadable: "built-unreadable"
        case .elsewhere, .otherCommit, .notBuilt, .otherSettings: "built-otherwise"
        }
    }

    var message: String {
        switch self {
        case .nothingToBuild: "no job that is selected has a driver that builds."
        case .missing(let path):
            "there is no record of a build at \(path): nothing was built, or a command without --built "
                + "has built again."
        case .unreadable(let path): "\(path) is no record of a build by this version of snapfarm."
        case .elsewhere(let built, let here):
            "the tests were built in \(built), and this is \(here)."
        case .otherCommit(let built, let here):
            "the tests were built from commit \(built.prefix(12)), and this is \(here.prefix(12))."
        case .notBuilt(let jobs):
            "it was not built. These jobs were: " + jobs.map(\.text).joined(separator: ", ") + "."
        case .otherSettings:
            "it was built with another `driver`, `env` or `needs` than the pipeline file has now."
        case .productsMissing(let path, _): "what was built for it is not at \(path)."
        }
    }

    var remedy: String {
        switch self {
        case .nothingToBuild(let drivers):
            "`snapfarm run` needs no build for it. These drivers build: "
                + drivers.joined(separator: ", ") + "."
        case .missing:
            "Run `snapfarm build` before, and attach what it names to this machine; or run without "
                + "--built."
        case .unreadable: "Build and run with one version of snapfarm."
        case .elsewhere:
            "Paths are part of what is built: check out into the same folder on all machines, or run "
                + "without --built."
        case .otherCommit: "Run `snapfarm build` on this commit; or run without --built."
        case .notBuilt:
            "Run `snapfarm build` without the --select that leaves it out; or run without --built."
        case .otherSettings: "Run `snapfarm build` again; or run without --built."
        case .productsMissing(_, let handedOn):
            "Hand on \(handedOn.joined(separator: ", ")) with \(BuiltRecord.path), and keep links and "
                + "executable bits: as a tar file where the CI does not."
        }
    }

    var exit: ExitCode {
        switch self {
        case .nothingToBuild: .invalidInput
        case .missing, .unreadable, .elsewhere, .otherCommit, .notBuilt, .otherSettings,
            .productsMissing:
            .configuration
        }
    }
}
