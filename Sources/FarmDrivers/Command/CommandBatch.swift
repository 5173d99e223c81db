// One process for a whole shard, judged by the JUnit file it leaves.
//
// A leased test without an entry is not finished here, so that the worker says so; where the
// process itself did not end well, the reason is said for each of them. While it runs, its output is
// all that says how far it is.
import FarmCore
import Foundation
import Synchronization

struct CommandBatch {
    let shard: Shard
    let settings: CommandSettings
    let results: String
    let folders: LeaseFolders
    let environment: CleanEnvironment
    let report: @Sendable (DriverEvent) async throws -> Void

    func run() async throws {
        var pictures = LeasePictures(shard, folders, glob: settings.captures?.pattern)
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: .seconds(shard.job.timeouts.shardSeconds))
        let lines = CommandInvocation.invocations(
            of: settings.run,
            for: shard.tests,
            testsFile: folders.lease + "/" + CommandInvocation.listName,
            flags: CleanEnvironment.flags(shard, folders)
        )
        for (index, line) in lines.enumerated() {
            var child = try line.child(
                environment: environment.forTests(shard, folders),
                folder: shard.workTree,
                scratch: folders.lease
            )
            child.log = folders.log
            child.timeLimitSeconds = max(0.001, clock.now.duration(to: deadline).seconds)
            // Results of an earlier invocation must not be read again as this one's.
            let before = try stamps()
            let output = BatchOutput(of: line.tests)
            let ending = try await child.run { [report] _, bytes in
                for test in output.take(bytes) { try await report(.mentioned(test)) }
            }
            let read = try await readResults(of: line.tests, without: before, deadline)
            let found = try pictures.collect()
            let lastWords = output.tail.lastWords()
            let results = results(of: line.tests, ending, read, lastWords: lastWords)
            var owned = OwnedPictures(found, of: results, among: line.tests, owners)
            try await owned.findMakers(among: results) { test, place in
                try await self.pictures(of: test, alone: "alone\(index)-\(place)", deadline)
            }
            if index == lines.count - 1 { try await report(.programsEnded) }
            for result in owned.given(to: results) { try await report(.finished(result)) }
            if ending == .timedOut { return try await report(.timeOver(running: [])) }
        }
    }

    private var owners: PictureOwners {
        PictureOwners(
            shard.tests,
            template: settings.captures?.test,
            framework: shard.job.framework
        )
    }

    /// What a test makes when nothing else runs; nil where the shard's time is over.
    private func pictures(
        of test: TestID,
        alone name: String,
        _ deadline: ContinuousClock.Instant
    ) async throws -> FoundPictures? {
        let left = ContinuousClock.now.duration(to: deadline).seconds
        guard left > 0 else { return nil }
        let own = folders.inside(name, sharesReferences: !CleanEnvironment.records(shard))
        try own.make()
        defer { try? FileManager.default.removeItem(atPath: own.lease) }
        let lines = CommandInvocation.invocations(
            of: settings.run,
            for: [test],
            testsFile: own.lease + "/" + CommandInvocation.listName,
            flags: CleanEnvironment.flags(shard, own)
        )
        guard let line = lines.first else { return nil }
        var child = try line.child(
            environment: environment.forTests(shard, own),
            folder: shard.workTree,
            scratch: own.lease
        )
        child.log = folders.log
        child.timeLimitSeconds = min(left, shard.job.timeouts.testSeconds)
        _ = try await child.run { _, _ in }
        var pictures = LeasePictures(shard, own, glob: settings.captures?.pattern)
        return try pictures.collect()
    }

    // MARK: results

    private func resultFiles() throws -> [String] {
        let pattern = results.hasPrefix("./") ? String(results.dropFirst(2)) : results
        let glob = Glob(pattern, mode: .path)
        return try LeaseListing(of: folders.lease).files.filter { glob.matches($0) }
    }

    private func stamps() throws -> [String: FileStamp] {
        try resultFiles().reduce(into: [:]) { $0[$1] = FileStamp(of: "\(folders.lease)/\($1)") }
    }

    private func readResults(
        of tests: [TestID],
        without before: [String: FileStamp],
        _ deadline: ContinuousClock.Instant
    ) async throws -> ResultsReading {
        let files = try stamps().filter { before[$0.key] != $0.value }.keys.sorted()
        let folder = folders.lease
        let end = max(
            deadline,
            ContinuousClock.now.advanced(by: .seconds(FarmLimits.resultsReadingSecondsMin))
        )
        return try await onOwnThread(until: end) { mayGoOn in
            ResultsReading(files, in: folder, of: tests, while: mayGoOn)
        }
    }

    // MARK: conclusion

    /// The results without their pictures; a test of which nobody knows anything has none.
    private func results(
        of tests: [TestID],
        _ ending: ChildEnding,
        _ reading: ResultsReading,
        lastWords: String
    ) -> [TestResult] {
        let excuse = reading.problem ?? problem(of: ending, reading)
        return tests.compactMap { test in
            guard var result = reading.results[test] else {
                return (excuse ?? cause(of: test, ending, reading)).map {
                    TestResult(test: test, ending: .errored($0), seconds: 0, output: lastWords)
                }
            }
            if result.ending.isGood, let excuse = distrust(ending, reading) {
                result.ending = .errored(excuse)
            }
            return result
        }
    }

    /// Why a leased test has no entry; nil: the process ended well, it just does not say.
    private func problem(of ending: ChildEnding, _ reading: ResultsReading) -> Problem? {
        let limit = shard.job.timeouts.shardSeconds
        switch ending {
        // What becomes of them is said for the shard as a whole.
        case .timedOut: return nil
        case .flooded: return .testFlooded()
        case .signalled(let signal):
            return .testCrashed(signal: signal, during: "the command that ran the shard")
        case .exited(let status):
            if reading.isMissing {
                return .resultsMissing(pattern: results, ending: ending.text(limitSeconds: limit))
            }
            return crashSignal(ofShellStatus: status).map {
                .testCrashed(signal: $0, during: "the command that ran the shard")
            } ?? reading.cutOff
        }
    }

    /// What the results say beside a test that they do not name.
    private func cause(
        of test: TestID,
        _ ending: ChildEnding,
        _ reading: ResultsReading
    ) -> Problem? {
        guard case .exited = ending else { return nil }
        return reading.causes[test]
    }

    /// A command that left with an error although everything it reports has passed hides one.
    private func distrust(_ ending: ChildEnding, _ reading: ResultsReading) -> Problem? {
        guard case .exited(let status) = ending, status != 0,
            crashSignal(ofShellStatus: status) == nil
        else { return nil }
        return reading.explainsError ? nil : .exitUnexplained(status: status)
    }
}

/// What one process prints.
private final class BatchOutput: Sendable {
    let tail = OutputTail()
    private let mentioned: Mutex<MentionedTests>

    init(of tests: [TestID]) { mentioned = Mutex(MentionedTests(tests)) }

    /// The tests that it names for the first time.
    func take(_ bytes: [UInt8]) -> [TestID] {
        tail.append(bytes)
        return mentioned.withLock { $0.feed(bytes) }
    }
}

/// Enough to see that a file was written again.
private struct FileStamp: Equatable {
    var inode: UInt64
    var size: UInt64
    var modified: Date?

    init?(of path: String) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            return nil
        }
        inode = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
        size = (attributes[.size] as? NSNumber)?.uint64Value ?? 0
        modified = attributes[.modificationDate] as? Date
    }
}
