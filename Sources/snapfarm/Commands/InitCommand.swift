// `snapfarm init`: proposes a pipeline file for the repository, and writes it with consent.
import ArgumentParser
import FarmCore
import FarmPipeline
import FarmRun
import Foundation

/// `snapfarm init`: reads a repository and proposes a setup for snapfarm.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Proposes a pipeline file for your repository, and writes it when you agree.",
        discussion: """
            Looks for Xcode projects, Swift packages, fastlane's devices, web pages, Storybook, \
            Playwright, jest, Maestro, pytest, Gradle's screenshot tools, reference pictures and CI \
            files. Shows each file before it is written. Changes no file that is there; .gitignore gets \
            lines at its end. What is guessed is marked.
            """
    )

    @Argument(help: "The repository's root.") var folder = "."
    @Flag(help: "Also write a file that tells agents how to use snapfarm.") var skill = false
    @Flag(help: "Write the files without asking.") var yes = false

    func run() throws {
        let setup = try RepositorySetup(folder: folder, withSkill: skill)
        Console.print(setup.text())
        guard !setup.proposal.isEmpty else { throw SetupError.nothing }
        guard yes || Consent.answer(to: "Write these files?") == true else {
            let command = "snapfarm init\(skill ? " --skill" : "") --yes"
            return Console.print("Nothing is written. To write it: \(command)")
        }
        try setup.write()
        Console.print("Written. Next:")
        for line in setup.proposal.next { Console.print("  \(line)") }
    }
}
