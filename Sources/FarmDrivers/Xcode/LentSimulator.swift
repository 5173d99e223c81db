// The simulator of one lease. The driver boots it, gives it the cell's settings, and repairs it
// after a failure of the machine.
import FarmCore
import Foundation

/// A simulator that one lease uses.
actor LentSimulator {
    private(set) var simulator: OwnSimulator
    private let setup: CellSetup
    private let tools: XcodeTools
    private let owner: Simulators
    private var hasKept = false
    private static let bootsMax = 3
    /// The most times that appearance and status bar are set after a restart of SpringBoard.
    private static let settingsMax = 3

    init(_ simulator: OwnSimulator, _ setup: CellSetup, _ tools: XcodeTools, owner: Simulators) {
        self.simulator = simulator
        self.setup = setup
        self.tools = tools
        self.owner = owner
    }

    var udid: String { simulator.udid }

    /// Boots the simulator and gives it the cell's settings.
    ///
    /// A simulator whose boot hangs or fails is deleted, and a new one takes its place, at most
    /// twice.
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

    /// Boots the simulator unless it is booted; returns whether it is up.
    private func boot() async throws -> Bool {
        if simulator.isBooted { return true }
        let isFirst = !simulator.hasBooted
        var isUp = try await bootNow()
        if isUp, isFirst, !hasKept {
            // Once for each lease: a failed clone is no reason for another first boot.
            hasKept = true
            simulator = try await owner.keep(simulator, tools)
            if !simulator.isBooted { isUp = try await bootNow() }
        }
        if !isUp { await owner.deleteSource(simulator.source, tools) }
        return isUp
    }

    private func bootNow() async throws -> Bool {
        let seconds = bootSeconds
        if !simulator.hasBooted {
            let text = secondsText(seconds)
            tools.note("the first boot of a simulator migrates its data; it may take \(text)")
        }
        let result = try await tools.simctl(["bootstatus", udid, "-b"], seconds: seconds)
        (simulator.isBooted, simulator.setup) = (result.isGood, nil)
        simulator.hasBooted = simulator.hasBooted || result.isGood
        return result.isGood
    }

    /// Recovers from a failure of the machine by `action`, and leaves the simulator booted and set.
    func recover(_ action: RecoveryAction) async throws {
        switch action {
        case .blame, .giveUp: return
        // The failure may have shut the simulator down; Xcode would boot it without a status bar.
        case .relaunch, .relaunchCrashed: simulator.forget()
        case .stagger:
            let seconds = Double.random(in: 0...max(0.001, tools.timing.staggerSeconds))
            try await Task.sleep(for: .seconds(seconds))
            simulator.forget()
        case .awaitDevice: try await awaitListing()
        case .reboot: try await shutdown()
        case .erase:
            try await shutdown()
            // A simulator that cannot be erased is replaced.
            guard try await tools.simctl(["erase", udid]).isGood else {
                try await remake()
                break
            }
            (simulator.hasLanguage, simulator.kept) = (false, CellSetup.Kept())
            // An erased simulator boots like a new one.
            (simulator.hasBooted, simulator.source) = (false, nil)
        case .remake: try await remake()
        }
        try await prepare()
    }

    private func shutdown() async throws {
        // "Already shut down" is no failure, and any other one shows at the next boot.
        _ = try await tools.simctl(["shutdown", udid])
        simulator.forget()
    }

    private func remake() async throws {
        await owner.delete(udid)
        simulator = try await owner.make(simulator.key, tools)
    }

    /// Waits until simctl lists the simulator; replaces one that stays away.
    private func awaitListing() async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(tools.timing.listSeconds))
        while ContinuousClock.now < end {
            if try await tools.simulators()?.has(udid) == true { return }
            try await Task.sleep(for: .seconds(tools.timing.listPauseSeconds))
        }
        try await remake()
    }
}

// MARK: settings

extension LentSimulator {
    /// Sets the cell's language, appearance, text size and contrast, and the status bar.
    private func setUp() async throws {
        let isRestarted = try await setLanguage()
        try await setLook(before: simulator.setup)
        if isRestarted { try await readBack() }
        simulator.setup = setup
    }

    /// Sets the language; returns whether SpringBoard was restarted for it.
    private func setLanguage() async throws -> Bool {
        guard !simulator.hasLanguage else { return false }
        let commands = setup.languageCommands(udid)
        for command in commands { try await tools.mustSimctl(command) }
        if !commands.isEmpty { try await awaitSpringBoard() }
        simulator.hasLanguage = true
        return !commands.isEmpty
    }

    /// Waits until SpringBoard answers again: settings that are sent earlier are lost.
    private func awaitSpringBoard() async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(tools.timing.springBoardSeconds))
        while ContinuousClock.now < end {
            let result = try await tools.quiet.simctl(CellSetup.servicesCommand(udid))
            if CellSetup.springBoardAnswers(in: result.output) { return }
            try await Task.sleep(for: .seconds(tools.timing.springBoardPauseSeconds))
        }
        let text = secondsText(tools.timing.springBoardSeconds)
        tools.note("SpringBoard does not answer \(text) after its restart; the run goes on")
    }

    /// Sends the settings that differ from `before`, and the status bar if `before` is `nil`.
    private func setLook(before: CellSetup?) async throws {
        let commands = setup.lookCommands(udid, before: before, kept: simulator.kept)
        for command in commands {
            let result = try await tools.simctl(command.arguments)
            guard !result.isGood else { continue }
            let error = tools.failure(command.arguments, result)
            guard !command.isNeeded else { throw await spoiled(error) }
            tools.note(error.description)
        }
        simulator.kept = setup.kept
        guard before == nil else { return }
        let command = CellSetup.statusBarCommand(udid)
        let result = try await tools.simctl(command)
        // Some versions of iOS refuse the status bar; the pictures of screens then differ from run
        // to run.
        if !result.isGood { tools.note(tools.failure(command, result).description) }
    }

    /// Reads appearance and status bar back, and sets them again if a new SpringBoard does not show
    /// them.
    private func readBack() async throws {
        for attempt in 1...Self.settingsMax {
            guard let lost = try await lostSetting() else { return }
            guard attempt == Self.settingsMax else {
                try await Task.sleep(for: .seconds(tools.timing.springBoardPauseSeconds))
                try await setLook(before: nil)
                continue
            }
            guard !lost.isNeeded else { throw await spoiled(lost.error) }
            tools.note(lost.error.description)
        }
    }

    /// Returns the error of a setting that the simulator does not show as it was set, or `nil` if
    /// it shows all.
    private func lostSetting() async throws -> (error: XcodeError, isNeeded: Bool)? {
        func lost(_ setting: String, _ wanted: String, _ shown: String) -> XcodeError {
            .settingLost(
                device: simulator.key.model.title,
                setting: setting,
                wanted: wanted,
                shown: shown
            )
        }
        let appearance = try await shown(["ui", udid, "appearance"])
        guard appearance == setup.appearance else {
            return (lost("appearance", setup.appearance, appearance), setup.needsAppearance)
        }
        let bar = try await shown(["status_bar", udid, "list"])
        guard bar.contains(CellSetup.statusBarTime) else {
            return (lost("status bar", CellSetup.statusBarTime, bar), false)
        }
        return nil
    }

    /// Deletes the simulator, whose settings are now unknown, and returns `error`.
    private func spoiled(_ error: XcodeError) async -> XcodeError {
        await owner.delete(udid)
        return error
    }

    /// Returns simctl's answer about a setting, on one line.
    private func shown(_ arguments: [String]) async throws -> String {
        let result = try await tools.simctl(arguments)
        let text = String(decoding: result.output.prefix(1_000), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
