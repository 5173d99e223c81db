// Starts Apple's tools. They are found through PATH, and all of one lease are those of one Xcode:
// simulators are bound to the Xcode that made them, so every child gets DEVELOPER_DIR.
import FarmCore
import Foundation

/// The time limits of the driver; shorter in tests.
package struct XcodeTiming: Sendable {
    /// The seconds that a simulator's first boot may take before the simulator is remade;
    /// `bootSeconds` is for any later one.
    package var firstBootSeconds = FarmLimits.simulatorFirstBootSeconds
    package var bootSeconds = FarmLimits.simulatorBootSeconds
    /// Seconds until the first test of a launch must have started.
    package var startSeconds = FarmLimits.testsStartSeconds
    /// Seconds that a simulator's SpringBoard may take to come back.
    package var springBoardSeconds = FarmLimits.springBoardSeconds
    /// Seconds between two looks at SpringBoard.
    package var springBoardPauseSeconds = 0.5
    /// The seconds between two readings of a list that lacks a simulator; `listSeconds` is the
    /// limit for all readings.
    package var listPauseSeconds = 2.0
    package var listSeconds = FarmLimits.simulatorListSeconds
    /// The seconds of the longest random pause, which keeps slots from starting at the same time.
    package var staggerSeconds = 2.0

    init() {}
}

/// The ending and the output of a tool that was run.
struct ToolResult: Sendable {
    var ending: ChildEnding
    var output: [UInt8]
    /// The end of both outputs of the tool.
    var tail: String

    var isGood: Bool { ending == .exited(0) }
}

/// The tools of one Xcode.
struct XcodeTools: Sendable {
    /// The environment, with DEVELOPER_DIR if the job chose an Xcode.
    var environment: [String: String]
    /// The version of the Xcode, or `nil` if it is unknown.
    var version: VersionNumber?
    /// The log of the tools' output, or `nil` for none.
    var log: String?
    /// The Xcode's version if its simulators are kept for later runs, else `nil`.
    var keptBy: String?
    var timing = XcodeTiming()

    func isAtLeast(_ text: String) -> Bool {
        guard let version, let wanted = VersionNumber(text) else { return false }
        return version >= wanted
    }

    /// Returns a child that runs a tool.
    func child(_ program: String, _ arguments: [String], folder: String = "/") -> ChildProcess {
        var child = ChildProcess(
            executable: program,
            arguments: arguments,
            environment: environment,
            folder: folder
        )
        child.log = log
        return child
    }

    /// Runs a tool to its end, for at most `seconds`, and returns its result.
    func run(
        _ program: String,
        _ arguments: [String],
        folder: String = "/",
        seconds: Double = FarmLimits.simctlSeconds,
        bytesMax: Int = FarmLimits.discoveryBytesMax
    ) async throws -> ToolResult {
        var child = child(program, arguments, folder: folder)
        child.timeLimitSeconds = seconds
        child.outputBytesMax = bytesMax
        let output = ByteBox()
        let tail = OutputTail()
        let ending = try await child.run { stream, bytes in
            if stream == .standardOutput { output.append(bytes) }
            tail.append(bytes)
        }
        return ToolResult(ending: ending, output: output.bytes, tail: tail.lastLines())
    }

    /// The same tools, with no log for their output.
    var quiet: XcodeTools {
        var quiet = self
        quiet.log = nil
        return quiet
    }

    /// Adds a line that begins with `snapfarm: ` to the log.
    func note(_ line: String) {
        guard let log, let file = try? LogFile(path: log) else { return }
        file.note(line)
    }

    func simctl(_ arguments: [String], seconds: Double = FarmLimits.simctlSeconds) async throws
        -> ToolResult
    {
        // A list of simulators is longer than a lease's log should be.
        let tools = arguments.first == "list" ? quiet : self
        return try await tools.run("xcrun", ["simctl"] + arguments, seconds: seconds)
    }

    /// Runs simctl; throws an error with its output if it fails.
    @discardableResult
    func mustSimctl(_ arguments: [String]) async throws -> ToolResult {
        let result = try await simctl(arguments)
        guard result.isGood else { throw failure(arguments, result) }
        return result
    }

    func failure(_ arguments: [String], _ result: ToolResult) -> XcodeError {
        .simctl(
            command: (["xcrun", "simctl"] + arguments).joined(separator: " "),
            ending: result.ending.text(limitSeconds: FarmLimits.simctlSeconds),
            output: result.tail
        )
    }

    /// Runs a command of simctl that makes a simulator, and returns the simulator's UDID.
    ///
    /// The command runs to its end even if the lease is cancelled: a simulator that was made before
    /// its UDID was printed could not be deleted.
    func makeSimulator(_ arguments: [String]) async throws -> String {
        let result = try await Task { try await mustSimctl(arguments) }.value
        let text = String(decoding: result.output, as: UTF8.self)
        guard let udid = text.split(whereSeparator: \.isWhitespace).last else {
            throw failure(arguments, result)
        }
        return String(udid)
    }

    /// Returns the list of simulators, or `nil` if it cannot be read.
    func simulators() async throws -> SimulatorList? {
        let result = try await simctl(["list", "--json"])
        return result.isGood ? SimulatorList(Data(result.output)) : nil
    }

    /// Returns the list of simulators, and the model for a device.
    ///
    /// A list can be incomplete just after its host has started, so it is read more than once.
    func simulators(of device: Device) async throws -> (
        list: SimulatorList, model: SimulatorModel
    ) {
        let end = ContinuousClock.now.advanced(by: .seconds(timing.listSeconds))
        while true {
            guard let list = try await simulators() else {
                throw failure(
                    ["list", "--json"],
                    ToolResult(ending: .exited(0), output: [], tail: "")
                )
            }
            do {
                return try (list, list.model(of: device))
            } catch {
                // A complete list has runtimes; if it lacks the device, the device is wrong.
                guard list.runtimes.isEmpty || list.devicetypes.isEmpty, .now < end else {
                    throw error
                }
            }
            try await Task.sleep(for: .seconds(timing.listPauseSeconds))
        }
    }
}
