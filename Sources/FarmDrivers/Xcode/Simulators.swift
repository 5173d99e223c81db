// The simulators of this process. It makes them, alone uses them, and deletes them when it leaves;
// what a killed process left is deleted at the next start of a worker, and before the next build or
// list of tests, by the mark in its name.
//
// Invariants
//   - A simulator is in use by at most one lease: it is taken out of `free` and put back by its user.
//   - Every UDID that `create` printed is in `free`, in use or deleted.
//   - At most `bootedMax` of those that nobody uses are booted, at most `keptMax` are kept.
import FarmCore
import Foundation

/// One simulator that this process has made.
struct OwnSimulator: Hashable, Sendable {
    let udid: String
    let key: SimulatorKey
    /// What was set on it since its last boot; nil: nothing yet, or unknown.
    var setup: CellSetup?
    var isBooted = false
    /// It has been booted before, and has the data of its system.
    var hasBooted = false
    var hasLanguage = false
    var kept = CellSetup.Kept()

    /// It is booted and set again before its next launch, whatever it was before.
    mutating func forget() { (isBooted, setup) = (false, nil) }
}

/// What one simulator cannot be without another boot.
struct SimulatorKey: Hashable, Sendable {
    var model: SimulatorModel
    var language: String?
    var region: String?
    /// Simulators are bound to the Xcode that made them.
    var developerFolder: String?
}

/// Makes, lends and deletes simulators.
actor Simulators {
    /// A slot runs one launch at a time: what it left booted is the only one that waits warm.
    private static let bootedMax = 1
    /// Those of other cells wait shut down: a boot is cheaper than a new one.
    private static let keptMax = 4

    /// The one that was used last stands last.
    private var free: [OwnSimulator] = []
    /// Everything that was made and is not deleted, with the tools that delete it.
    private var made: [String: XcodeTools] = [:]
    private var hasSwept: Bool
    private let owner: String

    /// `owner` is the mark of the process that they end with: the next start deletes what it leaves.
    init(owner: String, hasSwept: Bool = false) {
        self.owner = owner
        self.hasSwept = hasSwept
    }

    /// One that shares nothing with this one, for the same process; what others left is this one's
    /// to delete.
    nonisolated func another() -> Simulators { Simulators(owner: owner, hasSwept: true) }

    /// Lends a booted simulator that is set as the cell wants it, and keeps it warm afterwards.
    ///
    /// `there` is what simctl has just listed.
    func withSimulator<Value: Sendable>(
        _ key: SimulatorKey,
        _ setup: CellSetup,
        _ tools: XcodeTools,
        _ there: SimulatorList,
        body: @Sendable (LentSimulator) async throws -> Value
    ) async throws -> Value {
        await sweep(tools)
        let lent = LentSimulator(try await taken(key, tools, there), setup, tools, owner: self)
        do {
            try await lent.prepare()
            let value = try await body(lent)
            await giveBack(await lent.simulator, booted: Self.bootedMax)
            return value
        } catch {
            // Whatever ran in it may still run: only a shutdown ends that for certain.
            await giveBack(await lent.simulator, booted: 0)
            throw error
        }
    }

    private func taken(
        _ key: SimulatorKey,
        _ tools: XcodeTools,
        _ there: SimulatorList
    ) async throws -> OwnSimulator {
        if let place = free.lastIndex(where: { $0.key == key }) {
            var simulator = free.remove(at: place)
            // Somebody else may have shut it down: Xcode would boot it without its status bar.
            if !there.isBooted(simulator.udid) { simulator.forget() }
            return simulator
        }
        // Room is made first: two booted ones would starve each other.
        await shrink(booted: 0, kept: Self.keptMax - 1)
        return try await make(key, tools)
    }

    func make(_ key: SimulatorKey, _ tools: XcodeTools) async throws -> OwnSimulator {
        let name = SimulatorName.name(mark: owner, title: key.model.title)
        let arguments = ["create", name, key.model.type, key.model.runtime]
        let result = try await tools.mustSimctl(arguments)
        let text = String(decoding: result.output, as: UTF8.self)
        guard let udid = text.split(whereSeparator: \.isWhitespace).last.map(String.init) else {
            throw tools.failure(arguments, result)
        }
        var deleting = tools
        // The log is its lease's, which is gone when the simulator goes.
        deleting.log = nil
        made[udid] = deleting
        return OwnSimulator(udid: udid, key: key)
    }

    private func giveBack(_ simulator: OwnSimulator, booted: Int) async {
        guard made[simulator.udid] != nil else { return }
        free.append(simulator)
        await shrink(booted: booted, kept: Self.keptMax)
    }

    /// Shuts down and deletes those that were not used for the longest time.
    private func shrink(booted: Int, kept: Int) async {
        while free.count > kept { await delete(free.removeFirst().udid) }
        let running = free.indices.filter { free[$0].isBooted }
        for udid in running.dropLast(booted).map({ free[$0].udid }) {
            guard let place = free.firstIndex(where: { $0.udid == udid }) else { continue }
            var simulator = free.remove(at: place)
            if let tools = made[udid] {
                await uncancelled { _ = try? await tools.simctl(["shutdown", udid]) }
            }
            simulator.forget()
            free.insert(simulator, at: min(place, free.count))
        }
    }

    /// Deletes one that this process has made.
    func delete(_ udid: String) async {
        guard let tools = made.removeValue(forKey: udid) else { return }
        await uncancelled {
            _ = try? await tools.simctl(["shutdown", udid])
            _ = try? await tools.simctl(["delete", udid])
        }
    }

    /// Deletes all; nobody may use one any more.
    func shutDown() async {
        free = []
        for udid in made.keys.sorted() { await delete(udid) }
    }

    /// Deletes the simulators whose makers have ended for certain; only the first call does.
    func sweep(_ tools: XcodeTools) async {
        guard !hasSwept else { return }
        hasSwept = true
        guard let list = try? await tools.simulators() else { return }
        let left = list.leftovers { name in
            SimulatorName.mark(in: name).map(ProcessMark.isGone) ?? false
        }
        for udid in left {
            _ = try? await tools.simctl(["shutdown", udid])
            _ = try? await tools.simctl(["delete", udid])
        }
    }

    /// Runs to its end also where the lease was cancelled: a simulator must not stay behind.
    private func uncancelled(_ body: @escaping @Sendable () async -> Void) async {
        await Task { await body() }.value
    }
}

/// A simulator in the hands of one lease.
actor LentSimulator {
    private(set) var simulator: OwnSimulator
    private let setup: CellSetup
    private let tools: XcodeTools
    private let owner: Simulators
    private static let bootsMax = 3

    init(_ simulator: OwnSimulator, _ setup: CellSetup, _ tools: XcodeTools, owner: Simulators) {
        self.simulator = simulator
        self.setup = setup
        self.tools = tools
        self.owner = owner
    }

    var udid: String { simulator.udid }

    /// Boots it and sets it as the cell wants it, in which a hung boot costs a simulator.
    func prepare() async throws {
        for attempt in 1...Self.bootsMax {
            if try await boot() { return try await setUp() }
            try Task.checkCancellation()
            guard attempt < Self.bootsMax else { break }
            try await remake()
        }
        throw XcodeError.bootHung(
            device: simulator.key.model.title,
            seconds: bootSeconds,
            times: Self.bootsMax
        )
    }

    private var bootSeconds: Double {
        simulator.hasBooted ? tools.timing.bootSeconds : tools.timing.firstBootSeconds
    }

    /// False: it hangs or fails.
    private func boot() async throws -> Bool {
        if simulator.isBooted { return true }
        let seconds = bootSeconds
        let result = try await tools.simctl(["bootstatus", udid, "-b"], seconds: seconds)
        (simulator.isBooted, simulator.setup) = (result.isGood, nil)
        simulator.hasBooted = simulator.hasBooted || result.isGood
        return result.isGood
    }

    private func setUp() async throws {
        if !simulator.hasLanguage {
            for command in setup.languageCommands(udid) { try await tools.mustSimctl(command) }
            simulator.hasLanguage = true
        }
        let before = simulator.setup
        let commands = setup.lookCommands(udid, before: before, kept: simulator.kept)
        for command in commands { try await tools.mustSimctl(command) }
        simulator.kept = setup.kept
        if before == nil {
            // Some versions of iOS refuse it; its pictures then differ, and the log says why.
            _ = try await tools.simctl(CellSetup.statusBarCommand(udid))
        }
        simulator.setup = setup
    }

    /// Does what a row of the table says, and leaves it booted and set.
    func recover(_ action: RecoveryAction) async throws {
        switch action {
        case .blame, .giveUp: return
        // What cost the launch may have shut it down: Xcode would boot it without its status bar.
        case .relaunch: simulator.forget()
        case .stagger:
            let seconds = Double.random(in: 0...max(0.001, tools.timing.staggerSeconds))
            try await Task.sleep(for: .seconds(seconds))
            simulator.forget()
        case .awaitDevice: try await awaitListing()
        case .reboot: try await shutdown()
        case .erase:
            try await shutdown()
            // One that cannot be erased is replaced.
            guard try await tools.simctl(["erase", udid]).isGood else {
                try await remake()
                break
            }
            (simulator.hasLanguage, simulator.kept) = (false, CellSetup.Kept())
            // An erased simulator boots as a new one does.
            simulator.hasBooted = false
        case .remake: try await remake()
        }
        try await prepare()
    }

    private func shutdown() async throws {
        // "Already shut down" is no failure, and after any other one the boot tells.
        _ = try await tools.simctl(["shutdown", udid])
        simulator.forget()
    }

    private func remake() async throws {
        await owner.delete(udid)
        simulator = try await owner.make(simulator.key, tools)
    }

    /// Waits until simctl lists it; one that stays away is replaced.
    private func awaitListing() async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(tools.timing.listSeconds))
        while ContinuousClock.now < end {
            if try await tools.simulators()?.has(udid) == true { return }
            try await Task.sleep(for: .seconds(tools.timing.listPauseSeconds))
        }
        try await remake()
    }
}
