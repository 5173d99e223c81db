// Runs the tests of one framework to the last one, in as many processes as that takes: a test that
// crashes, hangs or floods takes its process with it, and the tests after it get a new one.
//
// Swift Testing runs tests in parallel. When such a process dies, the culprit is unknown. No test
// is blamed then, and the unfinished tests run again one at a time, which shows the culprit. Every
// process finishes at least one test or is the first to run one at a time, so this ends.
import FarmCore
import Foundation

struct ProgramRun: Sendable {
    let program: TestProgram
    let framework: SwiftTestFramework
    let shard: Shard
    let folders: LeaseFolders
    let environment: CleanEnvironment
    let isolation: Isolation?
    let deadline: ContinuousClock.Instant
    let report: @Sendable (DriverEvent) async throws -> Void

    private enum End: Sendable {
        case child(ChildEnding)
        case overdue([TestID])
        case shardOver
    }

    /// Seconds between two looks at the event stream and at the clock.
    private static let tickSeconds = 0.05

    /// Runs the tests; returns false if the shard's time was over before they ended.
    func run(_ tests: [TestID], pictures: inout LeasePictures) async throws -> Bool {
        for group in SwiftTestSelection.groups(tests) {
            var left = group
            var isSerial = framework == .xctest
            while !left.isEmpty {
                let session = ProgramSession(
                    tests: left,
                    holdsAll: shard.job.kind == .snapshot,
                    framework: shard.job.framework,
                    report: report
                )
                let end = try await runProcess(left, session, isSerial: isSerial)
                let next = await conclude(end, left, session, isSerial: isSerial)
                let found = try pictures.collect()
                let again = try await session.close(
                    found,
                    runsAgain: next.runsAgain,
                    alone: self.pictures
                )
                pictures.giveBack(again)
                let finished = await session.finished
                left.removeAll { finished.contains($0) }
                switch next {
                case .stop: left = []
                case .giveUp(let running):
                    try await report(.timeOver(running: running))
                    return false
                case .again: break
                case .againSerially: isSerial = true
                }
            }
        }
        return true
    }

    /// Runs a test case alone and returns the pictures that it makes, or `nil` if the shard's time
    /// is over.
    private func pictures(of test: TestID, place: Int) async throws -> FoundPictures? {
        guard ContinuousClock.now < deadline else { return nil }
        let name = "alone-" + UUID().uuidString.prefix(8)
        let own = folders.inside(name, sharesReferences: !CleanEnvironment.records(shard))
        try own.make()
        defer { try? FileManager.default.removeItem(atPath: own.lease) }
        let alone = ProgramRun(
            program: program,
            framework: framework,
            shard: shard,
            folders: own,
            environment: environment,
            isolation: isolation,
            deadline: deadline,
            report: { _ in }
        )
        let session = ProgramSession(tests: [test], holdsAll: true, report: { _ in })
        _ = try await alone.runProcess([test], session, isSerial: true)
        var pictures = LeasePictures(shard, own, glob: nil)
        return try pictures.collect()
    }

    // MARK: one process

    private func runProcess(
        _ tests: [TestID],
        _ session: ProgramSession,
        isSerial: Bool
    ) async throws -> End {
        let scratch = folders.lease + "/swiftpm-" + UUID().uuidString.prefix(8)
        let attachments = scratch + "/attachments"
        do {
            try FileManager.default.createDirectory(
                atPath: attachments,
                withIntermediateDirectories: true
            )
        } catch {
            throw DriverError.fileUnwritable(path: attachments, reason: error.inWords)
        }
        var child = program.child(
            framework,
            tests,
            isSerial: isSerial,
            environment: environment.forTests(shard, folders),
            events: scratch + "/events.jsonl",
            attachments: attachments
        )
        child.enclosure = try isolation?.enclosure(shard, folders)
        child.log = folders.log
        let source = ProgramSource(
            framework,
            tests,
            events: scratch + "/events.jsonl",
            attachments: attachments,
            session: session
        )
        let end = try await child.withRunning(
            onOutput: { _, bytes in try await source.printed(bytes) },
            body: { try await watch($0, source, session) }
        )
        try await source.finish()
        return end
    }

    private func watch(
        _ child: RunningChild,
        _ source: ProgramSource,
        _ session: ProgramSession
    ) async throws -> End {
        try await withThrowingTaskGroup(of: End.self) { group in
            group.addTask { .child(try await child.ending()) }
            group.addTask {
                while true {
                    try await Task.sleep(for: .seconds(Self.tickSeconds))
                    try await source.poll()
                    let overdue = await session.overdue(
                        limitSeconds: shard.job.timeouts.testSeconds
                    )
                    if !overdue.isEmpty { return .overdue(overdue) }
                    if ContinuousClock.now >= deadline { return .shardOver }
                }
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    // MARK: what follows from its end

    private enum Next {
        case stop
        case giveUp(running: [TestID])
        case again
        case againSerially

        var runsAgain: Bool {
            switch self {
            case .stop, .giveUp: false
            case .again, .againSerially: true
            }
        }
    }

    private func conclude(
        _ end: End,
        _ tests: [TestID],
        _ session: ProgramSession,
        isSerial: Bool
    ) async -> Next {
        let running = await session.running.keys.sorted()
        switch end {
        case .shardOver: return .giveUp(running: running)
        case .overdue(let overdue):
            guard isSerial || running.count == 1 else { return .againSerially }
            let problem = Problem.testTimedOut(seconds: shard.job.timeouts.testSeconds)
            for test in overdue { await session.blame(test, problem) }
            return .again
        case .child(.exited(let status)) where running.isEmpty:
            await session.explain(status: status)
            return .stop
        case .child(let ending):
            return await blame(ending, running, tests, session, isSerial: isSerial)
        }
    }

    /// Blames tests for the death of their process, and returns the next step.
    private func blame(
        _ ending: ChildEnding,
        _ running: [TestID],
        _ tests: [TestID],
        _ session: ProgramSession,
        isSerial: Bool
    ) async -> Next {
        let problem: Problem =
            switch ending {
            case .exited(let status): .testExited(status: status)
            case .signalled(let signal): .testCrashed(signal: signal)
            case .flooded: .testFlooded()
            case .timedOut: .testTimedOut(seconds: shard.job.timeouts.testSeconds)
            }
        if running.count > 1, !isSerial { return .againSerially }
        for test in running { await session.blame(test, problem) }
        if !running.isEmpty { return .again }
        await session.blameLast(.errored(problem))
        let finished = await session.finished
        if finished.isEmpty {
            for test in tests { await session.blame(test, problem) }
            return .stop
        }
        return .again
    }
}

/// Turns the output and the event stream of a process into events for its session.
actor ProgramSource {
    private let session: ProgramSession
    private let eventsPath: String?
    private var console: XCTestConsole
    private var stream: SwiftTestingEvents
    private var lines = LineSplitter()
    private var file: FileHandle?
    private let tail = OutputTail()

    init(
        _ framework: SwiftTestFramework,
        _ tests: [TestID],
        events: String,
        attachments: String,
        session: ProgramSession
    ) {
        self.session = session
        eventsPath = framework == .swiftTesting ? events : nil
        console = XCTestConsole(tests: tests)
        stream = SwiftTestingEvents(attachments: attachments)
    }

    /// Adds output of the process, which has events only for XCTest; Swift Testing has its stream.
    func printed(_ bytes: [UInt8]) async throws {
        guard eventsPath == nil else { return tail.append(bytes) }
        try await session.take(lines.feed(bytes).flatMap { console.feed($0) })
    }

    /// Reads the new lines of the event stream, if the process writes one.
    func poll() async throws {
        guard let eventsPath else { return }
        if file == nil { file = FileHandle(forReadingAtPath: eventsPath) }
        while let file, let bytes = try file.read(upToCount: 1 << 18), !bytes.isEmpty {
            try await session.take(lines.feed(bytes).flatMap { stream.feed($0) })
        }
    }

    func finish() async throws {
        try await poll()
        let rest = lines.finish()
        if eventsPath == nil { try await session.take(rest.flatMap { console.feed($0) }) }
        // Swift Testing runs tests in parallel, so no line of the output belongs to a certain test.
        await session.ended(lastWords: eventsPath == nil ? console.lastOutput : tail.text)
    }
}
