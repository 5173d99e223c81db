// `snapfarm refs pin`: shows the work tree's pin, moves it to another set, or converts its form.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

struct RefsPin: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Shows, moves or converts the pin.",
        subcommands: [Show.self, Move.self, Convert.self],
        defaultSubcommand: Show.self
    )

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows the pin."
        )
        @OptionGroup var options: RefsOptions

        private struct Suite: Encodable {
            var path: String
            var object: ObjectID
        }

        private struct Result: Encodable {
            var pinPath: String
            /// The form of the pin: `text`, `gitlink` or `none`.
            var form: String
            var set: ObjectID?
            var url: String?
            var suites: [Suite]

            private enum CodingKeys: String, CodingKey {
                case pinPath = "pin"
                case form
                case set
                case url
                case suites
            }
        }

        func run() throws {
            let place = try options.place()
            let form = try place.pinForm()
            let pin = try place.pin()
            let link = try place.gitlink()
            let result = Result(
                pinPath: place.pinPath,
                form: Self.word(form),
                set: pin.isEmpty ? nil : pin.setID,
                url: link?.url,
                suites: pin.entries.map { Suite(path: $0.path.text, object: $0.object) }
            )
            var lines = link?.lines ?? ["\(result.form) \(place.pinPath)"]
            if link == nil, let set = result.set { lines.append("set \(set)") }
            lines += TextTable.lines(result.suites.map { [$0.object.short, $0.path] })
            try options.show(result, lines: lines)
        }

        private static func word(_ form: PinForm?) -> String {
            switch form {
            case nil: "none"
            case .text: "text"
            case .gitlink: "gitlink"
            }
        }
    }

    struct Move: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move",
            abstract: "Moves the work tree's pin to another set; no set is made."
        )
        @Argument(help: "A set, a commit, a branch or a pin file.") var target: String
        @OptionGroup var options: RefsOptions

        func run() throws {
            let place = try options.place()
            let base = try place.pin()
            let store = try place.store()
            let pin = try place.pin(named: target, in: store)
            let set = try place.store(holding: pin).publish(pin).set
            // The old set may be from another project's store, or pruned.
            let changes = (try? store.diff(base, pin)) ?? ReferenceDiff()
            if pin != base { try place.write(pin, set: set) }
            let moved = AdoptedSet(
                set: set,
                base: base.isEmpty ? nil : base.setID,
                title: changes.title,
                changes: changes,
                pinPath: place.pinPath,
                pinMoved: pin != base
            )
            try options.show(moved, lines: moved.lines)
            place.sayWhatToCommit(moved, in: options.words)
        }
    }

    enum Form: String, CaseIterable, ExpressibleByArgument {
        case text, gitlink
    }

    struct Convert: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "convert",
            abstract: "Turns a text pin into a submodule, or back.",
            discussion: """
                Both forms name the same set. Afterwards `references.pin` of the pipeline file must \
                name the new place, which is staged in the index.
                """
        )
        @Option(name: .customLong("to"), help: "text or gitlink.") var form: Form
        @OptionGroup var options: RefsOptions
        @Option(help: "The submodule's folder, or the text's file, from the root.")
        var path: String?
        @Option(help: "The submodule's URL (default: the store's).") var url: String?
        @Flag(help: "Print the plan and do nothing.") var dryRun = false

        private struct Result: Encodable {
            var plan: [String]
            var done: Bool
            /// The new value of `references.pin`, relative to the root of the repository.
            var pinPath: String

            private enum CodingKeys: String, CodingKey {
                case plan
                case done
                case pinPath = "pin"
            }
        }

        func run() throws {
            let place = try options.place()
            let (main, root) = try place.mainWorkTree()
            let old = try place.pinInRepository(root)
            let new = path ?? (form == .gitlink ? "references" : "snapfarm.refs")
            let plan = try conversion(place, old: old, new: new)
            if !dryRun { try main.apply(plan) }
            try options.show(
                Result(plan: plan.lines, done: !dryRun, pinPath: new),
                lines: plan.lines
            )
            guard !dryRun else { return }
            options.words.say(
                "staged; write `pin: \(new)` into the pipeline's references, and commit."
            )
        }

        private func conversion(
            _ place: ReferencePlace,
            old: String,
            new: String
        ) throws -> PinConversion {
            let link = try place.gitlink()
            switch form {
            case .gitlink:
                guard link == nil else {
                    throw RefsError.badOption("--to gitlink", "the pin is a submodule already")
                }
                let pin = try place.pin()
                return try place.store(holding: pin).conversion(
                    of: pin,
                    at: old,
                    toGitlinkAt: new,
                    url: url ?? place.location.url
                )
            case .text:
                guard let link else {
                    throw RefsError.badOption("--to text", "the pin is a text already")
                }
                return try place.store().conversion(of: link, toTextAt: new)
            }
        }
    }
}
