// The loop of a coordinator that starts and stops workers on demand. Every few seconds it reads the
// waiting test cases from the ledger and each scheduler's list, and executes the steps of
// `LaunchRules`. Its memory may be lost: a restarted coordinator recognises its workers in the
// lists.
import FarmCore
import FarmDrivers
import FarmLedger
import FarmServer
import Foundation
import Logging

struct ServedLaunchers: Sendable {
    /// A launcher, with the token that its workers get.
    struct Member: Sendable {
        let settings: LauncherSettings
        let launcher: any WorkerLauncher
        let token: String
        /// Whether the launcher's workers are children of the coordinator, so that a worker that
        /// left the list has certainly ended.
        let isLocal: Bool
    }
    /// Returns the launchers of the current configuration.
    let current: @Sendable () -> [Member]
    /// Starts the workers of this machine, for all launchers of the kind `local`.
    let local: LocalLauncher
    /// The launchers of the current round of the loop, as `current` returned them.
    var members: [Member] = []
    let coordinator: Coordinator
    let ledger: SQLiteLedger
    let logger: Logger
    /// The coordinator's URL for programs of this machine; set once the coordinator listens.
    let listening: Promise<String>
    /// Whether this coordinator may start workers: of several coordinators, only the leader may.
    let isLeader: @Sendable () -> Bool
    /// Returns the time, in milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// Waits for the given number of seconds.
    let pause: @Sendable (Double) async throws -> Void
    /// Adds to an offer what workers of this machine discover by themselves.
    let offersHere: @Sendable (WorkerOffer) async -> WorkerOffer

    /// Runs the loop that starts and stops workers, until its task is cancelled.
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

    /// Adopts the launchers of the current configuration, and returns their memories; a launcher
    /// with unchanged settings keeps its memory.
    private mutating func taken(_ memories: [LauncherMemory]) async -> [LauncherMemory] {
        let wanted = current()
        guard wanted.map(\.settings) != members.map(\.settings) else {
            members = wanted
            return memories
        }
        members = wanted
        // Without a launcher that lists them, these children would never be stopped.
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

    /// Runs one round of the loop, and logs its error: only a cancellation ends the loop.
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
        // Reads the calls after the lists: a worker that is not listed any more has ended, so all
        // its calls are in the ledger by now.
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
            lastWords: { member.launcher.takeExitReason(of: $0) },
            now: now()
        )
        if let last = failed.last {
            let reason = member.hidden(last)
            memory.failed(reason, nil, now: now())
            warn(place, reason)
        }
        // A child that has left certainly ended, so its leases end now, not at their expiry.
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

    /// Stops a worker, and repeats the stop after `FarmLimits.launchCallSeconds` if the worker is
    /// still listed.
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

    /// Starts a worker; returns false if that fails, since further starts would fail alike.
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
    /// Returns the launchers of a configuration.
    ///
    /// - Throws: `ConfigurationError.noVariable` if the variable of a token is not set.
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

    /// Runs the launcher's check command, if it has one.
    ///
    /// - Throws: `LauncherError.refused`, with the command's failure as its reason.
    func check() async throws {
        guard let called = launcher as? CalledLauncher else { return }
        do {
            try await called.check(coordinator: settings.coordinator ?? "", token: token)
        } catch {
            throw LauncherError.refused(launcher: settings.name, reason: try words(error))
        }
    }

    /// Returns `text` without the token, which a command may have printed.
    func hidden(_ text: String) -> String {
        token.isEmpty ? text : text.replacing(token, with: "…")
    }

    /// Returns an error as one line of text without control characters; rethrows a cancellation.
    func words(_ error: any Error) throws -> String {
        if error is CancellationError { throw error }
        let text = hidden(error.inWords)
        let line = String(text.unicodeScalars.map { $0.value < 32 ? " " : Character($0) })
        return line.hasSuffix(".") ? line : line + "."
    }
}
