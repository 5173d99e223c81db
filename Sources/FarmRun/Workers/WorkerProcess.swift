// The flow of `snapfarm worker`: offers what the machine has, claims, runs, reports, cleans up.
import FarmAPI
import FarmCore
import FarmDrivers
import FarmFiles
import FarmWorker
import Foundation
import UnixSignals

/// A worker for a run on this machine, or for a coordinator elsewhere.
package struct WorkerProcess: Sendable {
    /// The coordinator's URL; if it is ``fromStandardInput``, the worker reads the URL from standard input.
    package var coordinator: String
    /// The worker's id; no other worker has the same.
    package var id: String
    /// The absolute path of the scratch folder; if `nil`, a temporary folder.
    package var scratch: String?
    /// The absolute path of the cache; if `nil`, the user's cache.
    package var cache: String?
    /// The capabilities that the command line offers, beside those found on the machine.
    package var offer: WorkerOffer
    /// The seconds without work after which the worker leaves; if `nil`, it stays.
    package var idleSeconds: Double?
    /// The wish to isolate tests, or `nil` for tests that run as any process of the worker's user.
    package var isolate: Isolation.Wish?
    /// The id of the process whose end makes the worker leave, or `nil` if there is none.
    package var parent: Int32?
    /// Whether the worker stays when no run is open, and keeps its browsers from run to run.
    package var isWarm: Bool
    package var environment: [String: String]

    package init(
        coordinator: String,
        id: String,
        scratch: String?,
        cache: String?,
        offer: WorkerOffer,
        idleSeconds: Double? = nil,
        isolate: Isolation.Wish? = nil,
        parent: Int32?,
        isWarm: Bool = false,
        environment: [String: String]
    ) {
        self.coordinator = coordinator
        self.id = id
        self.scratch = scratch
        self.cache = cache
        self.offer = offer
        self.idleSeconds = idleSeconds
        self.isolate = isolate
        self.parent = parent
        self.isWarm = isWarm
        self.environment = environment
    }

    /// Works until there is no more work, a signal arrives, or `parent` ends.
    package func run() async throws {
        Leftovers.prevent()
        // The worker of a local run must start at once, so it asks no programs for its offer.
        let cache = cache ?? Self.userCache(environment)
        let isolation = try await isolation(hiding: cache)
        let catalog = DriverCatalog(environment: environment, isolation: isolation)
        var offered = await LocalOffer.offer(
            said: offer,
            environment: environment,
            asksPrograms: parent == nil
        )
        if parent == nil { await LocalOffer.add(catalog.renderers(), to: &offered) }
        Console.say("worker \(id) offers \(offered.words)")
        // The task is cancelled when the worker ends; the next start continues the cleaning.
        async let _: Void = sweep(catalog)
        let remote = try remote()
        let notice = BucketNotice { Console.say($0) }
        let client = remote.client(patience: .patient.onBucketAway { notice.give() })
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
            cache: cache,
            isolation: isolation,
            keepsWarm: isWarm,
            driver: { catalog.driver(for: $0) },
            isOrphaned: { [parent] in parent.map { getppid() != $0 } ?? false },
            log: { Console.say($0) }
        )
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await worker.run(
                    staysIdle: parent == nil || isWarm,
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
        // Removes the scratch folder if it is empty.
        if let scratch { rmdir(scratch) }
        try result.get()
    }

    /// Returns the isolation of tests after one trial, or `nil` if none is wished.
    private func isolation(hiding cache: String) async throws -> Isolation? {
        guard let isolate else { return nil }
        let isolation = try await Isolation.tried(isolate, environment: environment)
        let home = environment["HOME"]
        for path in [scratch ?? NSTemporaryDirectory(), cache, home].compactMap(\.self)
        where isolation.shows(path) {
            throw IsolationError.exposed(path)
        }
        return isolation
    }

    /// Creates a folder for leases that only this process uses.
    ///
    /// Only such a folder is ever removed: other files in a scratch folder are not the farm's.
    private func makeScratch() throws -> OwnedFolder {
        guard let scratch else {
            return try OwnedFolder("worker")
        }
        do {
            try FolderTree.make(scratch)
            Leftovers.removeFolders(in: scratch, Self.ownPrefix)
            return try OwnedFolder(in: scratch, Self.ownPrefix)
        } catch {
            throw WorkerError.scratch(path: scratch, reason: error.inWords)
        }
    }

    /// Removes what killed processes left behind.
    ///
    /// A local run ends old processes before it starts its workers. Folders are searched again,
    /// because this worker may replace one that was killed. Drivers clean before their first job,
    /// but a worker of a fleet may never get one.
    private func sweep(_ catalog: DriverCatalog) async {
        if parent == nil { Leftovers.endProcesses() }
        Leftovers.removeFolders()
        if parent == nil { await catalog.removeLeftovers() }
    }

    private static let ownPrefix = "worker-"

    /// The word that stands for a URL: the worker reads URL and token from standard input, as soon
    /// as the coordinator listens.
    static let fromStandardInput = "-"

    private func remote() throws -> RemoteCoordinator {
        guard coordinator == Self.fromStandardInput else {
            return try RemoteCoordinator(url: coordinator, environment: environment)
        }
        OwnEnvironment.hideMemory()
        guard let url = readLine(), let token = readLine() else { throw WorkerError.orphaned }
        var childEnvironment = environment
        childEnvironment["SNAPFARM_TOKEN"] = token
        return try RemoteCoordinator(url: url, environment: childEnvironment)
    }

    /// Returns `$XDG_CACHE_HOME/snapfarm`, or `.cache/snapfarm` in the home folder if that is not
    /// set.
    static func userCache(_ environment: [String: String]) -> String {
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
            return folder + "/snapfarm"
        }
        return FileManager.default.homeDirectoryForCurrentUser.path + "/.cache/snapfarm"
    }
}
