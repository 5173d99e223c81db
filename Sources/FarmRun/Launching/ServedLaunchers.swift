// Workers on demand of a coordinator that serves: every few seconds, what waits in the ledger and what
// each launcher's scheduler lists go through `LaunchRules`, and what those say is done. Nothing it
// remembers is a truth: a coordinator that begins anew knows its workers again from the lists.
import FarmCore
import FarmDrivers
import FarmLedger
import FarmServer
import Foundation
import Logging

struct ServedLaunchers: Sendable {
    /// One launcher, and what its workers are told.
    struct Member: Sendable {
        let settings: LauncherSettings
        let launcher: any WorkerLauncher
        let token: String
        /// Children of the coordinator: that one is gone from the list is certain.
        let isLocal: Bool
    }
    /// The launchers of the configuration as it is now.
    let current: @Sendable () -> [Member]
    /// Starts the workers of this machine, whichever launcher they are of.
    let local: LocalLauncher
    /// Those that the loop works with: `current` as the last look found it.
    var members: [Member] = []
    let coordinator: Coordinator
    let ledger: SQLiteLedger
    let logger: Logger
    /// Set once the coordinator listens: how programs of this machine reach it.
    let listening: Promise<String>
    /// Only one of several coordinators of a farm may start workers.
    let isLeader: @Sendable () -> Bool
    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// Waits so many seconds.
    let pause: @Sendable (Double) async throws -> Void
    /// What workers of this machine offer by themselves.
    let offersHere: @Sendable (WorkerOffer) async -> WorkerOffer

    /// Goes on until it is cancelled.
    func run() async throws {
        let url = try await listening.value
        let looks = { @Sendable in try await lookAgainAndAgain(url) }
        try await withBackgroundTask({ await local.run() }, run: looks)
    }

    private func lookAgainAndAgain(_ url: String) async throws {
        var launchers = self
        var memories: [LauncherMemory] = []
        while true {
            memories = await launchers.taken(memories)
            if isLeader() {
                try await launchers.look(&memories, url)
            } else {
                coordinator.launches.set(memories.map(\.counts), notes: [:])
            }
            try await pause(FarmLimits.launchLookSeconds)
        }
    }

    /// Takes the launchers of the configuration as it is now, and keeps what is known of those that
    /// have not changed.
    private mutating func taken(_ memories: [LauncherMemory]) async -> [LauncherMemory] {
        let wanted = current()
        guard wanted.map(\.settings) != members.map(\.settings) else {
            members = wanted
            return memories
        }
        members = wanted
        // Children that no launcher lists would stay for ever.
        local.stop(except: Set(members.filter(\.isLocal).map(\.settings.name)))
        return await begin(memories)
    }

    private func begin(_ known: [LauncherMemory]) async -> [LauncherMemory] {
        var memories: [LauncherMemory] = []
        for member in members {
            if let memory = known.first(where: { $0.settings == member.settings }) {
                memories.append(memory)
                continue
            }
            let said = member.settings.offers
            memories.append(
                LauncherMemory(
                    member.settings,
                    offer: member.isLocal ? await offersHere(said) : said
                )
            )
        }
        return memories
    }

    /// One look, and what follows from it; only a cancellation ends the loop.
    private func look(_ memories: inout [LauncherMemory], _ url: String) async throws {
        do {
            try await looked(&memories, url)
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.error("launchers cannot look", metadata: ["reason": "\(error.inWords)"])
        }
    }

    private func looked(_ memories: inout [LauncherMemory], _ url: String) async throws {
        guard !members.isEmpty else { return coordinator.launches.set([], notes: [:]) }
        let (work, _) = try await ledger.openWork(calledSince: now(), now: now())
        for place in members.indices where !memories[place].isAsleep(work) {
            try await list(place, &memories[place])
        }
        // After the lists: who is not listed any more has called before, or never will.
        let oldest = memories.flatMap { $0.workers.keys }.map(\.second).min() ?? now() / 1000
        let open = try await ledger.openWork(calledSince: oldest * 1000, now: now())
        let called = Dictionary(open.called.map { ($0.id, $0) }) { first, _ in first }
        for place in members.indices { try await settle(place, &memories[place], called) }
        let steps = LaunchRules.steps(
            work: open.work,
            called: open.called,
            launchers: memories.map(\.state),
            now: now()
        )
        for step in steps.prefix(FarmLimits.launchesPerLook) {
            try await take(step, &memories, url)
        }
        coordinator.launches.set(
            memories.map(\.counts),
            notes: LaunchWords.notes(
                work: open.work,
                called: open.called,
                launchers: memories.map(\.state),
                failures: memories.map(\.failure),
                now: now()
            )
        )
    }

    private func list(_ place: Int, _ memory: inout LauncherMemory) async throws {
        do {
            memory.listed(try await members[place].launcher.list())
        } catch {
            let reason = try members[place].words(error)
            if memory.notListed(reason, now: now()) { warn(place, "cannot list: \(reason)") }
        }
    }

    private func settle(
        _ place: Int,
        _ memory: inout LauncherMemory,
        _ called: [WorkerID: CalledWorker]
    ) async throws {
        guard memory.isListed else { return }
        let member = members[place]
        let (failed, left) = memory.settle(
            called,
            lastWords: { member.launcher.lastWords(of: $0) },
            now: now()
        )
        if let last = failed.last {
            let reason = member.hidden(last)
            memory.failed(reason, nil, now: now())
            warn(place, reason)
        }
        // Nobody waits for the end of a lease whose worker was a child of ours.
        for name in left where member.isLocal && (called[name.worker]?.leases ?? 0) > 0 {
            try await coordinator.workerLost(name.worker)
        }
    }

    // MARK: steps

    private func take(
        _ step: LaunchStep,
        _ memories: inout [LauncherMemory],
        _ url: String
    ) async throws {
        switch step {
        case .start(let place, let count, let cell, let stay):
            for _ in 0..<min(count, FarmLimits.launchesPerLook) {
                let order = order(place, &memories[place], cell, url, stays: stay)
                guard try await start(order, place, &memories[place]) else { return }
            }
        case .stop(let place, let name, let reason):
            try await stop(name, reason, place, &memories[place])
        }
    }

    /// Stops a worker; one that takes its time is asked again after a while.
    private func stop(
        _ name: LaunchedName,
        _ reason: LaunchStop,
        _ place: Int,
        _ memory: inout LauncherMemory
    ) async throws {
        let (isFirst, isDue) = memory.stops(name, now: now())
        guard isDue else { return }
        if isFirst, reason == .late {
            let seconds = Int64(members[place].settings.startSeconds)
            let words = "\(name.text) had not called \(LaunchWords.time(seconds)) after its start."
            memory.failed(words, .neverCalled, now: now())
            warn(place, words)
        } else if isFirst {
            memory.stopped()
            logger.info(
                "worker stopped",
                metadata: ["worker": "\(name.text)", "reason": "\(reason)"]
            )
        }
        do {
            try await members[place].launcher.stop(name)
        } catch {
            warn(place, "cannot stop \(name.text): \(try members[place].words(error))")
        }
    }

    private func order(
        _ place: Int,
        _ memory: inout LauncherMemory,
        _ cell: CellKey?,
        _ url: String,
        stays: Bool
    ) -> WorkerOrder {
        let settings = members[place].settings
        return WorkerOrder(
            name: memory.nextName(now: now()),
            cell: cell,
            coordinator: settings.coordinator ?? url,
            token: members[place].token,
            offers: settings.offers,
            idleSeconds: stays ? nil : settings.idleSeconds
        )
    }

    /// False where it failed; the next would fail the same way.
    private func start(
        _ order: WorkerOrder,
        _ place: Int,
        _ memory: inout LauncherMemory
    ) async throws -> Bool {
        do {
            try await members[place].launcher.start(order)
            memory.started(order.name)
            logger.info(
                "worker started",
                metadata: [
                    "worker": "\(order.name.text)",
                    "for": "\(order.cell.map { "\($0.job) on \($0.cell)" } ?? "min")",
                ]
            )
            return true
        } catch {
            let reason = try members[place].words(error)
            memory.failed(reason, .startFailed, now: now())
            warn(place, "cannot start: \(reason)")
            return false
        }
    }

    private func warn(_ place: Int, _ words: String) {
        logger.warning("launcher \(members[place].settings.name): \(words)")
    }
}

extension ServedLaunchers.Member {
    /// The launchers of a configuration.
    ///
    /// - Throws: `ConfigurationError.noVariable` for a token that is not there.
    static func all(
        _ configuration: CoordinatorConfiguration,
        _ local: LocalLauncher,
        _ environment: [String: String]
    ) throws -> [ServedLaunchers.Member] {
        try configuration.settings.launchers.map { settings in
            let launcher: any WorkerLauncher =
                switch settings.place {
                case .local: local
                case .command(let templates):
                    CalledLauncher(
                        TemplateCalls(templates),
                        variables: settings.variables,
                        environment,
                        folder: configuration.folder
                    )
                }
            return ServedLaunchers.Member(
                settings: settings,
                launcher: launcher,
                token: try settings.token.map { try configuration.secret($0, environment) } ?? "",
                isLocal: settings.place == .local
            )
        }
    }

    /// - Throws: `LauncherError.refused`, with what the launcher's own check says.
    func check() async throws {
        guard let called = launcher as? CalledLauncher else { return }
        do {
            try await called.check(coordinator: settings.coordinator ?? "", token: token)
        } catch {
            throw LauncherError.refused(launcher: settings.name, reason: try words(error))
        }
    }

    /// A command may print the token.
    func hidden(_ text: String) -> String {
        token.isEmpty ? text : text.replacing(token, with: "…")
    }

    /// One line, without control characters.
    func words(_ error: any Error) throws -> String {
        if error is CancellationError { throw error }
        let text = hidden(error.inWords)
        let line = String(text.unicodeScalars.map { $0.value < 32 ? " " : Character($0) })
        return line.hasSuffix(".") ? line : line + "."
    }
}
