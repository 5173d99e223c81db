// `snapfarm refs merge`: merges two pins over their common base: those of an unfinished Git merge,
// or else the work tree's and a branch's.
import ArgumentParser
import FarmCore
import FarmFiles
import FarmReferences
import FarmRun
import Foundation

struct RefsMerge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merges two pins, picture by picture.",
        discussion: """
            Without a branch it goes on with the unfinished `git merge` of this work tree. A \
            picture that both sides changed is listed with the commands that decide; decisions \
            are remembered until the merge is done. Patterns may hold *. \
            Exit 1: pictures are left to decide.
            """
    )

    @Argument(help: "A branch or commit to merge with.") var branch: String?
    @OptionGroup var options: RefsOptions
    @Option(help: "The commit both come from (default: Git's merge base).") var base: String?
    @Option(help: "Take our picture; may be repeated.") var takeOurs: [String] = []
    @Option(help: "Take their picture; may be repeated.") var takeTheirs: [String] = []
    @Option(help: "Take the picture both had before; may be repeated.") var takeBase: [String] = []
    @Option(help: "Write the pictures in conflict into this folder.") var pictures: String?
    @Flag(help: "Decide and print, but do not move the pin.") var dryRun = false

    private struct Result: Encodable {
        var merge: PinMerge
        var set: ObjectID?
        var pictures: [ConflictPictures]?
    }

    func run() throws {
        let place = try options.place()
        let (main, root) = try place.mainWorkTree()
        let sides = try sides(place, main, root)
        let store = try place.store()
        try fetch(sides, place)
        let choices = try MergeChoices(sides, root: root, environment: place.environment)
        let all = choices.remembered + chosen
        let merge = try store.merge(
            base: sides.base,
            ours: sides.ours,
            theirs: sides.theirs,
            choices: all
        )
        var result = Result(merge: merge)
        if let pictures, !merge.isClean {
            result.pictures = try store.writePictures(
                of: merge.conflicts,
                to: PipelineSource.absolute(pictures)
            )
        }
        if !dryRun {
            if merge.isClean {
                let set = try store.publish(merge.pin).set
                try place.write(merge.pin, set: set)
                choices.forget()
                result.set = set
            } else {
                try choices.remember(all)
            }
        }
        try options.show(result, lines: Self.lines(result))
        guard merge.isClean else { throw ArgumentParser.ExitCode(ExitCode.differences.rawValue) }
        guard !dryRun else { return }
        let words = options.words
        place.sayWhatIsStale(in: words)
        let add = "git add \(try place.pinInRepository(root))"
        words.say("merged; next: \(add)\(place.isRemote ? " && snapfarm refs push" : "")")
        if branch == nil, let driver = try place.mergeDriver(), !driver.isComplete {
            words.say(
                "Git does this by itself where the clone has the merge driver: snapfarm refs init"
            )
        }
    }

    private var chosen: [MergeChoice] {
        takeOurs.map { MergeChoice(.ours, of: $0) }
            + takeTheirs.map { MergeChoice(.theirs, of: $0) }
            + takeBase.map { MergeChoice(.base, of: $0) }
    }

    private func sides(
        _ place: ReferencePlace,
        _ main: MainRepository,
        _ root: String
    ) throws -> MergeSides {
        let path = try place.pinInRepository(root)
        let store = try place.store()
        guard let branch else {
            guard let stages = try main.conflict(path) else {
                throw RefsError.nothingToMerge(place.pinPath)
            }
            return MergeSides(
                base: try store.pin(of: stages.base),
                ours: try store.pin(of: stages.ours),
                theirs: try store.pin(of: stages.theirs)
            )
        }
        let other = try main.commit(branch)
        let common = try base.map(main.commit) ?? main.mergeBase(main.commit("HEAD"), other)
        return MergeSides(
            base: try store.pin(of: try common.flatMap { try main.pin(path, at: $0) }),
            ours: try place.pin(),
            theirs: try store.pin(of: try main.pin(path, at: other))
        )
    }

    /// Fetches what the other side recorded, if the clone of a remote store, or a folder with a
    /// remote, lacks it.
    ///
    /// Calls no host if nothing is missing.
    private func fetch(_ sides: MergeSides, _ place: ReferencePlace) throws {
        guard let far = try place.remote(named: nil, .own(place.environment)) else { return }
        for pin in [sides.base, sides.ours, sides.theirs] where !pin.isEmpty {
            _ = try far.fetch(pin)
        }
    }

    private static func lines(_ result: Result) -> [String] {
        let merge = result.merge
        var lines = merge.conflicts.flatMap(\.lines) + merge.renderers.map(\.line)
        for written in result.pictures ?? [] {
            lines += [written.base, written.ours, written.theirs].compactMap(\.self)
        }
        let suites = Amount.count(merge.mergedSuites.count, "suite")
        let rest = Amount.count(merge.conflicts.count, "picture")
        lines.append(
            merge.isClean
                ? "merged \(suites) picture by picture, \(merge.chosen.count) decided by hand"
                : "\(rest) changed on both sides: decide with one of its commands"
        )
        if let set = result.set { lines.append("set \(set)") }
        return lines
    }
}
