// `snapfarm refs hook`: checks out references again when a branch is switched.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun

struct RefsHook: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hook",
        abstract: "Installs or removes this clone's post-checkout hook.",
        subcommands: [Install.self, Remove.self]
    )

    struct Result: Encodable {
        var path: String
        var changed: Bool
    }

    struct Install: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install",
            abstract: "Runs `snapfarm refs checkout` after each switch of branches."
        )
        @OptionGroup var options: RefsOptions

        func run() throws {
            let git = try options.place().workTree()
            let changed = try git.installHook()
            let word = changed ? "installed" : "is there already"
            try options.show(
                Result(path: git.hookPath, changed: changed),
                lines: ["\(git.hookPath): \(word)"]
            )
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Removes the hook, if it is ours."
        )
        @OptionGroup var options: RefsOptions

        func run() throws {
            let git = try options.place().workTree()
            let changed = try git.removeHook()
            let word = changed ? "removed" : "was not there"
            try options.show(
                Result(path: git.hookPath, changed: changed),
                lines: ["\(git.hookPath): \(word)"]
            )
        }
    }
}
