// `snapfarm mcp`: a server for agents on standard input and output.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmRun

/// `snapfarm mcp`: answers an agent until its input ends.
struct McpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serves runs, changes and pictures to an agent, over standard input and output.",
        discussion: """
            Speaks the Model Context Protocol (tools and resources), and listens on no port. An agent \
            may look, comment and reject. Accepting is for people, and so is starting a run: each \
            needs an option of whoever starts the server, and decisions carry the agent's name.
            """
    )

    @OptionGroup var pipeline: PipelineArgument
    @OptionGroup var options: CoordinatorOptions
    @Option(help: "The data folder that has the runs (default: those of the working folder).")
    var data: String?
    @Flag(help: "Let the agent accept pictures, in its own name.") var allowApprove = false
    @Flag(help: "Let the agent start runs that compare.") var allowRun = false

    func validate() throws {
        guard data == nil || options.coordinator == nil else {
            throw ValidationError("--coordinator or --data: one place at a time.")
        }
    }

    func run() async throws {
        let environment = OwnEnvironment.variables
        let question = RunQuestion(
            file: pipeline.finder.named,
            data: data,
            coordinator: try data == nil
                ? options.url.map { try RemoteCoordinator(url: $0, environment: environment) }
                : nil,
            environment: environment
        )
        var permissions: AgentTools.Permissions = []
        if allowApprove { permissions.insert(.approve) }
        if allowRun { permissions.insert(.run) }
        let output = AgentOutput()
        await AgentServer.serve(
            AgentTools(question, permissions: permissions),
            lines: AgentLines(descriptor: output.input),
            write: { output.write($0) }
        )
    }
}
