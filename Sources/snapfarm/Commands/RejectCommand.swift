import ArgumentParser
import FarmCore
import FarmReview
import FarmRun
import Foundation

/// `snapfarm reject`: notes that pictures of a run are wrong, or withdraws decisions.
struct RejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject",
        abstract: "Notes that pictures of a run are wrong. They stay red."
    )

    @OptionGroup var options: ReviewOptions
    @Flag(help: "Take back what was decided about the pictures, except published ones.")
    var withdraw = false

    func run() async throws {
        let session = try await ReviewSession.open(options.request())
        let document =
            try await withdraw ? session.withdraw(now: Date()) : session.reject(now: Date())
        if options.json { Console.print(try document.json()) }
        let words = ResultPrinter(besideDocument: options.json)
        for line in document.lines { words.say(line) }
        if let doubt = session.doubt { words.say("\(doubt.message) \(doubt.remedy)") }
        withExtendedLifetime(session) {}
    }
}
