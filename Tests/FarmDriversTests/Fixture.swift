// Helpers of this target's tests: shards, folders, and a receiver of events.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Synchronization

@testable import FarmDrivers

let testEnvironment = [
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
    "HOME": ProcessInfo.processInfo.environment["HOME"] ?? "/",
    "SNAPFARM_TOKEN": "secret", "CI_SECRET": "secret", "LANG": "C.UTF-8",
]

func leaseFolders(in folder: TemporaryFolder) throws -> LeaseFolders {
    let folders = LeaseFolders(in: folder.path)
    for path in [folders.captures, folders.failureDiffs, folders.snapshotArtifacts] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    return folders
}

extension DriverSettings {
    static func command(_ settings: CommandSettings) -> DriverSettings {
        CommandKind().driver(settings)
    }
    static func swiftpm(_ settings: SwiftPMSettings) -> DriverSettings {
        SwiftPMKind().driver(settings)
    }
    static func webdriver(_ settings: WebDriverSettings) -> DriverSettings {
        WebDriverKind().driver(settings)
    }
    static func xcodebuild(_ settings: XcodeSettings) -> DriverSettings {
        XcodeKind().driver(settings)
    }
}

func shard(
    _ settings: DriverSettings,
    kind: JobKind = .unit,
    judge: Judge = .farm,
    mode: RunMode = .verify,
    tests: [String],
    timeouts: JobTimeouts = JobTimeouts(),
    prepared: [String: String] = [:],
    workTree: String = "/",
    cell: Cell = .host
) -> Shard {
    var job = Job(name: JobName("job"), kind: kind, driver: settings, judge: judge)
    job.timeouts = timeouts
    job.env = ["GIVEN": "by the job"]
    return Shard(
        run: RunID("run"),
        mode: mode,
        job: job,
        cell: cell,
        tests: tests.map { TestID($0) },
        prepared: prepared,
        workTree: workTree
    )
}

/// Collects the events of a driver.
final class Heard: Sendable {
    private let events = Mutex<[DriverEvent]>([])

    func take(_ event: DriverEvent) { events.withLock { $0.append(event) } }

    var results: [TestResult] {
        events.withLock { $0 }.compactMap {
            if case .finished(let result) = $0 { result } else { nil }
        }
    }

    var endings: [String: TestEnding] {
        Dictionary(results.map { ($0.test.text, $0.ending) }) { first, _ in first }
    }

    var started: [String] {
        events.withLock { $0 }.compactMap {
            if case .started(let test) = $0 { test.text } else { nil }
        }
    }

    var mentioned: [String] {
        events.withLock { $0 }.compactMap {
            if case .mentioned(let test) = $0 { test.text } else { nil }
        }
    }

    /// The tests that ran when the shard's time was over, or `nil` if it was not.
    var timeOver: [TestID]? {
        events.withLock { $0 }.lazy.compactMap {
            if case .timeOver(let running) = $0 { running } else { nil }
        }.first
    }

    func result(_ test: String) -> TestResult? { results.first { $0.test.text == test } }
}

extension TestEnding {
    /// The code of an errored ending, otherwise its word.
    var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .changed: "changed"
        case .new: "new"
        case .skipped: "skipped"
        case .errored(let problem): problem.code
        }
    }
}

/// Builds a package from files by path, and discovers its tests.
///
/// Builds again only if a file has changed since the last test run.
func discoverPackage(_ sources: [String: String]) async throws -> Discovery {
    let all = sources.sorted { $0.key < $1.key }.map(\.value).joined()
    let digest = Digest(of: Data(all.utf8)).hex.prefix(12)
    let folder = NSTemporaryDirectory() + "/snapfarm-fixture-\(digest)"
    for (name, text) in sources {
        let file = URL(fileURLWithPath: "\(folder)/Fixture/\(name)")
        guard (try? String(contentsOf: file, encoding: .utf8)) != text else { continue }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file)
    }
    let job = shard(.swiftpm(SwiftPMSettings(package: "Fixture")), tests: []).job
    return try await SwiftPMDriver(environment: testEnvironment)
        .discover(job: job, workTree: folder, scratch: folder)
}
