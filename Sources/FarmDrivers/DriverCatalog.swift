// The list of drivers, by the names that pipeline files write after `driver:`.
import FarmCore
import FarmPipeline

/// A kind of driver that this program can run: creates the driver, and checks the machine for it.
package protocol TestDriverKind: DriverKind {
    /// Creates the driver, once per process.
    ///
    /// `environment` is this process's own; tests see little of it. With `isolation`, all processes
    /// that may run a team's code are isolated (Linux).
    func makeDriver(environment: [String: String], isolation: Isolation?) -> any TestDriver

    /// Checks what the driver's jobs need of this machine, without starting a test.
    ///
    /// `jobs` are all jobs of a pipeline that use the driver, at least one.
    func health(of jobs: [Job], in place: HealthPlace) -> [HealthCheck]

    /// Returns the digest of each test's own entry in the files of the work tree, for a kind that
    /// records the files that its tests read.
    func entries(of job: Job, workTree: String) throws -> [TestID: Digest]
}

extension TestDriverKind {
    package func health(of jobs: [Job], in place: HealthPlace) -> [HealthCheck] { [] }

    package func entries(of job: Job, workTree: String) throws -> [TestID: Digest] { [:] }
}

/// The work tree and the environment in which a pipeline's jobs would run.
package struct HealthPlace: Sendable {
    /// The absolute path of the work tree.
    package let workTree: String
    /// The environment of this process.
    package let environment: [String: String]

    package init(workTree: String, environment: [String: String]) {
        self.workTree = workTree
        self.environment = environment
    }
}

/// The drivers of one process.
///
/// Browsers and other things that they keep warm are shared by all jobs of the process.
package struct DriverCatalog: Sendable {
    /// The kinds of all drivers of this program.
    ///
    /// A new driver is a folder beside this file and a line here.
    package static let all: [any TestDriverKind] = [
        CommandKind(),
        SwiftPMKind(),
        WebDriverKind(),
        XcodeKind(),
    ]

    /// The kinds of all drivers of this program, for callers that run nothing.
    package static var kinds: [any DriverKind] { all }

    /// Checks what the jobs need of this machine, driver by driver.
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

    /// Returns the digest of each test's own entry, or `nil` if the job's driver does not record the
    /// files that tests read.
    package static func entries(of job: Job, workTree: String) throws -> [TestID: Digest]? {
        let kind = all.first { $0.name == job.driver.name && $0.inputs == .recorded }
        return try kind?.entries(of: job, workTree: workTree)
    }

    private let names: [String]
    private let drivers: [String: any TestDriver]

    /// Creates the drivers of `kinds`.
    ///
    /// `environment` is this process's own; the drivers pass little of it on.
    package init(
        environment: [String: String],
        isolation: Isolation? = nil,
        kinds: [any TestDriverKind] = all
    ) {
        names = kinds.map(\.name)
        let made = kinds.map { kind in
            (kind.name, kind.makeDriver(environment: environment, isolation: isolation))
        }
        drivers = Dictionary(made) { first, _ in first }
    }

    /// Returns the driver that the settings name, or one that throws ``UnknownDriver`` when it is
    /// used.
    package func driver(for settings: DriverSettings) -> any TestDriver {
        drivers[settings.name]
            ?? MissingDriver(error: UnknownDriver(name: settings.name, known: names))
    }

    /// Returns what draws the pictures of each driver that knows it, by the drivers' names.
    package func renderers() async -> [(driver: String, renderer: [String: String])] {
        var found: [(driver: String, renderer: [String: String])] = []
        for (name, driver) in drivers.sorted(by: { $0.key < $1.key }) {
            let renderer = await driver.renderer()
            if !renderer.isEmpty { found.append((name, renderer)) }
        }
        return found
    }

    /// Lets each driver remove what killed processes of the farm have left on this machine.
    package func removeLeftovers() async {
        for driver in drivers.values { await driver.removeLeftovers() }
    }

    /// Ends the browsers and all else that the drivers keep warm.
    package func shutDown() async {
        for driver in drivers.values { await driver.shutDown() }
    }
}

/// Takes the place of a driver that this program does not have, and throws an error when used.
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
