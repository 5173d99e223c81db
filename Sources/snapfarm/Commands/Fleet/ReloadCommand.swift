// `snapfarm reload`: makes the coordinator of this machine read its settings again.
import ArgumentParser
import FarmRun

struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract:
            "Lets the coordinator of this machine read its settings again, without a restart.",
        discussion: """
            Certificate, tokens, stores, repositories and launchers are read, all or none of them. \
            Says what has changed, or why nothing was reloaded. The same as SIGHUP to the coordinator.
            """
    )

    @OptionGroup var place: CoordinatorPlace

    func run() async throws {
        let lines = try await ReloadRequest(data: try place.configuration().data).reload()
        Console.print("Reloaded.")
        for line in lines { Console.print("  " + line) }
    }
}
