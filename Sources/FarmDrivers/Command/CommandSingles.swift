// Runs one process per test case. Each process has a lease folder of its own below the lease's, so
// that its files cannot be confused with those of earlier tests.
import FarmCore
import Foundation

struct CommandSingles {
    let shard: Shard
    let settings: CommandSettings
    let folders: LeaseFolders
    let environment: CleanEnvironment
    let isolation: Isolation?
    let report: @Sendable (DriverEvent) async throws -> Void

    func run() async throws {
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: .seconds(shard.job.timeouts.shardSeconds))
        for (index, test) in shard.tests.enumerated() {
            let left = clock.now.duration(to: deadline).seconds
            guard left > 0 else { return try await report(.timeOver(running: [])) }
            try await report(.started(test))
            let own = folders.inside("t\(index + 1)", sharesReferences: !records)
            try own.make()
            guard let result = try await run(test, own, secondsLeft: left) else {
                return try await report(.timeOver(running: [test]))
            }
            try await report(.finished(result))
        }
    }

    private var records: Bool { CleanEnvironment.records(shard) }

    /// Runs one test in a process of its own; returns `nil` if the shard's time, not the test's,
    /// ended the process.
    private func run(
        _ test: TestID,
        _ own: LeaseFolders,
        secondsLeft: Double
    ) async throws -> TestResult? {
        let lines = CommandInvocation.invocations(
            of: settings.run,
            for: [test],
            testsFile: own.lease + "/" + CommandInvocation.listName,
            flags: CleanEnvironment.flags(shard, own)
        )
        guard let line = lines.first else { throw CancellationError() }
        var child = try line.child(shard, own, environment, isolation)
        child.log = folders.log
        let isLast = secondsLeft < shard.job.timeouts.testSeconds
        child.timeLimitSeconds = isLast ? secondsLeft : shard.job.timeouts.testSeconds
        let tail = OutputTail()
        let clock = ContinuousClock()
        let began = clock.now
        let ending = try await child.run { _, bytes in tail.append(bytes) }
        if isLast, ending == .timedOut { return nil }
        var result = TestResult(
            test: test,
            ending: self.ending(of: ending, tail),
            seconds: began.duration(to: clock.now).seconds,
            output: tail.text
        )
        // The failure is the whole output, because nothing separates failures from the rest.
        if case .failed = result.ending { result.failures = [TestFailure(tail.text)] }
        var pictures = LeasePictures(shard, own, glob: settings.captures?.pattern)
        let found = try pictures.collect()
        result.captures = found.captures.map(\.file)
        result.differences = found.differences
        result.take(found.unread.map(\.file))
        if result.ending.isGood, let problem = found.problems.first {
            result.ending = .errored(problem)
        }
        return result
    }

    private func ending(
        of ending: ChildEnding,
        _ tail: OutputTail
    ) -> TestEnding {
        switch ending {
        case .exited(0): return .passed
        case .exited(let status):
            if let signal = crashSignal(ofShellStatus: status) {
                return .errored(.testCrashed(signal: signal))
            }
            let lines = tail.lastLines(20)
            return .failed("exit status \(status)" + (lines.isEmpty ? "" : "\n" + lines))
        case .signalled(let signal): return .errored(.testCrashed(signal: signal))
        case .flooded: return .errored(.testFlooded())
        case .timedOut:
            return .errored(.testTimedOut(seconds: shard.job.timeouts.testSeconds))
        }
    }
}

extension Duration {
    /// The duration in seconds, with fractions.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension LeaseFolders {
    /// Returns the folders of a lease in `<lease>/<name>`.
    ///
    /// If `sharesReferences`, the references stay in their place.
    func inside(_ name: String, sharesReferences: Bool) -> LeaseFolders {
        func moved(_ path: String) -> String {
            path.path(below: lease).map { "\(lease)/\(name)/\($0)" } ?? path
        }
        var folders = self
        folders.lease = "\(lease)/\(name)"
        folders.captures = moved(captures)
        folders.failureDiffs = moved(failureDiffs)
        folders.snapshotArtifacts = moved(snapshotArtifacts)
        if !sharesReferences { folders.references = moved(references) }
        return folders
    }

    func make() throws {
        for folder in [lease, captures, failureDiffs, snapshotArtifacts] {
            do {
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true
                )
            } catch {
                throw DriverError.fileUnwritable(path: folder, reason: error.inWords)
            }
        }
    }
}
