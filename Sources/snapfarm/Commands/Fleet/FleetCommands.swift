// The commands for a coordinator's users: its workers, why a run is not done, and how to end one.
import ArgumentParser
import FarmAPI
import FarmCore
import FarmDrivers
import FarmLedger
import FarmRun
import FarmServer
import Foundation

/// The options that name the coordinator.
struct CoordinatorOptions: ParsableArguments {
    @Option(help: "The coordinator's URL, or several with commas (default: SNAPFARM_COORDINATOR).")
    var coordinator: String?

    /// The coordinator's URL, or `nil` if none is named.
    var url: String? {
        let known = OwnEnvironment.variables["SNAPFARM_COORDINATOR"]
        return (coordinator ?? known).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Calls `body` with a client of the coordinator, and returns its result.
    func ask<Value: Sendable>(
        _ body: (CoordinatorClient) async throws -> Value
    ) async throws -> Value {
        let environment = OwnEnvironment.variables
        guard let url else { throw RemoteCoordinatorError.noURL }
        return try await RemoteCoordinator(url: url, environment: environment).asked(body)
    }
}

/// `snapfarm workers`: lists workers.
struct WorkersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers",
        abstract: "Lists a coordinator's workers, the most recently heard first."
    )

    @OptionGroup var options: CoordinatorOptions
    @Flag(help: "Print one JSON document.") var json = false

    private struct Document: Encodable {
        var schemaVersion = 1
        var workers: [WorkerListing]
    }

    func run() async throws {
        let workers = try await options.ask { try await $0.workers(limit: FarmLimits.listMax) }
        if json { return try FleetOutput.print(Document(workers: workers)) }
        FleetOutput.print(
            table: workers.map { worker in
                [
                    worker.worker.text, worker.state.rawValue,
                    worker.leases == 0
                        ? "" : worker.leases == 1 ? "1 lease" : "\(worker.leases) leases",
                    worker.seen,
                    worker.problem?.message ?? worker.offer?.words ?? "",
                ]
            }
        )
        if workers.isEmpty { Console.say("no worker has called.") }
    }
}

/// `snapfarm cancel`: ends a run.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Ends a run. Test cases without a verdict stay without one."
    )

    @Argument(help: "The run's id, or latest: the newest open run of this branch.")
    var id: String
    @OptionGroup var options: CoordinatorOptions

    func run() async throws {
        let named = RequestedRun(self.id, .open, environment: OwnEnvironment.variables)
        let (id, state) = try await options.ask { client in
            let id = try await named.id(at: client)
            try await client.cancel(id)
            return (id, try await client.progress(id).state)
        }
        Console.print("run \(id) is \(state.rawValue).")
    }
}

/// `snapfarm why`: explains why a run is not done.
struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Says why a run is not done."
    )

    @Argument(help: "The run's id, or latest: the newest run of this branch, an open one first.")
    var id: String
    @OptionGroup var options: CoordinatorOptions
    @Option(help: "With --json: the cursor of the answer before.") var cursor: String?
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        guard cursor == nil || json else { throw ValidationError("--cursor needs --json.") }
    }

    func run() async throws {
        let situation = try await options.ask { client in
            try await RunSituation(
                named: id,
                asking: client,
                environment: OwnEnvironment.variables
            )
        }
        if json {
            let place = options.coordinator.map { [("--coordinator", $0)] } ?? []
            return try FleetOutput.print(WhyBrief(situation, from: cursor, place: place))
        }
        for reason in WaitReasons.of(situation) { Console.print(reason.text + "\n") }
    }
}
