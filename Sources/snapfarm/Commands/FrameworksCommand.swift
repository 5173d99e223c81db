// `snapfarm frameworks`: the profiles of snapshot frameworks, as the YAML that the farm itself
// reads.
import ArgumentParser
import FarmCore
import FarmPipeline
import FarmRun
import Foundation

/// `snapfarm frameworks`: the profiles that `framework:` of a job can name.
struct FrameworksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frameworks",
        abstract: "Lists the snapshot frameworks that `framework:` of a job can name.",
        subcommands: [FrameworksList.self, FrameworksShow.self],
        defaultSubcommand: FrameworksList.self
    )
}

/// `snapfarm frameworks list`: prints a line for each framework.
struct FrameworksList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists them."
    )

    func run() throws {
        let profiles = FrameworkCatalog.profiles
        let width = profiles.map(\.name.count).max() ?? 0
        for profile in profiles {
            let name = profile.name.padding(toLength: width, withPad: " ", startingAt: 0)
            Console.print("\(name)  \(profile.about)")
        }
    }
}

/// `snapfarm frameworks show NAME`: prints the profile's YAML; for a user's own file, also its
/// mistakes.
struct FrameworksShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints a profile, to be copied and changed.",
        discussion: "A file of your own is checked: every mistake is named with its line."
    )

    @Argument(help: "A name of the list, or the path of a profile of your own.")
    var name: String

    func run() throws {
        let choice = FrameworkChoice(folder: FileManager.default.currentDirectoryPath)
        guard try choice.profile(name) != nil, let text = try choice.text(name) else {
            throw UnknownFramework(name: name, known: choice.names)
        }
        Console.print(text)
    }
}

/// The error of an unknown framework's name.
private struct UnknownFramework: ExplainedError {
    let name: String
    let known: [String]

    var code: String { "unknown-framework" }
    var message: String { "unknown framework \"\(name)\"." }
    var remedy: String {
        (nearest(name, among: known).map { "Did you mean \"\($0)\"? " } ?? "")
            + "Known: \(known.joined(separator: ", ")); a file of your own ends in .yaml."
    }
    var exit: FarmCore.ExitCode { .invalidInput }
}
