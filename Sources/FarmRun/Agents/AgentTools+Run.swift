// The tool that starts a run: a child process, because `run` prints, handles signals and ends its
// process by itself.
import FarmCore
import FarmDrivers
import FarmReports
import Foundation

extension AgentTools {
    /// The end of a run that an agent started, as the answer says it; version 1.
    private struct Ended: Encodable {
        var schemaVersion = 1
        /// The exit code: 0 passed, 1 pictures differ or tests failed, 2 incomplete.
        var exitCode: Int32?
        /// The last lines that the run printed.
        var says: [String]
    }

    /// Runs the pipeline to its end, and returns what it said.
    ///
    /// It only compares: a record run would make every picture a reference.
    func start(_ call: AgentCall) async throws -> AgentAnswer {
        let select = try call.list("select")
        let words = words(select)
        guard permissions.contains(.run) else {
            let command = (["snapfarm"] + words.map(RunWords.word)).joined(separator: " ")
            throw AgentRefusal.run(command: command)
        }
        try await shelf.begin()
        let result: Result<AgentAnswer, any Error>
        do { result = .success(try await child(words)) } catch { result = .failure(error) }
        await shelf.end()
        return try result.get()
    }

    private func words(_ select: [String]) -> [String] {
        let options = [
            ("pipeline", question.file), ("data", question.data),
            ("coordinator", question.coordinator?.url),
        ]
        // Each option is one word, so that the parser takes no value for an option.
        return ["run"] + options.compactMap { name, value in value.map { "--\(name)=\($0)" } }
            + select.map { "--select=\($0)" }
    }

    private func child(_ words: [String]) async throws -> AgentAnswer {
        var child = ChildProcess(
            executable: try WorkerPool.program(),
            arguments: words,
            environment: question.environment,
            folder: FileManager.default.currentDirectoryPath
        )
        child.joinsOutputs = true
        child.graceSeconds = FarmLimits.workerGraceSeconds
        let tail = OutputTail()
        let ending = try await child.run { _, bytes in tail.append(bytes) }
        var ended = Ended(says: [])
        if case .exited(let code) = ending { ended.exitCode = code }
        ended.says = tail.text.split(separator: "\n").suffix(FarmLimits.agentOutputLines)
            .map { TerminalText.shown(String($0)) }
        return try AgentAnswer(ended)
    }
}
