// A Mac in a folder: the stand-ins for Apple's tools, an app with tests, and the driver that runs
// them. Nothing here is Apple's; the stand-ins behave as Xcode's documentation says and keep a
// trace.
import FarmCore
import FarmTesting
import Foundation
import Synchronization

@testable import FarmDrivers

final class XcodeMac: Sendable {
    let folder: TemporaryFolder
    let driver: XcodeDriver
    let environment: [String: String]
    private let timing: XcodeTiming
    let settings = XcodeSettings(workspace: "Shop.xcworkspace", scheme: "Shop")
    private let count = Mutex(0)

    /// Makes a Mac.
    ///
    /// `tests` is a JSON list of the tests in the target ShopTests; `plan` adds keys to its plan.
    /// `owner` is the mark of the process that owns the driver's simulators; they are deleted after
    /// its end. `variables` are added to the environment.
    init(
        tests: String,
        machine: String = "{}",
        plan: String? = nil,
        timing: XcodeTiming? = nil,
        owner: String = ProcessMark.own,
        variables: [String: String] = [:]
    ) async throws {
        folder = try TemporaryFolder("mac")
        try folder.write("machine.json", machine)
        environment = variables.merging([
            "PATH": folder.file("mac/bin") + ":/usr/bin:/bin", "HOME": folder.file("home"),
            "SNAPFARM_XCODES": folder.file("mac/Applications"), "CI_SECRET": "secret",
        ]) { given, _ in given }
        var quick = XcodeTiming()
        quick.listPauseSeconds = 0.01
        quick.staggerSeconds = 0.01
        quick.springBoardPauseSeconds = 0.01
        self.timing = timing ?? quick
        driver = XcodeDriver(
            environment: environment,
            timing: self.timing,
            owner: owner
        )
        let standIn = (#filePath as NSString).deletingLastPathComponent + "/../../XcodeStandIn"
        _ = try await call(
            standIn + "/bin/standin-install",
            [folder.file("mac"), folder.file("machine.json")]
        )
        try write(tests: tests, plan: plan)
    }

    /// Replaces the sources for the next build.
    func write(tests: String, plan: String? = nil) throws {
        let plans = plan.map { #", "testPlans": {"Shop": {\#($0)}}"# } ?? ""
        let project = """
            {"schemes": {"Shop": {"targets": ["ShopTests"]\(plans)}},
             "targets": {"ShopTests": {"kind": "unit", "host": "Shop", "tests": \(tests)}}}
            """
        try folder.write("tree/Shop.xcworkspace/standin.json", project)
    }

    /// Returns the driver of a process that starts later.
    func nextDriver(owner: String = ProcessMark.own) -> XcodeDriver {
        XcodeDriver(environment: environment, timing: timing, owner: owner)
    }

    var workTree: String { folder.file("tree") }

    func trouble(_ entries: String) throws { try folder.write("mac/trouble.json", entries) }

    /// Returns the calls so far; see `standin-trace`.
    func trace(_ arguments: [String] = []) async throws -> String {
        let text = try await call(
            folder.file("mac/bin/standin-trace"),
            ["--name", "$TREE=" + workTree, "--name", "$TEST=" + folder.path] + arguments
        )
        return text
    }

    func counts() async throws -> [String: Int] {
        let lines = try await trace(["--counts"]).split(separator: "\n")
        return lines.reduce(into: [:]) { counts, line in
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            if parts.count == 2 { counts[String(parts[1])] = Int(parts[0]) }
        }
    }

    /// Returns the events of one kind, in order.
    func events(_ kind: String) throws -> [[String: Any]] {
        try events().filter { $0["event"] as? String == kind }
    }

    /// Returns all events, in order.
    func events() throws -> [[String: Any]] {
        let text = try String(contentsOfFile: folder.file("mac/trace.jsonl"), encoding: .utf8)
        return try text.split(separator: "\n").compactMap { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
    }

    /// Returns the names of the existing simulators.
    func simulators() async throws -> [String] {
        let text = try await call(folder.file("mac/bin/xcrun"), ["simctl", "list", "--json"])
        let list = SimulatorList(Data(text.utf8))
        return (list?.devices.values.flatMap(\.self) ?? []).map(\.name).sorted()
    }

    func simctl(_ words: String...) async throws {
        _ = try await call(folder.file("mac/bin/xcrun"), ["simctl"] + words)
    }

    /// Builds like another step of a CI, into the folder `Shop.xctestproducts` of the work tree.
    func buildTestProducts() async throws {
        var child = ChildProcess(
            executable: folder.file("mac/bin/xcodebuild"),
            arguments: [
                "build-for-testing", "-scheme", "Shop", "-testProductsPath",
                folder.file("tree/Shop.xctestproducts"), "-derivedDataPath", folder.file("derived"),
            ],
            environment: environment,
            folder: workTree
        )
        child.timeLimitSeconds = 60
        let output = OutputTail(limit: 1 << 20)
        let ending = try await child.run { _, bytes in output.append(bytes) }
        guard ending == .exited(0) else { throw StandInFailed(text: output.text) }
    }

    private func call(_ program: String, _ arguments: [String]) async throws -> String {
        let child = ChildProcess(
            executable: program,
            arguments: arguments,
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"],
            folder: folder.path
        )
        let output = OutputTail(limit: 4 << 20)
        let ending = try await child.run { _, bytes in output.append(bytes) }
        guard ending == .exited(0) else { throw StandInFailed(text: output.text) }
        return output.text
    }

    struct StandInFailed: Error { var text: String }

    // MARK: calls of a farm

    func job(
        kind: JobKind = .unit,
        judge: Judge = .farm,
        timeouts: JobTimeouts = JobTimeouts(),
        cells: [Cell] = [XcodeMac.cell("iPhone 16", "18.5")]
    ) -> Job {
        var job = Job(
            name: JobName("job"),
            kind: kind,
            driver: .xcodebuild(settings),
            judge: judge,
            timeouts: timeouts,
            cells: cells
        )
        job.env = ["GIVEN": "by the job"]
        return job
    }

    func discover(
        _ job: Job,
        _ settings: XcodeSettings? = nil,
        driver: XcodeDriver? = nil
    ) async throws -> Discovery {
        let scratch = folder.file("scratch")
        try FileManager.default.createDirectory(
            atPath: scratch,
            withIntermediateDirectories: true
        )
        var job = job
        if let settings { job.driver = .xcodebuild(settings) }
        return try await (driver ?? self.driver).discover(
            job: job,
            workTree: workTree,
            scratch: scratch
        )
    }

    /// Returns the log of a lease; the first has number 1.
    func log(ofLease number: Int = 1) throws -> String {
        let path = LeaseFolders(in: folder.file("lease\(number)")).log
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    /// Runs tests, or all of them if `tests` is `nil`, in a lease of their own.
    ///
    /// `heard` contains the reported events even if the call throws.
    @discardableResult
    func run(
        _ job: Job,
        _ discovery: Discovery,
        tests: [String]? = nil,
        mode: RunMode = .verify,
        cell: Cell? = nil,
        driver: XcodeDriver? = nil,
        references: [String: Data] = [:],
        heard: Heard = Heard()
    ) async throws -> Heard {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let folders = LeaseFolders(in: folder.file("lease\(number)"))
        for path in [folders.captures, folders.failureDiffs, folders.snapshotArtifacts] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        for (name, bytes) in references {
            try folder.write("lease\(number)/lease/ReferenceImages_64/\(name)", bytes)
        }
        let shard = Shard(
            run: RunID("run"),
            mode: mode,
            job: job,
            cell: cell ?? job.cells[0],
            tests: tests.map { $0.map { TestID($0) } } ?? discovery.tests,
            prepared: discovery.prepared,
            workTree: workTree
        )
        try await (driver ?? self.driver).run(shard, folders: folders) { event in
            heard.take(event)
        }
        return heard
    }

    static func cell(_ name: String, _ os: String, _ variant: [String: String] = [:]) -> Cell {
        let device = Device(name: name, os: os, width: 393, height: 852, scale: 3)
        let values = variant.sorted { $0.key < $1.key }.map {
            VariantValue(axis: $0.key, value: $0.value)
        }
        return Cell(
            id: Matrix.cellID(device: device, variant: values),
            device: device,
            variant: values
        )
    }
}
