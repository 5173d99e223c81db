// The simulators of this process. It makes them, is their only user, and deletes them when it ends.
// Simulators that a killed process left are deleted, by the mark in their names, at the next start
// of a worker and before the next build or list of tests.
//
// Invariants
//   - A simulator is in use by at most one lease: it is taken out of `free` and put back by its
//     user.
//   - Every UDID that `create` or `clone` printed is in `free`, in use, deleted, or kept for later
//     runs.
//   - `free` has at most `freeMax` simulators, and at most `bootedMax` of them are booted.
import FarmCore
import Foundation

/// One simulator that this process has made.
struct OwnSimulator: Hashable, Sendable {
    let udid: String
    let key: SimulatorKey
    /// The settings made since the simulator's last boot, or `nil` if there are none or they are
    /// unknown.
    var setup: CellSetup?
    var isBooted = false
    /// Whether the simulator has been booted before, so that the data of its system exists.
    var hasBooted = false
    var hasLanguage = false
    var kept = CellSetup.Kept()
    /// The UDID of the kept simulator that this one is a clone of, or `nil` if it is no clone.
    var source: String?

    /// Makes the next launch boot and set the simulator again.
    mutating func forget() { (isBooted, setup) = (false, nil) }
}

/// The properties that a simulator cannot change without another boot.
struct SimulatorKey: Hashable, Sendable {
    var model: SimulatorModel
    var language: String?
    var region: String?
    /// The DEVELOPER_DIR of the Xcode that the simulator is bound to because it made the simulator,
    /// or `nil` for the selected Xcode.
    var developerFolder: String?
}

/// Makes, lends and deletes simulators.
actor Simulators {
    /// The most idle simulators that are booted: a slot runs one launch at a time, so only the last
    /// one stays warm.
    private static let bootedMax = 1
    /// The most idle simulators: those of other cells wait shut down, since a boot is cheaper than
    /// a new one.
    private static let freeMax = 4

    /// The idle simulators, the one used last at the end.
    private var free: [OwnSimulator] = []
    /// The simulators that were made and are not deleted: the tools that delete them, by UDID.
    private var made: [String: XcodeTools] = [:]
    private var hasSwept: Bool
    private let owner: String

    /// Creates an empty set of simulators, which end with the process that has the mark `owner`.
    ///
    /// If that process is killed, the next start deletes them.
    init(owner: String, hasSwept: Bool = false) {
        self.owner = owner
        self.hasSwept = hasSwept
    }

    /// Returns another, empty set of simulators for the same process.
    ///
    /// The new set deletes no leftovers; this one does.
    nonisolated func another() -> Simulators { Simulators(owner: owner, hasSwept: true) }

    /// Lends a booted simulator with the cell's settings to `body`, and keeps the simulator warm
    /// afterwards.
    ///
    /// `there` is the list that simctl has just printed.
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
            if (error as? XcodeError)?.exit == .busy {
                await deleteSource(await lent.simulator.source, tools)
            }
            // A program in it may still run: only a shutdown ends that for certain.
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
            // Another program may have shut it down: Xcode would boot it without its status bar.
            if !there.isBooted(simulator.udid) { simulator.forget() }
            return simulator
        }
        // Makes room first: two booted simulators would starve each other.
        await shrink(booted: 0, count: Self.freeMax - 1)
        return try await make(key, tools)
    }

    /// Makes a simulator, as a clone of a kept one if there is one.
    func make(_ key: SimulatorKey, _ tools: XcodeTools) async throws -> OwnSimulator {
        let name = SimulatorName.name(mark: owner, title: key.model.title)
        if let clone = try await clone(key, name, tools) { return clone }
        let udid = try await tools.makeSimulator([
            "create", name, key.model.type, key.model.runtime,
        ])
        // Without the log, which is its lease's and gone when the simulator goes.
        made[udid] = tools.quiet
        return OwnSimulator(udid: udid, key: key)
    }

    /// Returns a clone of a kept simulator, or `nil` if there is none that can be cloned.
    private func clone(
        _ key: SimulatorKey,
        _ name: String,
        _ tools: XcodeTools
    ) async throws -> OwnSimulator? {
        guard let xcode = tools.keptBy,
            let source = try await tools.simulators()?.kept(for: key.model, by: xcode)
        else { return nil }
        do {
            let udid = try await tools.makeSimulator(["clone", source, name])
            made[udid] = tools.quiet
            tools.note(
                "this simulator is a clone of the kept one \(source), and starts without a first boot"
            )
            var clone = OwnSimulator(udid: udid, key: key)
            (clone.hasBooted, clone.source) = (true, source)
            return clone
        } catch is XcodeError {
            await deleteSource(source, tools)
            return nil
        }
    }

    /// Keeps a simulator for later runs after its first boot, and returns one to go on with: this
    /// one if it is not kept, else a new one that is not booted.
    func keep(_ simulator: OwnSimulator, _ tools: XcodeTools) async throws -> OwnSimulator {
        let model = simulator.key.model
        guard let xcode = tools.keptBy, let build = model.build else { return simulator }
        let name = KeptMark(xcode: xcode, build: build).name(title: model.title)
        // A simulator with a name that no later start can read would stay for ever.
        guard KeptMark(name: name) != nil,
            try await tools.simulators()?.canKeep(model, by: xcode) == true
        else { return simulator }
        let isKept = await uncancelled {
            let isShut = try? await tools.simctl(["shutdown", simulator.udid]).isGood
            guard isShut == true else { return false }
            return (try? await tools.simctl(["rename", simulator.udid, name]).isGood) ?? false
        }
        if isKept {
            made[simulator.udid] = nil
        } else {
            // The simulator may have that name all the same, and must not be used under it.
            await delete(simulator.udid)
        }
        return try await make(simulator.key, tools)
    }

    /// Deletes a kept simulator whose clone was unusable, so that no later run clones it again.
    func deleteSource(_ udid: String?, _ tools: XcodeTools) async {
        guard let udid else { return }
        tools.note("the kept simulator \(udid) is deleted: its clone could not be used")
        await uncancelled { _ = try? await tools.simctl(["delete", udid]) }
    }

    private func giveBack(_ simulator: OwnSimulator, booted: Int) async {
        guard made[simulator.udid] != nil else { return }
        free.append(simulator)
        await shrink(booted: booted, count: Self.freeMax)
    }

    /// Deletes the idle simulators unused longest, down to `count`, and shuts others down, down to
    /// `booted` booted ones.
    private func shrink(booted: Int, count: Int) async {
        while free.count > count { await delete(free.removeFirst().udid) }
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

    /// Deletes a simulator that this process has made.
    func delete(_ udid: String) async {
        guard let tools = made.removeValue(forKey: udid) else { return }
        await uncancelled {
            _ = try? await tools.simctl(["shutdown", udid])
            _ = try? await tools.simctl(["delete", udid])
        }
    }

    /// Deletes all simulators; none may be in use any more.
    func shutDown() async {
        free = []
        for udid in made.keys.sorted() { await delete(udid) }
    }

    /// Deletes the simulators whose makers have certainly ended, and kept ones that no run should
    /// use any more.
    ///
    /// Does nothing after the first call.
    func sweep(_ tools: XcodeTools) async {
        guard !hasSwept else { return }
        hasSwept = true
        guard let list = try? await tools.simulators() else { return }
        let left = list.leftovers { name in
            SimulatorName.mark(in: name).map(ProcessMark.isGone) ?? false
        }
        for udid in left + list.outdatedKept() {
            _ = try? await tools.simctl(["shutdown", udid])
            _ = try? await tools.simctl(["delete", udid])
        }
    }

    /// Runs `body` to its end even if the lease was cancelled: a simulator must not stay behind.
    private func uncancelled<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        await Task { await body() }.value
    }
}
