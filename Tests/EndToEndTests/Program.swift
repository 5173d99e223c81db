// Runs the real program as a child, as CI and people do.
import FarmCore
import FarmReports
import FarmTesting
import Foundation

/// The built `snapfarm`, beside the test program.
struct Program {
    static let path: String = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appendingPathComponent("snapfarm").path
    }()

    var folder: String
    var environment: [String: String] = [:]

    /// Runs to the end; a program that hangs is killed after two minutes and fails its test.
    func run(_ arguments: [String]) throws -> ProcessEnding {
        try start(arguments).ending(within: 120)
    }

    /// `through` is a command that starts it.
    func start(_ arguments: [String], through: [String] = []) throws -> TestProcess {
        var own = ProcessInfo.processInfo.environment
        // The machine's own CI must not steer the runs under test.
        for key in own.keys
        where key.hasPrefix("CI") || key.hasPrefix("BITRISE")
            || key.hasPrefix("GITHUB") || key.hasPrefix("SNAPFARM") || key.hasPrefix("BUILDKITE")
        {
            own[key] = nil
        }
        return try TestProcess(
            through + [Self.path] + arguments,
            environment: own.merging(environment) { _, new in new },
            in: folder
        )
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
