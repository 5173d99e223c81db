// The flow of `snapfarm worker`: offer what is here, claim, run, report, clean up.
import FarmAPI
import FarmCore
import FarmDrivers
import FarmFiles
import FarmWorker
import Foundation
import UnixSignals

/// A worker of this machine's run, or of a coordinator elsewhere.
package struct WorkerProcess: Sendable {
    /// The coordinator's URL, or ``told``.
    package var coordinator: String
    /// No other worker has it.
    package var id: String
    /// Absolute; nil: a temporary folder.
    package var scratch: String?
    /// Absolute; nil: the user's cache.
    package var cache: String?
    /// Beside what is found.
    package var offer: WorkerOffer
    /// The worker leaves when it has had no work for so long; nil: it stays.
    package var idleSeconds: Double?
    /// The worker leaves when this process is gone.
    package var parent: Int32?
    package var environment: [String: String]

    package init(
        coordinator: String,
        id: String,
        scratch: String?,
        cache: String?,
        offer: WorkerOffer,
        idleSeconds: Double? = nil,
        parent: Int32?,
        environment: [String: String]
    ) {
        self.coordinator = coordinator
        self.id = id
        self.scratch = scratch
        self.cache = cache
        self.offer = offer
        self.idleSeconds = idleSeconds
        self.parent = parent
        self.environment = environment
    }

    /// Works until there is no more work, a signal, or the end of `parent`.
    package func run() async throws {
        Leftovers.prevent()
        // A worker of a run starts at once: it offers what is known without asking programs.
        let offered = await OfferedHere.offer(
            said: offer,
            environment: environment,
            asksPrograms: parent == nil
        )
        Console.say("worker \(id) offers \(offered.words)")
        let catalog = DriverCatalog(environment: environment)
        // It ends with the worker, wherever it is: the next start goes on.
        async let _: Void = sweep(catalog)
        let remote = try remote()
        let notice = BucketNotice { Console.say($0) }
        let client = remote.client(patience: .worker.onBucketAway { notice.give() })
        let renewals = remote.client(patience: .once)
        let own = try makeScratch()
        let worker = Worker(
            id: WorkerID(id),
            host: HostName.current,
            pressure: HostLoadMeter.path(environment),
            client: client,
            renewals: renewals,
            offer: offered,
            scratch: own.path,
            cache: cache ?? Self.userCache(environment),
            driver: { catalog.driver(for: $0) },
            isOrphaned: { [parent] in parent.map { getppid() != $0 } ?? false },
            log: { Console.say($0) }
        )
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await worker.run(
                    staysIdle: parent == nil,
                    idleSeconds: idleSeconds,
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
        own.remove()
        // Gone where nobody else has anything in it.
        if let scratch { rmdir(scratch) }
        try result.get()
    }

    /// A folder for leases that only this process uses.
    ///
    /// Only such a folder is ever removed: what else lies in a scratch folder is somebody's.
    private func makeScratch() throws -> OwnedFolder {
        guard let scratch else {
            return try OwnedFolder("worker")
        }
        do {
            try FolderTree.make(scratch)
            Leftovers.removeFolders(in: scratch, Self.ownPrefix)
            return try OwnedFolder(in: scratch, Self.ownPrefix)
        } catch {
            throw WorkerError.scratch(path: scratch, reason: error.localizedDescription)
        }
    }

    /// A run looks for processes before it starts its workers; their folders are looked for again, as
    /// the worker that this one follows may have been killed.
    ///
    /// Drivers look by themselves before their first job, which a worker of a fleet may never get.
    private func sweep(_ catalog: DriverCatalog) async {
        if parent == nil { Leftovers.endProcesses() }
        Leftovers.removeFolders()
        if parent == nil { await catalog.removeLeftovers() }
    }

    private static let ownPrefix = "worker-"

    /// Instead of a URL: it is told on standard input with the token, once the coordinator listens.
    static let told = "-"

    private func remote() throws -> RemoteCoordinator {
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
    static func userCache(_ environment: [String: String]) -> String {
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
            return folder + "/snapfarm"
        }
        return FileManager.default.homeDirectoryForCurrentUser.path + "/.cache/snapfarm"
    }
}
