// The program `snapfarm`: a file per subcommand in Commands/. The flows are in FarmRun.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun
import Foundation

/// The farm's exit codes; `ArgumentParser.ExitCode` ends a command that has printed everything.
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
            ListCommand.self, MergeCommand.self, JudgeCommand.self, ReportCommand.self,
            QuarantineCommand.self, IgnoreCommand.self,
            CompareCommand.self,
            ShowCommand.self, ReviewCommand.self, WatchCommand.self, ApproveCommand.self,
            RejectCommand.self,
            RefsCommand.self,
            CheckCommand.self,
            ServeCommand.self, WorkerCommand.self, TokensCommand.self, InviteCommand.self,
            RunsCommand.self, AuditCommand.self, FarmCommand.self, ReloadCommand.self,
            BackupCommand.self,
            RestoreCommand.self,
            LedgerCommand.self,
            WorkersCommand.self, WhyCommand.self, CancelCommand.self, ArtifactsCommand.self,
            McpCommand.self, FrameworksCommand.self, SchemaCommand.self,
        ]
    )

    static func main() async {
        // A closed pipe is then an error of that write, and does not end the program.
        signal(SIGPIPE, SIG_IGN)
        // First of all, so that no child process finds a secret in this process's environment
        // block.
        _ = OwnEnvironment.variables
        var command = parseOrExit()
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as any ExplainedError {
            end(error)
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            end(OutputError.full(reason: error.inWords))
        } catch let error as CocoaError {
            end(UnexplainedError(reason: error.inWords, exit: .inputOutput))
        } catch let error where isOfArgumentParser(error) {
            exit(withError: error)
        } catch {
            end(UnexplainedError(reason: error.inWords, exit: .internal))
        }
    }

    /// Parses the command line, or ends the program with a usage message.
    private static func parseOrExit() -> any ParsableCommand {
        do { return try parseAsRoot() } catch { exit(withError: error) }
    }

    /// Whether the error is a usage error, an exit code or a request for help; some of their types
    /// are not public.
    private static func isOfArgumentParser(_ error: any Error) -> Bool {
        String(reflecting: type(of: error)).hasPrefix("ArgumentParser.")
    }

    private static func end(_ error: any ExplainedError) -> Never {
        Console.explain(error)
        Foundation.exit(error.exit.rawValue)
    }
}

/// An error of the system or of a library that no command explains.
///
/// ArgumentParser would end the program with 1, which means that pictures differ.
private struct UnexplainedError: ExplainedError {
    let reason: String
    let exit: ExitCode

    var code: String { exit == .internal ? "internal" : "file-io-failed" }
    var message: String { "\(reason)." }
    var remedy: String {
        exit == .internal
            ? "Report this fault with the command that shows it."
            : "Check the path and its folder's rights, and that nothing else has that name."
    }
}
