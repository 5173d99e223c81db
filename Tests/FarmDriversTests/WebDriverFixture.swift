// Helpers of the browser tests: a check for the browser, a folder of pages, and a shard.
import FarmCore
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmDrivers

enum Chromium {
    /// Whether the browser is installed.
    ///
    /// Without it the browser tests are skipped with a message.
    static let isInstalled =
        ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromedriver"]
        .allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    static let absence: Comment =
        "needs: apt-get install -y chromium-driver chromium-headless-shell fonts-noto-cjk"
}

/// Pages in a folder, and a driver that captures them.
struct Stage {
    let folder: TemporaryFolder
    var driver: WebDriverDriver
    var settings: WebDriverSettings
    /// Whether the job has `reuse`, so that the files of its pages are recorded.
    var records = false
    /// The patterns of the job's `inputs`.
    var inputs: [String]?
    private let environment: [String: String]

    init(
        pages: [String: String] = [:],
        scenes: String,
        settings: WebDriverSettings = WebDriverSettings(scenes: "scenes.yaml"),
        serverSeconds: Double = 120,
        pixelsMax: Int = FarmLimits.picturePixelsMax,
        isolation: Isolation? = nil
    ) throws {
        self.settings = settings
        folder = try TemporaryFolder("stage")
        var environment = ProcessInfo.processInfo.environment
        // Marks this stage's browsers; the folder contains no library.
        environment["LD_LIBRARY_PATH"] = folder.path
        self.environment = environment
        driver = WebDriverDriver(
            environment: environment,
            isolation: isolation,
            serverSeconds: serverSeconds,
            pixelsMax: pixelsMax
        )
        for (name, html) in pages {
            try folder.write(
                name,
                "<!doctype html><meta name=viewport content=width=device-width>" + html
            )
        }
        try folder.write("scenes.yaml", "scenes:\n" + scenes)
    }

    /// Returns this stage with a new driver, as another worker would have.
    func withNewDriver(serverSeconds: Double) -> Stage {
        var stage = self
        stage.driver = WebDriverDriver(environment: environment, serverSeconds: serverSeconds)
        return stage
    }

    static let phone = Device(name: "Phone", os: "1.0", width: 120, height: 80, scale: 2)

    static func cell(_ device: Device = phone, _ variant: [String: String] = [:]) -> Cell {
        Cell(
            id: CellID("cell"),
            device: device,
            variant: variant.sorted { $0.key < $1.key }.map { VariantValue(axis: $0, value: $1) }
        )
    }

    func job(
        _ cell: Cell,
        seconds: Double = 20,
        shardSeconds: Double = 1800,
        timeZone: String = "UTC"
    ) -> Job {
        var settings = settings
        settings.timeZone = timeZone
        var job = Job(
            name: JobName("pictures"),
            kind: .snapshot,
            driver: .webdriver(settings),
            timeouts: JobTimeouts(testSeconds: seconds, shardSeconds: shardSeconds),
            cells: [cell]
        )
        if records { job.reuse = .usual }
        job.inputs = inputs
        return job
    }

    /// Kills this stage's browser processes whose name contains a word.
    func kill(_ program: String) async throws {
        _ = try await forEachProcess(named: program, "kill -9 $pid")
    }

    /// Returns the number of this stage's browser processes.
    func browsers() async throws -> Int {
        try await forEachProcess(named: "chrom", "echo .").split(separator: "\n").count
    }

    /// Returns the number of processes in this stage's folder: those of its servers.
    func processes() async throws -> Int {
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap {
            Int($0) == nil
                ? nil
                : try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd")
        }
        return links.count { $0 == folder.path }
    }

    private func forEachProcess(named word: String, _ action: String) async throws -> String {
        let script = """
            for entry in /proc/[0-9]*; do
              pid=${entry#/proc/}
              grep -qsz "^LD_LIBRARY_PATH=$MARK$" $entry/environ || continue
              grep -qs "$WORD" $entry/comm || continue
              \(action)
            done
            """
        let child = ChildProcess(
            executable: "/bin/sh",
            arguments: ["-c", script],
            environment: ["PATH": "/usr/bin:/bin", "MARK": folder.path, "WORD": word],
            folder: "/"
        )
        let output = Mutex("")
        _ = try await child.run { _, bytes in
            output.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
        return output.withLock { $0 }
    }

    /// Captures scenes by name on one cell.
    func run(
        _ tests: [String],
        on cell: Cell = cell(),
        mode: RunMode = .verify,
        seconds: Double = 20,
        shardSeconds: Double = 1800,
        timeZone: String = "UTC"
    ) async throws -> [TestResult] {
        let folders = LeaseFolders(in: folder.file("shard-" + UUID().uuidString))
        try FileManager.default.createDirectory(
            atPath: folders.lease,
            withIntermediateDirectories: true
        )
        let shard = Shard(
            run: RunID("run"),
            mode: mode,
            job: job(
                cell,
                seconds: seconds,
                shardSeconds: shardSeconds,
                timeZone: timeZone
            ),
            cell: cell,
            tests: tests.map { TestID($0) },
            prepared: [:],
            workTree: folder.path
        )
        let results = Results()
        try await driver.run(shard, folders: folders) { await results.take($0) }
        return await results.list
    }

    private actor Results {
        var list: [TestResult] = []
        func take(_ event: DriverEvent) {
            if case .finished(let result) = event { list.append(result) }
        }
    }
}

extension TestResult {
    /// The bytes of the only picture.
    var picture: Data {
        get throws {
            let path = try #require(captures.first?.path, "\(ending)")
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
    }

    var problem: Problem? {
        if case .errored(let problem) = ending { problem } else { nil }
    }
}
