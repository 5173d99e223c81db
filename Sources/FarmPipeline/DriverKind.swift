// What a driver says of itself to those that do not run it: pipeline files and their schema, plans,
// bundles. They are given the program's list of drivers, and know none by name.
import FarmCore
import Foundation

/// What discovery has built for a job: its tests run with nothing else of the build.
package struct BuiltProducts: Hashable, Sendable {
    /// Absolute paths of the files and folders.
    package var paths: [String]
    /// The same as a CI's workspace names them: relative to the work tree where they lie in it, with
    /// `*` where a name follows the machine.
    package var handedOn: [String]

    package init(paths: [String], handedOn: [String]) {
        self.paths = paths
        self.handedOn = handedOn
    }
}

/// A way to run tests, seen from outside.
package protocol DriverKind: Sendable {
    /// What a job keeps of its entries. Plans hold its JSON, which later versions read: no field is
    /// renamed, and a new one is optional.
    associatedtype Settings: Codable & Sendable

    /// The word after `driver:`.
    var name: String { get }

    /// What a job of the driver may hold besides the keys of every job; of a key that two drivers have,
    /// the first's schema counts.
    var keys: [FileKey] { get }

    /// Each of its tests runs on a device, those of unit jobs too.
    var runsOnDevices: Bool { get }

    /// Discovery builds the tests, and may be done on another machine than they run on.
    var builds: Bool { get }

    /// The expected start of a lease before any was measured; `nil` if only measuring can tell.
    var startGuess: StartGuess? { get }

    /// Returns the advice if a snapshot job made no picture, or `nil` if its tests write pictures
    /// themselves to `$SNAPFARM_CAPTURE_DIR` or by a framework.
    func pictureRemedy(_ settings: Settings) -> String?

    /// Reads what a job's entries say, and reports every mistake; nil where something is missing
    /// without which there are no settings.
    func settings(in job: DocumentMap, _ reader: inout DocumentReader) -> Settings?

    /// What a plan from elsewhere must not say, as sentences without full stop.
    func mistakes(in settings: Settings) -> [String]

    /// The files that workers without the work tree need.
    ///
    /// `prepared` is what discovery found, with absolute paths; `workTree` is absolute.
    ///
    /// - Throws: an ``ExplainedError`` for a job that cannot travel.
    func bundle(
        _ job: Job,
        _ settings: Settings,
        prepared: [String: String],
        workTree: String
    ) throws -> BundleSelection

    /// What discovery has built, by what it has `prepared`; asked of drivers that build.
    func products(
        _ settings: Settings,
        prepared: [String: String],
        workTree: String
    ) throws -> BuiltProducts
}

extension DriverKind {
    package var runsOnDevices: Bool { false }

    package var builds: Bool { false }

    /// Nothing: what most drivers start stays from lease to lease.
    package var startGuess: StartGuess? { StartGuess.none }

    package func pictureRemedy(_ settings: Settings) -> String? { nil }

    package func products(
        _ settings: Settings,
        prepared: [String: String],
        workTree: String
    ) throws -> BuiltProducts { BuiltProducts(paths: [], handedOn: []) }

    package func mistakes(in settings: Settings) -> [String] { [] }

    /// The files that `bundle:` names; a job must have some.
    package func bundle(
        _ job: Job,
        _ settings: Settings,
        prepared: [String: String],
        workTree: String
    ) throws -> BundleSelection {
        guard !job.bundle.isEmpty else { throw BundleRefusal.nothing(job.name) }
        return BundleSelection(globs: job.bundle)
    }

    /// Settings as a job carries them.
    package func driver(_ settings: Settings) -> DriverSettings {
        // They hold texts, flags, finite numbers and lists of them: encoding cannot fail.
        let bytes = (try? JSONEncoder().encode(settings)) ?? Data()
        let values = try? JSONDecoder().decode([String: JSONValue].self, from: bytes)
        return DriverSettings(name, values ?? [:])
    }

    /// Settings as a job carries them, read again.
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

/// A job whose driver cannot read what it is told.
package struct DriverSettingsError: ExplainedError, Hashable {
    package let driver: String
    /// Ends the sentence that begins with "the settings of the driver".
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
