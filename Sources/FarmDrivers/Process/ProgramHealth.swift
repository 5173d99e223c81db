// Checks that the programs of a job's commands exist, before a run needs them.
import FarmCore

/// A command of a job, for the health check.
struct HealthCommand {
    let job: Job
    /// The key of the job that has the command, such as `run`.
    let key: String
    /// The command, for /bin/sh.
    let command: String
    let environment: [String: String]

    /// Checks that each command's program exists; lists each program once.
    static func check(_ commands: [HealthCommand], in workTree: String) -> HealthCheck {
        HealthCheck("commands") {
            var seen: Set<String> = []
            return commands.compactMap { command in
                let line = command.line(in: workTree)
                return seen.insert(line.subject + line.fact).inserted ? line : nil
            }
        }
    }

    private func line(in workTree: String) -> HealthLine {
        guard let program = ProgramWord.first(of: command) else {
            return .ok("job \(job.name)", "`\(key)` begins with the shell; not looked at")
        }
        let child = ChildProcess(
            executable: program,
            arguments: [],
            environment: environment,
            folder: workTree
        )
        do {
            return .ok("job \(job.name)", "\(program) is \(try child.resolvedProgram())")
        } catch {
            return .failure("job \(job.name)", error)
        }
    }
}
