// `snapfarm farm`: the state of a farm for its operator, what needs a person first.
import ArgumentParser
import FarmAPI
import FarmCore
import FarmRun
import Foundation

struct FarmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "farm",
        abstract: "Shows a farm's state: what needs you, teams, queue, workers, coordinator.",
        discussion: """
            Needs a token with the scope read that reaches all pipelines. The page /farm of the \
            coordinator shows the same.
            """
    )

    @OptionGroup var options: CoordinatorOptions
    @Flag(help: "Print one JSON document.") var json = false

    private struct Document: Encodable {
        var schemaVersion = 1
        var farm: FarmOverview
    }

    func run() async throws {
        let farm = try await options.ask { try await $0.farm() }
        if json { return try FleetOutput.print(Document(farm: farm)) }
        for problem in farm.needs { Console.print("! \(problem.message) \(problem.remedy)\n") }
        if farm.needs.isEmpty { Console.print("Nothing needs you.\n") }
        FleetOutput.print(
            table: farm.teams.map { line in
                [
                    "team \(line.team)", Self.of(line.openRuns, line.quota?.runs) + " open runs",
                    Self.of(line.waiting, line.quota?.tests) + " test cases wait",
                    line.leases == 1 ? "1 lease" : "\(line.leases) leases",
                    line.keptText.map { "\($0) kept" } ?? "",
                ]
            }
        )
        FleetOutput.print(
            table: farm.queue.map { ["queue", $0.pipeline, $0.cell.text, "\($0.waiting)"] }
        )
        FleetOutput.print(
            table: farm.workers.map { line in
                ["worker \(line.worker)", line.state.rawValue, Self.words(line)]
            }
        )
        FleetOutput.print(
            table: farm.launchers.map { line in
                [
                    "launcher \(line.launcher)", "\(line.live) live", "\(line.coming) coming",
                    "\(line.failed) failed",
                ]
            }
        )
    }

    private static func of(_ number: Int, _ limit: Int?) -> String {
        limit.map { "\(number) of \($0)" } ?? "\(number)"
    }

    private static func words(_ line: FarmOverview.WorkerLine) -> String {
        guard let lease = line.lease else { return line.problem?.message ?? "seen \(line.seen)" }
        let test = lease.test.map { ": \($0)" } ?? ""
        return "\(lease.pipeline) \(lease.job) \(lease.cell) for \(lease.seconds) s\(test)"
    }
}
