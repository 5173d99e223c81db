// The list of a program's drivers. Code that reads a driver's name gets this list and looks it up
// there.
import FarmCore

/// The error for a name after `driver:` that this program does not know.
package struct UnknownDriver: ExplainedError, Hashable {
    package let name: String
    package let known: [String]

    package init(name: String, known: [String]) {
        self.name = name
        self.known = known
    }

    package var code: String { "unknown-driver" }
    package var message: String { "unknown driver \"\(name)\"." }
    package var remedy: String {
        let near = nearest(name, among: known).map { "Did you mean \"\($0)\"? " } ?? ""
        return near + "Known drivers: \(known.joined(separator: ", "))."
    }
    package var exit: ExitCode { .invalidInput }
}

extension [any DriverKind] {
    /// The names of the drivers, in the order of the list.
    package var names: [String] { map(\.name) }

    package func named(_ name: String) throws(UnknownDriver) -> any DriverKind {
        guard let kind = first(where: { $0.name == name }) else {
            throw UnknownDriver(name: name, known: names)
        }
        return kind
    }

    /// Whether each test of a job runs on a device, in unit jobs too.
    package func runOnDevices(_ driver: DriverSettings) -> Bool {
        contains { $0.name == driver.name && $0.runsOnDevices }
    }

    /// Whether `snapfarm build` builds products for a job.
    package func build(_ driver: DriverSettings) -> Bool {
        contains { $0.name == driver.name && $0.builds }
    }

    /// Returns the products that were built for a job.
    ///
    /// - Throws: an ``ExplainedError`` if the job does not name its products.
    package func products(of planned: PlannedJob, workTree: String) throws -> BuiltProducts {
        try named(planned.job.driver.name).products(of: planned, workTree: workTree)
    }

    /// Returns the mistakes in a job's driver settings, for the check of plans by ``PlanMistakes``.
    package func mistakes(in driver: DriverSettings) -> [String] {
        do throws(UnknownDriver) {
            return try named(driver.name).mistakes(of: driver)
        } catch {
            let name = PlanMistakes.shown(error.name)
            return ["unknown driver \(name), known are \(error.known.joined(separator: ", "))"]
        }
    }

    /// Returns the files of a job's bundle, for workers that have no work tree.
    ///
    /// - Throws: an ``ExplainedError`` for a job that cannot be bundled.
    package func bundle(of planned: PlannedJob, workTree: String) throws -> BundleSelection {
        try named(planned.job.driver.name).bundle(of: planned, workTree: workTree)
    }

    /// The job keys of all drivers, each once.
    var keys: [FileKey] {
        var seen: Set<String> = []
        return flatMap(\.keys).filter { seen.insert($0.name).inserted }
    }
}

extension DriverKind {
    fileprivate func mistakes(of driver: DriverSettings) -> [String] {
        do throws(DriverSettingsError) {
            return mistakes(in: try settings(of: driver))
        } catch {
            return [error.sentence]
        }
    }

    fileprivate func bundle(of planned: PlannedJob, workTree: String) throws -> BundleSelection {
        try bundle(
            planned.job,
            settings(of: planned.job.driver),
            prepared: planned.prepared,
            workTree: workTree
        )
    }

    fileprivate func products(of planned: PlannedJob, workTree: String) throws -> BuiltProducts {
        try products(
            settings(of: planned.job.driver),
            prepared: planned.prepared,
            workTree: workTree
        )
    }

    /// Decodes a job's entries to this driver's settings, or reports mistakes and returns `nil`.
    func driver(in job: DocumentMap, _ reader: inout DocumentReader) -> DriverSettings? {
        settings(in: job, &reader).map { driver($0) }
    }

    /// Adds start guess and picture advice to a job, for code that does not know drivers.
    func describe(_ job: inout Job) {
        job.startGuess = startGuess
        guard job.kind == .snapshot, let settings = try? settings(of: job.driver) else { return }
        job.pictureRemedy = pictureRemedy(settings)
    }
}
