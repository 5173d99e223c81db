// The list of drivers, and from the word `driver:` of a pipeline file to the driver that runs it.
import FarmCore
import FarmPipeline

/// A driver that this program can run.
package protocol TestDriverKind: DriverKind {
    /// Called once for each process; `environment` is that process's, of which tests see little.
    func makeDriver(environment: [String: String]) -> any TestDriver

    /// Looks at what the driver's jobs need of this machine, and starts no test.
    ///
    /// `jobs` are all of a pipeline that use the driver, and at least one.
    func health(of jobs: [Job], in place: HealthPlace) -> [HealthCheck]
}

extension TestDriverKind {
    package func health(of jobs: [Job], in place: HealthPlace) -> [HealthCheck] { [] }
}

/// Where a pipeline's jobs would run.
package struct HealthPlace: Sendable {
    /// Absolute.
    package let workTree: String
    /// This process's own.
    package let environment: [String: String]

    package init(workTree: String, environment: [String: String]) {
        self.workTree = workTree
        self.environment = environment
    }
}

/// The drivers of one process; what they keep warm (browsers) is shared by all its jobs.
package struct DriverCatalog: Sendable {
    /// Every driver of this program: a new one is a folder beside this file and a line here.
    package static let all: [any TestDriverKind] = [
        CommandKind(),
        SwiftPMKind(),
        WebDriverKind(),
        XcodeKind(),
    ]

    /// The same for those that run nothing.
    package static var kinds: [any DriverKind] { all }

    /// What the jobs need of this machine, driver by driver.
    package static func health(
        of jobs: [Job],
        in place: HealthPlace,
        kinds: [any TestDriverKind] = all
    ) -> [HealthCheck] {
        kinds.flatMap { kind in
            let own = jobs.filter { $0.driver.name == kind.name }
            return own.isEmpty ? [] : kind.health(of: own, in: place)
        }
    }

    private let names: [String]
    private let drivers: [String: any TestDriver]

    /// Drivers for `environment`, this process's own, of which they pass little on.
    package init(environment: [String: String], kinds: [any TestDriverKind] = all) {
        names = kinds.map(\.name)
        let made = kinds.map { ($0.name, $0.makeDriver(environment: environment)) }
        drivers = Dictionary(made) { first, _ in first }
    }

    /// The driver of that name, or one that refuses everything with ``UnknownDriver``.
    package func driver(for settings: DriverSettings) -> any TestDriver {
        drivers[settings.name]
            ?? MissingDriver(error: UnknownDriver(name: settings.name, known: names))
    }

    /// Removes what killed processes of the farm have left on this machine, driver by driver.
    package func removeLeftovers() async {
        for driver in drivers.values { await driver.removeLeftovers() }
    }

    /// Ends everything the drivers keep warm.
    package func shutDown() async {
        for driver in drivers.values { await driver.shutDown() }
    }
}

/// Stands for a driver that this program does not have.
private struct MissingDriver: TestDriver {
    let error: UnknownDriver

    func discover(job: Job, workTree: String, scratch: String) async throws -> Discovery {
        throw error
    }

    func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        throw error
    }
}
