// `snapfarm worker`: a worker of this machine's run, or of a coordinator elsewhere.
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
        discussion: """
            The token comes from SNAPFARM_TOKEN, or is the second line of standard input where \
            that names the coordinator. SIGTERM gives what runs back at once; SIGUSR1 lets \
            it finish, and the worker leaves.
            """
    )

    @Option(help: "The coordinator's URL; - for the first line of standard input.")
    var coordinator: String
    @Option(help: "A name that no other worker has (default: host and process).") var id: String?
    @Option(help: "A folder of its own for leases (default: a temporary one).")
    var scratch: String?
    @Option(help: "References and bundles, shared by workers (default: the user's cache).")
    var cache: String?
    @Option(help: "NAME or NAME=VALUE that cells may need, beside what is found (repeat it).")
    var offer: [String] = []
    @Option(help: "Leave when this process is gone.") var parent: Int32?

    func run() async throws {
        let environment = OwnEnvironment.variables
        Leftovers.prevent()
        let id = id ?? "\(ProcessInfo.processInfo.hostName)-\(getpid())"
        guard FleetNames.isUsable(id) else {
            throw ValidationError("--id must be one line of 1 to \(FleetNames.bytesMax) bytes.")
        }
        // A worker of a run starts at once: it offers what is known without asking programs.
        let offered = await OfferedHere.offer(
            said: try OfferedHere.said(offer),
            environment: environment,
            asksPrograms: parent == nil
        )
        Console.say("worker \(id) offers \(offered.words)")
        async let swept: Void = sweep()
        let remote = try remote(environment)
        let client = remote.client(patience: .worker)
        let renewals = remote.client(patience: .once)
        let own = try makeScratch()
        let catalog = DriverCatalog(environment: environment)
        let parent = parent
        let worker = Worker(
            id: WorkerID(id),
            host: HostName.current,
            pressure: HostLoadMeter.path(environment),
            client: client,
            renewals: renewals,
            offer: offered,
            scratch: own.path,
            cache: cache.map(PipelineSource.absolute) ?? Self.userCache(environment),
            driver: { catalog.driver(for: $0) },
            isOrphaned: { parent.map { getppid() != $0 } ?? false },
            log: { Console.say($0) }
        )
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await worker.run(
                    staysIdle: parent == nil,
                    drains: {
                        for await _ in await UnixSignalsSequence(trapping: .sigusr1) { break }
                    },
                    stopped: {
                        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
                            break
                        }
                    }
                )
            )
        } catch {
            result = .failure(error)
        }
        await catalog.shutDown()
        await client.close()
        await renewals.close()
        await swept
        own.remove()
        // Gone where nobody else has anything in it.
        if let scratch { rmdir(PipelineSource.absolute(scratch)) }
        try result.get()
    }

    /// A folder for leases that only this process uses.
    ///
    /// Only such a folder is ever removed: what else lies in a scratch folder is somebody's.
    private func makeScratch() throws -> OwnedFolder {
        guard let scratch = scratch.map(PipelineSource.absolute) else {
            return try OwnedFolder("worker")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: scratch,
                withIntermediateDirectories: true
            )
            Leftovers.removeFolders(in: scratch, Self.ownPrefix)
            return try OwnedFolder(in: scratch, Self.ownPrefix)
        } catch {
            throw WorkerError.scratch(path: scratch, reason: error.localizedDescription)
        }
    }

    /// A run looks for processes before it starts its workers; their folders are looked for again, as
    /// the worker that this one follows may have been killed.
    private func sweep() async {
        if parent == nil { Leftovers.endProcesses() }
        Leftovers.removeFolders()
    }

    private static let ownPrefix = "worker-"

    /// Instead of a URL: it is told on standard input with the token, once the coordinator listens.
    static let told = "-"

    private func remote(_ environment: [String: String]) throws -> RemoteCoordinator {
        guard coordinator == Self.told else {
            return try RemoteCoordinator(url: coordinator, environment: environment)
        }
        OwnEnvironment.hideMemory()
        guard let url = readLine(), let token = readLine() else { throw WorkerError.orphaned }
        var told = environment
        told["SNAPFARM_TOKEN"] = token
        return try RemoteCoordinator(url: url, environment: told)
    }

    /// `$XDG_CACHE_HOME/snapfarm`, below the home folder where that is not set.
    private static func userCache(_ environment: [String: String]) -> String {
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
            return folder + "/snapfarm"
        }
        return FileManager.default.homeDirectoryForCurrentUser.path + "/.cache/snapfarm"
    }
}
