// `snapfarm refs merge-driver %O %A %B`: called by Git. Exit code 0 is a merge and 1 a conflict.
// Git takes any other code for a crash of the driver, so none is used.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun

struct RefsMergeDriver: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge-driver",
        abstract: "Git's merge driver for pins; installed by `refs init`.",
        shouldDisplay: false
    )

    @Argument(help: "The file of the common ancestor.") var base: String
    @Argument(help: "Our file, which becomes the result.") var ours: String
    @Argument(help: "Their file.") var theirs: String
    @OptionGroup var options: RefsOptions

    func run() throws {
        do {
            let place = place()
            let outcome = try MergeDriver.run(
                base: base,
                ours: ours,
                theirs: theirs,
                store: place.flatMap(store)
            )
            for note in outcome.notes { Console.say(note) }
            if outcome.exit == 0, place?.isRemote == true, outcome.merge != nil {
                Console.say("snapfarm: merged picture by picture; next: snapfarm refs push")
            }
            if outcome.exit != 0 { throw ArgumentParser.ExitCode(outcome.exit) }
        } catch let error as any ExplainedError {
            Console.explain(error)
            throw ArgumentParser.ExitCode(1)
        }
    }

    /// Returns the place, or `nil` if there is none: suites that only one side changed merge
    /// without a store.
    private func place() -> ReferencePlace? { explaining { try options.place() } }

    private func store(of place: ReferencePlace) -> ReferenceStore? {
        explaining { try place.store() }
    }

    private func explaining<Value>(_ find: () throws -> Value) -> Value? {
        do {
            return try find()
        } catch let error as any ExplainedError {
            Console.explain(error)
            return nil
        } catch {
            return nil
        }
    }
}
