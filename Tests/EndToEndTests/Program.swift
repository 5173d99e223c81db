// Runs the real program as a child, as CI and people do.
import FarmCore
import FarmReports
import Foundation

/// What a run of the program left.
struct ProgramResult {
    let status: Int32
    let output: String
    let errors: String
}

/// The built `snapfarm`, beside the test program.
struct Program {
    static let path: String = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appendingPathComponent("snapfarm").path
    }()

    var folder: String
    var environment: [String: String] = [:]

    /// Runs to the end; a program that hangs is killed after two minutes and fails its test.
    func run(_ arguments: [String]) throws -> ProgramResult {
        let running = try start(arguments)
        return running.wait(seconds: 120)
    }

    func start(_ arguments: [String]) throws -> RunningProgram {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        var own = ProcessInfo.processInfo.environment
        // The machine's own CI must not steer the runs under test.
        for key in own.keys
        where key.hasPrefix("CI") || key.hasPrefix("BITRISE")
            || key.hasPrefix("GITHUB") || key.hasPrefix("SNAPFARM") || key.hasPrefix("BUILDKITE")
        {
            own[key] = nil
        }
        process.environment = own.merging(environment) { _, new in new }
        let output = try Capture()
        let errors = try Capture()
        process.standardOutput = output.handle
        process.standardError = errors.handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return RunningProgram(process: process, output: output, errors: errors)
    }
}

/// A child's output in a file, so that no pipe can fill up.
final class Capture {
    let path = FileManager.default.temporaryDirectory.path + "/snapfarm-e2e-\(UUID().uuidString)"
    let handle: FileHandle

    init() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}

struct RunningProgram {
    let process: Process
    fileprivate let output: Capture
    fileprivate let errors: Capture

    var said: String { errors.text }

    func wait(seconds: Double) -> ProgramResult {
        let deadline = Date().addingTimeInterval(seconds)
        while process.isRunning, Date() < deadline { Thread.sleep(forTimeInterval: 0.02) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        let signalled = process.terminationReason == .uncaughtSignal
        return ProgramResult(
            status: signalled ? 128 + process.terminationStatus : process.terminationStatus,
            output: output.text,
            errors: errors.text
        )
    }

    /// Waits until something is true; false after `seconds`.
    func wait(seconds: Double, until condition: () -> Bool) -> Bool {
        let deadline = Date().addingTimeInterval(seconds)
        while Date() < deadline {
            if condition() { return true }
            Thread.sleep(forTimeInterval: 0.02)
        }
        return false
    }
}

/// Processes whose command line holds a text.
func processes(naming text: String) -> [Int32] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { Int32($0) }.filter { pid in
        guard let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") else {
            return false
        }
        return String(decoding: line, as: UTF8.self).contains(text)
    }
}
