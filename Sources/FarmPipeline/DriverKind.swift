// The description of a driver for code that does not run it: pipeline files and their schema,
// plans, bundles. That code gets the program's list of drivers and knows none by name.
import FarmCore
import Foundation

/// The products that discovery built for a job; its tests need nothing else of the build.
package struct BuiltProducts: Hashable, Sendable {
    /// The absolute paths of the products' files and folders.
    package var paths: [String]
    /// The paths of the products for a CI's workspace: relative to the work tree if they are in it,
    /// with `*` for names that depend on the machine.
    package var handedOn: [String]

    package init(paths: [String], handedOn: [String]) {
        self.paths = paths
        self.handedOn = handedOn
    }
}

/// The way in which the inputs of a driver's tests are known.
package enum KnownInputs: Hashable, Sendable {
    /// They are not known: such a job cannot have `reuse`.
    case unknown
    /// Only the job's `inputs` name them.
    case named
    /// They are the built products and the package around them, or the job's `inputs`.
    case built
    /// The driver records the files that each test reads while it runs.
    case recorded
}

/// The description of a driver, that is, of a way to run tests.
package protocol DriverKind: Sendable {
    /// The driver's own settings of a job, decoded from the job's entries. Plans contain them as
    /// JSON, which later versions read: fields are never renamed, and new ones are optional.
    associatedtype Settings: Codable & Sendable

    /// The name of the driver, as a job writes it after `driver:`.
    var name: String { get }

    /// The keys that a job of this driver may have besides those of every job. If two drivers have
    /// the same key, the first driver's schema counts.
    var keys: [FileKey] { get }

    /// Whether each test runs on a device, in unit jobs too.
    var runsOnDevices: Bool { get }

    /// Whether discovery builds the tests. It may then run on another machine than the tests.
    var builds: Bool { get }

    /// The way in which the inputs of the driver's tests are known, for jobs with `reuse`.
    var inputs: KnownInputs { get }

    /// The expected seconds from a lease's grant to its first test before any lease was measured,
    /// or `nil` if only measuring can tell.
    var startGuess: StartGuess? { get }

    /// Returns the advice to show if a snapshot job made no picture, or `nil` if its tests write
    /// pictures themselves to `$SNAPFARM_CAPTURE_DIR` or by a framework.
    func pictureRemedy(_ settings: Settings) -> String?

    /// Decodes a job's entries and reports every mistake. Returns `nil` if a required entry is
    /// missing.
    func settings(in job: DocumentMap, _ reader: inout DocumentReader) -> Settings?

    /// Returns the mistakes in settings of a plan from elsewhere, as sentences without full stop.
    func mistakes(in settings: Settings) -> [String]

    /// Returns the files of a job's bundle, for workers that have no work tree.
    ///
    /// `prepared` is the result of discovery, with absolute paths. `workTree` is absolute.
    ///
    /// - Throws: an ``ExplainedError`` for a job that cannot be bundled.
    func bundle(
        _ job: Job,
        _ settings: Settings,
        prepared: [String: String],
        workTree: String
    ) throws -> BundleSelection

    /// Returns the products of discovery, from its `prepared` values. Only for drivers that build.
    func products(
        _ settings: Settings,
        prepared: [String: String],
        workTree: String
    ) throws -> BuiltProducts
}

extension DriverKind {
    package var runsOnDevices: Bool { false }

    package var builds: Bool { false }

    package var inputs: KnownInputs { .unknown }

    /// The default guess, zero seconds: what most drivers start stays from lease to lease.
    package var startGuess: StartGuess? { StartGuess.none }

    package func pictureRemedy(_ settings: Settings) -> String? { nil }

    package func products(
        _ settings: Settings,
        prepared: [String: String],
        workTree: String
    ) throws -> BuiltProducts { BuiltProducts(paths: [], handedOn: []) }

    package func mistakes(in settings: Settings) -> [String] { [] }

    /// Returns the files that the job's `bundle:` lists; throws if it lists none.
    package func bundle(
        _ job: Job,
        _ settings: Settings,
        prepared: [String: String],
        workTree: String
    ) throws -> BundleSelection {
        guard !job.bundle.isEmpty else { throw BundleRefusal.nothing(job.name) }
        return BundleSelection(globs: job.bundle)
    }

    /// Encodes a job's settings for this driver as JSON values with the driver's name.
    package func driver(_ settings: Settings) -> DriverSettings {
        // They contain texts, flags, finite numbers and lists of them, so encoding cannot fail.
        let bytes = (try? JSONEncoder().encode(settings)) ?? Data()
        let values = try? JSONDecoder().decode([String: JSONValue].self, from: bytes)
        return DriverSettings(name, values ?? [:])
    }

    /// Decodes this driver's settings of a job.
    package func settings(of driver: DriverSettings) throws(DriverSettingsError) -> Settings {
        guard driver.name == name else {
            throw DriverSettingsError(driver: name, fact: "are those of \(driver.name)")
        }
        do {
            let bytes = try JSONEncoder().encode(driver.values)
            return try JSONDecoder().decode(Settings.self, from: bytes)
        } catch {
            throw DriverSettingsError(driver: name, error)
        }
    }
}

/// The error for settings of a job that a driver cannot decode.
package struct DriverSettingsError: ExplainedError, Hashable {
    package let driver: String
    /// The end of the sentence that begins with "the settings of the driver".
    package let fact: String

    init(driver: String, fact: String) {
        self.driver = driver
        self.fact = fact
    }

    init(driver: String, _ error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            self.init(driver: driver, fact: "have no \(Self.path(context.codingPath + [key]))")
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.dataCorrupted(let context):
            let path = Self.path(context.codingPath)
            self.init(driver: driver, fact: "have another value in \(path) than can be read")
        default: self.init(driver: driver, fact: "cannot be read: \(error.inWords)")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        PlanMistakes.shown(keys.map(\.stringValue).joined(separator: "."))
    }

    package var code: String { "driver-settings" }
    package var message: String { "\(sentence)." }
    package var remedy: String { "Let one version of snapfarm plan the run and do its work." }
    package var exit: ExitCode { .invalidInput }

    /// The message without its full stop.
    var sentence: String { "the settings of the driver \(driver) \(fact)" }
}
