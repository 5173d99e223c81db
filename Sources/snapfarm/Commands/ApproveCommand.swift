// `snapfarm approve`: makes captures the references, for a person or for a comment on a pull
// request, and chooses the place of the pin.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmFiles
import FarmReview
import FarmRun
import Foundation

/// `snapfarm approve`: makes captures of a run the next references.
struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Accepts changed, new and moved pictures of a run as references.",
        discussion: """
            Takes a complete run from the data folder (--run), from a coordinator (--coordinator \
            with --run), or from its FailureDiffs.zip or output folder (--from), writes the next \
            reference set, pushes it where the store is on a Git host, and moves the pin in the \
            work tree. Pictures of failing tests, unreached and rejected ones are left as they \
            are. With --commit the pin goes into a commit of a branch instead; the token for HTTPS \
            comes from SNAPFARM_REPOSITORY_TOKEN or Git's helpers. With --comment it decides what \
            a comment of a pull request says, and no more. With --alternate a changed picture \
            becomes right beside its reference, which stays.
            """
    )

    @OptionGroup var options: ReviewOptions
    @Flag(help: "Also drop references that no test makes any more.") var removeMissing = false
    @Flag(help: "Also take pictures that were rejected.") var evenRejected = false
    @Flag(help: "Take changed pictures as alternates beside their references.")
    var alternate = false
    @Option(
        help: "Commit the pin to this branch of the main repository, and leave the work tree alone."
    )
    var commit: String?
    @Option(help: "URL of the main repository for --commit (default: the remote origin).")
    var repository: String?
    @Flag(help: "Print the pin's change for `git apply`, and leave the work tree alone.")
    var patch = false
    @Option(
        help: "Show the set on the store's branch proposals/N for a pull request; decides nothing."
    )
    var proposal: Int?
    @Option(help: "A file with the text of a comment that the run's page offered.")
    var comment: String?
    @Option(help: "A file to write the answer to a comment into, as Markdown.")
    var answer: String?

    func validate() throws {
        guard [commit != nil, patch, proposal != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("--commit, --patch and --proposal exclude each other.")
        }
        if let proposal, proposal < 1 {
            throw ValidationError("\(proposal) is no pull request.")
        }
        guard repository == nil || commit != nil else {
            throw ValidationError("--repository belongs to --commit.")
        }
        guard !patch || !options.json, !patch || comment == nil else {
            throw ValidationError("--patch prints the patch alone: without --json and --comment.")
        }
        guard proposal == nil || comment == nil else {
            throw ValidationError("--proposal decides nothing, so it takes no --comment.")
        }
        guard comment == nil || options.select.isEmpty && options.changes.isEmpty else {
            throw ValidationError("--comment says itself which pictures are meant.")
        }
        guard !alternate || comment == nil && !removeMissing else {
            throw ValidationError("--alternate takes neither --comment nor --remove-missing.")
        }
        guard answer == nil || comment != nil else {
            throw ValidationError("--answer belongs to --comment.")
        }
    }

    func run() async throws {
        do {
            let (lines, json) = try await decide()
            if options.json { Console.print(json) }
            let words = ResultPrinter(besideDocument: options.json || patch)
            for line in lines { words.say(line) }
            try write(answer: lines)
        } catch let error as any ExplainedError {
            try write(answer: [error.message, error.remedy])
            throw error
        }
    }

    /// Approves the pictures, and returns the result for people and as JSON.
    private func decide() async throws -> (lines: [String], json: String) {
        // The comment is read first: an invalid one needs no run.
        let comment = try comment.map(CommentFile.read)
        let session = try await ReviewSession.open(try options.request(target))
        defer { withExtendedLifetime(session) {} }
        let what = ApprovalOptions(
            removesMissing: removeMissing,
            takesRejected: evenRejected,
            alternates: alternate ? session.selected : []
        )
        var lines: [String]
        let json: String
        if let comment {
            let outcome = try await session.decide(comment, what, now: Date())
            (lines, json) = (outcome.lines, try outcome.json())
            if !outcome.rejections.isEmpty { try await session.showRejections() }
        } else {
            let document = try await session.approve(what, now: Date())
            if patch { Console.print(document.patch) }
            (lines, json) = (document.lines, try document.json())
        }
        if let doubt = session.doubt { lines.append("\(doubt.message) \(doubt.remedy)") }
        if let status = await session.showStatus() { lines.append(status) }
        return (lines, json)
    }

    private var target: PinTarget {
        if let commit { return .branch(commit, repository: repository) }
        if let proposal { return .proposal(proposal) }
        return patch ? .patch : .workTree
    }

    private func write(answer lines: [String]) throws {
        guard let answer else { return }
        let text = CommentFile.answer(lines.filter { !$0.isEmpty })
        try DurableFile.write(Data(text.utf8), to: answer)
    }
}
