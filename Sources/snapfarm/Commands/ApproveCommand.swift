import ArgumentParser
import FarmCore
import Foundation

/// `snapfarm approve`: captures of a run become the next references.
struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Makes changed and new pictures of a run the references.",
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
        let approval = Approval(
            session: session,
            options: ApprovalOptions(
                removesMissing: removeMissing,
                takesRejected: evenRejected
            )
        )
        let plan = try approval.plan()
        let result =
            options.dryRun
            ? ApprovalResult(plan: plan, set: nil, movedPin: false)
            : try approval.perform(plan, now: Date())
        let document = ApprovalDocument(result, session)
        if options.json { Console.print(try document.json()) }
        for line in document.lines { Console.say(line) }
        withExtendedLifetime(session) {}
    }
}
