// `snapfarm watch`: runs the tests whose files were saved, and shows what they made on one page.
// Coordinator, workers and browsers stay for all runs. All state is in a temporary folder of its
// own, so that other commands use the data folder meanwhile; decisions go to that data folder.
import FarmCore
import FarmDrivers
import FarmServer
import Foundation
import Logging

/// The options of `snapfarm watch`.
package struct WatchRequest: Sendable {
    /// The path of the pipeline file.
    let file: String
    let select: [String]
    let workers: WorkerCount?
    /// The data folder that keeps decisions, or `nil` for that of the pipeline file.
    let data: String?
    let opensBrowser: Bool
    let environment: [String: String]

    package init(
        file: String,
        select: [String],
        workers: WorkerCount?,
        data: String?,
        opensBrowser: Bool,
        environment: [String: String]
    ) {
        self.file = file
        self.select = select
        self.workers = workers
        self.data = data
        self.opensBrowser = opensBrowser
        self.environment = environment
    }

    /// Returns the request for runs whose state is in a folder.
    fileprivate func run(in folder: String) -> RunRequest {
        RunRequest(
            file: file,
            mode: .verify,
            select: select,
            workers: workers,
            output: folder + "/out",
            data: folder,
            port: 0,
            resumes: false,
            rules: RunRules(),
            printsJSON: false,
            isQuiet: true,
            environment: environment
        )
    }

    /// Returns the request for the review of what the runs found.
    func review(_ source: PipelineSource) -> ReviewRequest {
        var review = ReviewRequest(.run("watch"), environment: environment)
        review.file = file
        review.data = data ?? source.folder + "/.snapfarm"
        return review
    }
}

/// Runs what is saved, until Ctrl-C.
package struct Watch: Sendable {
    private let request: WatchRequest

    package init(_ request: WatchRequest) { self.request = request }

    /// Watches until Ctrl-C or SIGTERM, which are its usual end.
    ///
    /// - Throws: The errors of a run that cannot begin: a pipeline file that cannot be read, or a
    ///   store that is missing. Later ones are shown, and the watch goes on.
    package func run() async throws {
        let folder = try OwnedFolder("watch")
        defer { folder.remove() }
        let local = LocalRun(request.run(in: folder.path))
        let (source, selection) = try local.asked()
        let data = try DataFolder(folder.path)
        LocalRun.removeLeftovers(in: data)
        let prepared = try local.prepare(source, selection, in: data)
        if let fact = try prepared.references?.missingPin() { Console.say(fact) }
        // A review needs the folder of decisions; it may be busy, because others use it meanwhile.
        _ = try? DataFolder(ReviewSession.data(request.review(source), source))
        let tree = try WatchedTree(source.folder, skipping: skipped(prepared))
        let files = Amount.count(tree.count, "file")
        Console.say("watching \(files) in \(source.folder); Ctrl-C ends.")
        let drivers = DriverCatalog(environment: request.environment)
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await StopSignals.watched { stops in
                    try await local.serving(prepared, stops, warm: true) { farm in
                        let session = WatchSession(request, local, farm, drivers, tree)
                        try await watch(session, farm, stops)
                    }
                }
            )
        } catch {
            result = .failure(error)
        }
        await drivers.shutDown()
        try result.get()
        Console.say("The watch has ended.")
    }

    /// Runs the session beside its page and its workers, until one of them ends or a signal comes.
    private func watch(
        _ session: WatchSession,
        _ farm: EmbeddedFarm,
        _ stops: AsyncStream<ExitCode>
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await farm.workers.run() }
            group.addTask { for await _ in stops { return } }
            group.addTask {
                var session = session
                try await session.loop()
            }
            group.addTask { try await serve(session.page.value) }
            defer { group.cancelAll() }
            try await group.next()
            group.cancelAll()
            // The workers end their browsers; what they throw now is that they were stopped.
            while await group.nextResult() != nil {}
        }
    }

    private func serve(_ page: LocalPage) async throws {
        let request = request
        try await page.serve(idleSeconds: FarmLimits.watchIdleSeconds, signals: []) { address in
            Console.say("Open this address in one browser; it shows what you save:")
            Console.print(address + "\n")
            if request.opensBrowser { Desktop(request.environment).open(address) }
        }
    }

    /// Returns the rule for paths that are not watched.
    ///
    /// They are what snapfarm writes, what `pathsIgnore` names, and the folders that Git ignores. A
    /// file that a test reads is watched all the same.
    private func skipped(_ prepared: PreparedRun) -> @Sendable (String) -> Bool {
        let source = prepared.source
        let inputs = RunInputs(
            root: source.folder,
            own: [
                source.folder + "/.snapfarm", source.folder + "/snapfarm-out", request.data,
                prepared.references?.location.localPath,
            ].compactMap(\.self),
            pipelineFile: source.file,
            ignored: source.pipeline.pathsIgnore,
            environment: request.environment
        )
        let leavesOut = inputs.leavesOut
        let git = GitCommand(folder: source.folder, environment: request.environment)
        // Outside of a repository it lists nothing.
        let listed = try? git.result(of: [
            "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory",
        ]).0.output
        let folders = Set(
            (listed ?? "").split(separator: "\0").filter { $0.hasSuffix("/") }
                .map { String($0.dropLast()) }
        )
        return { folders.contains($0) || leavesOut($0) }
    }
}
