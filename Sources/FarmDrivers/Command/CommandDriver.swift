// Runs any test program, by a command that lists test cases and a command that runs some of them.
//
// With `results`, one process runs the whole shard and its JUnit files have the results.
// `timeout.shard` applies to the process, `timeout.test` only to tests that the files show as
// running (see TestMarks). Without `results`, each test case is a process of its own, judged by its
// exit status: 0 has passed, anything else has failed, a signal is a crash.
import FarmCore
import FarmPipeline
import Foundation

/// The driver `command`: runs any test program by the job's shell commands.
package struct CommandDriver: TestDriver {
    private let environment: CleanEnvironment
    private let isolation: Isolation?

    /// Creates the driver from this process's environment; tests see little of it.
    init(environment: [String: String], isolation: Isolation? = nil) {
        self.environment = CleanEnvironment(parent: environment)
        self.isolation = isolation
    }

    package func discover(job: Job, workTree: String, scratch: String) async throws -> Discovery {
        let settings = try CommandKind().settings(of: job.driver)
        let list = ByteBox()
        // pytest prints on standard output, after its list, why the list is incomplete.
        let tail = OutputTail()
        let errors = OutputTail()
        var child = ChildProcess(
            executable: "/bin/sh",
            arguments: ["-c", settings.discover],
            environment: environment.forBuilding(job),
            folder: workTree
        )
        child.timeLimitSeconds = FarmLimits.discoverySecondsMax
        child.outputBytesMax = FarmLimits.discoveryBytesMax
        child.log = scratch + "/discover.log"
        let ending = try await child.run { stream, bytes in
            if stream == .standardOutput { list.append(bytes) }
            (stream == .standardOutput ? tail : errors).append(bytes)
        }
        guard ending == .exited(0) else {
            let words = errors.lastLines()
            throw DriverError.discoveryFailed(
                command: settings.discover,
                ending: ending.text(limitSeconds: FarmLimits.discoverySecondsMax),
                output: words.isEmpty ? tail.lastLines() : words
            )
        }
        return Discovery(tests: try TestList.parse(list.bytes))
    }

    package func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        let settings = try CommandKind().settings(of: shard.job.driver)
        if let results = settings.results {
            try await CommandBatch(
                shard: shard,
                settings: settings,
                results: results,
                folders: folders,
                environment: environment,
                isolation: isolation,
                report: report
            ).run()
        } else {
            try await CommandSingles(
                shard: shard,
                settings: settings,
                folders: folders,
                environment: environment,
                isolation: isolation,
                report: report
            ).run()
        }
    }
}

extension CommandInvocation {
    /// Returns the child process that runs this invocation for a shard in some folders.
    ///
    /// A script too long for one argument of execve(2) (128 KiB on Linux) is passed as a file.
    func child(
        _ shard: Shard,
        _ folders: LeaseFolders,
        _ environment: CleanEnvironment,
        _ isolation: Isolation?
    ) throws -> ChildProcess {
        let scratch = folders.lease
        if let testsFile = self.testsFile {
            try write(testsFile, to: scratch + "/" + Self.listName)
        }
        var arguments = ["-c", script]
        if script.utf8.count > 100_000 {
            let path = scratch + "/snapfarm-run.sh"
            try write(Array(script.utf8), to: path)
            arguments = [path]
        }
        var child = ChildProcess(
            executable: "/bin/sh",
            arguments: arguments,
            environment: environment.forTests(shard, folders),
            folder: shard.workTree
        )
        child.enclosure = try isolation?.enclosure(shard, folders)
        child.input = input
        child.joinsOutputs = true
        return child
    }

    static let listName = "snapfarm-tests.txt"

    private func write(_ bytes: [UInt8], to path: String) throws {
        // An earlier process of the lease may have left anything there, also a link.
        try? FileManager.default.removeItem(atPath: path)
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        } catch {
            throw DriverError.fileUnwritable(path: path, reason: error.inWords)
        }
    }
}
