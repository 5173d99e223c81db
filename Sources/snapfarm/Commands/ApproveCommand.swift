import ArgumentParser
import FarmCore
import FarmReview
import FarmRun
import FarmTerminal
import Foundation

/// `snapfarm approve`: captures of a run become the next references.
struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Accepts changed, new and moved pictures of a run as references.",
        discussion: """
            Takes a complete run from the data folder (--run), or from its FailureDiffs.zip or \
            output folder (--from), writes the next reference set, and moves the pin in the work \
            tree. Pictures of failing tests, unreached and rejected ones are left as they are.
            """
    )

    @OptionGroup var options: ReviewOptions
    @Flag(help: "Also drop references that no test makes any more.") var removeMissing = false
    @Flag(help: "Also take pictures that were rejected.") var evenRejected = false

    func run() async throws {
        let session = try await ReviewSession.open(options.request)
        let document = try await session.approve(
            ApprovalOptions(removesMissing: removeMissing, takesRejected: evenRejected),
            now: Date()
        )
        if options.json { Console.print(try document.json()) }
        for line in document.lines { Console.say(line) }
        withExtendedLifetime(session) {}
    }
}
