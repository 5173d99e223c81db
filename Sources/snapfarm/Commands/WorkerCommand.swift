import ArgumentParser
import FarmAPI
import FarmCore
import FarmDrivers
import FarmWorker
import Foundation
import UnixSignals

/// `snapfarm worker`: takes work from a coordinator until there is no more.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Runs tests for a coordinator.",
        discussion: "The token comes from SNAPFARM_TOKEN."
    )

    @Option(help: "The coordinator's URL.") var coordinator: String
    @Option(help: "A name that no other worker of the coordinator has.") var id: String
    @Option(help: "A folder of its own for leases.") var scratch: String
    @Option(help: "References as files, shared by workers (default: cache in the scratch folder).")
    var cache: String?
    @Option(help: "Leave when this process is gone.") var parent: Int32?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let token = environment["SNAPFARM_TOKEN"], !token.isEmpty else {
            throw ValidationError("SNAPFARM_TOKEN is not set.")
        }
        let client = CoordinatorClient(url: coordinator, token: token, patience: .worker)
        let renewals = CoordinatorClient(url: coordinator, token: token, patience: .once)
        let catalog = DriverCatalog(environment: environment)
        let parent = parent
        let worker = Worker(
            id: WorkerID(id),
            client: client,
            renewals: renewals,
            scratch: scratch,
            cache: cache ?? scratch + "/cache",
            driver: { catalog.driver(for: $0) },
            isOrphaned: { parent.map { getppid() != $0 } ?? false },
            log: { Console.say($0) }
        )
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await worker.run(staysIdle: parent == nil) {
                    for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { break }
                }
            )
        } catch {
            result = .failure(error)
        }
        await catalog.shutDown()
        await client.close()
        await renewals.close()
        try? FileManager.default.removeItem(atPath: scratch)
        try result.get()
    }
}
