// Runs the real program as a child process, as CI and people do.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

/// The built `snapfarm`, beside the test program.
struct Program {
    static let path: String = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appendingPathComponent("snapfarm").path
    }()

    /// A pressure file of an idle host, so that the load of this machine does not affect the runs
    /// under test.
    static let idle: String? = {
        let path = FileManager.default.temporaryDirectory.path + "/snapfarm-idle-\(getpid())"
        let text = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
        return (try? text.write(toFile: path, atomically: true, encoding: .utf8)).map { path }
    }()

    var folder: String
    var environment: [String: String] = [:]

    /// Runs the program to its end.
    ///
    /// A program that hangs is killed after two minutes and fails its test.
    func run(_ arguments: [String]) throws -> ProcessEnding {
        try start(arguments).ending(within: 120)
    }

    /// Starts the program; `through` is a command that starts it.
    func start(_ arguments: [String], through: [String] = []) throws -> TestProcess {
        var own = ProcessInfo.processInfo.environment
        // The CI environment of this machine must not affect the runs under test.
        for key in own.keys
        where key.hasPrefix("CI") || key.hasPrefix("BITRISE")
            || key.hasPrefix("GITHUB") || key.hasPrefix("SNAPFARM") || key.hasPrefix("BUILDKITE")
        {
            own[key] = nil
        }
        own["SNAPFARM_CPU_PRESSURE"] = Self.idle
        return try TestProcess(
            through + [Self.path] + arguments,
            environment: own.merging(environment) { _, new in new },
            in: folder
        )
    }
}

extension ProcessEnding {
    /// Returns a column of a printed table, without its header.
    func column(_ name: String) throws -> [String] {
        let lines = output.split(separator: "\n")
        let head = try #require(lines.first)
        let place = try #require(head.range(of: name)?.lowerBound, "\(head)")
        let start = head.distance(from: head.startIndex, to: place)
        return lines.dropFirst().map { line in
            line.dropFirst(start).components(separatedBy: "  ").first ?? ""
        }
    }
}

/// Returns the processes whose command line contains a text.
func processes(naming text: String) -> [Int32] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { Int32($0) }.filter { pid in
        guard let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") else {
            return false
        }
        return String(decoding: line, as: UTF8.self).contains(text)
    }
}
