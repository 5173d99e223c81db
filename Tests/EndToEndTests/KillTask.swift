// Processes that publish and are killed by a test before a step: for `approve --commit`, and for a
// coordinator's page.
import FarmCore
import FarmRun
import FarmTesting
import Foundation
import Testing

/// The task of a process that will die during a publication.
enum KillTask {
    static let key = "SNAPFARM_TEST_KILL_TASK"

    enum Kind: String {
        /// `approve --commit`: pipeline file, output folder of the run, branch.
        case approve
        /// `serve`: configuration file.
        case serve
    }

    /// The task in the environment, or `nil` in every process but the victim.
    static var given: (kind: Kind, step: PublishStep, words: [String])? {
        let lines = ProcessInfo.processInfo.environment[key]?.components(separatedBy: "\n") ?? []
        guard lines.count > 2, let kind = Kind(rawValue: lines[0]),
            let step = PublishStep(rawValue: lines[1])
        else { return nil }
        return (kind, step, Array(lines.dropFirst(2)))
    }

    /// Starts this test program again to run only the victim.
    static func start(
        _ kind: Kind,
        until step: PublishStep,
        _ words: [String],
        environment extra: [String: String] = [:],
        in folder: String
    ) throws -> TestProcess {
        var program = CommandLine.arguments
        for option in ["--filter", "--skip"] {
            while let index = program.firstIndex(of: option) {
                program.removeSubrange(index..<min(index + 2, program.count))
            }
        }
        var environment = ProcessInfo.processInfo.environment.merging(extra) { _, new in new }
        environment[key] = ([kind.rawValue, step.rawValue] + words).joined(separator: "\n")
        return try TestProcess(
            program + ["--filter", "KilledPublication"],
            environment: environment,
            in: folder
        )
    }
}

@Suite("A publication in a process of its own", .enabled(if: KillTask.given != nil))
struct KilledPublication {
    @Test("goes on until a step and dies")
    func die() async throws {
        let task = try #require(KillTask.given)
        let before: @Sendable (PublishStep) -> Void = { step in
            if step == task.step { kill(getpid(), SIGKILL) }
        }
        switch task.kind {
        case .approve:
            var request = ReviewRequest(
                .from(task.words[1]),
                environment: ProcessInfo.processInfo.environment
            )
            request.file = task.words[0]
            request.reason = "blue"
            request.target = .branch(task.words[2], repository: nil)
            let session = try await ReviewSession.open(request)
            _ = try await session.approve(ApprovalOptions(), now: Date(), before: before)
        case .serve:
            let configuration = try CoordinatorConfiguration(file: task.words[0], data: nil)
            try await CoordinatorProcess(
                configuration: configuration,
                listen: try #require(configuration.settings.listen),
                isInsecure: false,
                logFormat: .json,
                environment: ProcessInfo.processInfo.environment,
                before: before
            ).run()
        }
    }
}
