// The one program people run: one file per subcommand in Commands/, the flow of a run in Run/.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import FarmTerminal
import Foundation

/// The farm's; `ArgumentParser.ExitCode` ends a command that has said all it has to say.
typealias ExitCode = FarmCore.ExitCode

@main
struct Snapfarm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapfarm",
        abstract: "Runs snapshot and unit tests on a farm of workers.",
        discussion: """
            Exit codes: 0 passed or recorded, 1 differences or failed tests, 2 run incomplete, \
            64 usage, 65 input invalid, 69 coordinator unreachable, 70 internal, 74 I/O, \
            75 busy (try again), 78 configuration, 130/143 signals.
            """,
        version: ProgramVersion.text,
        subcommands: [
            InitCommand.self, DoctorCommand.self, RunCommand.self, BuildCommand.self,
            PlanCommand.self,
            ListCommand.self, MergeCommand.self, CompareCommand.self,
            ReviewCommand.self, ApproveCommand.self, RejectCommand.self, RefsCommand.self,
            CheckCommand.self,
            ServeCommand.self, WorkerCommand.self, TokensCommand.self, InviteCommand.self,
            RunsCommand.self, ReloadCommand.self, BackupCommand.self, RestoreCommand.self,
            LedgerCommand.self,
            WorkersCommand.self, WhyCommand.self, CancelCommand.self, ArtifactsCommand.self,
            FrameworksCommand.self, SchemaCommand.self,
        ]
    )

    static func main() async {
        // A reader that went away is an error of that write, not the end of the program.
        signal(SIGPIPE, SIG_IGN)
        // Before anything else starts, so that no child finds a secret in this process's block.
        _ = OwnEnvironment.variables
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as any ExplainedError {
            Console.explain(error)
            Foundation.exit(error.exit.rawValue)
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            Console.explain(OutputError.full(reason: error.localizedDescription))
            Foundation.exit(ExitCode.inputOutput.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
