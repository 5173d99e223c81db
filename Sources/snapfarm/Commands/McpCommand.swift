// `snapfarm mcp`: a server for agents on standard input and output.
import ArgumentParser
import FarmCore
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
    @OptionGroup var place: RunPlaceOptions
    @Flag(help: "Let the agent accept pictures, in its own name.") var allowApprove = false
    @Flag(help: "Let the agent start runs that compare.") var allowRun = false

    func run() async throws {
        let question = try place.question(file: pipeline.finder.named)
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
