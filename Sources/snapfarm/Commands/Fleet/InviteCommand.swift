// `snapfarm invite`: lets a person into a coordinator's pages by a link that works once.
import ArgumentParser
import FarmCore
import FarmRun
import FarmServer
import Foundation

struct InviteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Makes a one-time link that lets a person into the coordinator's pages.",
        discussion: """
            The link logs its first visitor in for 30 days, under the name given. `tokens list` shows \
            the invitation, and `tokens revoke` ends the link and every login by it.
            """
    )

    @Argument(help: "The person's name, which decisions show.") var person: String
    @OptionGroup var place: CoordinatorPlace
    @Option(help: "read or review; more than one by repeating it (default: review).")
    var scope: [AccessScope] = []
    @Option(
        help: "A pattern of the pipelines to show (pay-*); more by repeating it (default: all)."
    )
    var pipeline: [String] = []
    @Option(help: "Hours that the link may wait to be opened.") var hours: Int = 48
    @Option(help: "Where browsers find the coordinator (default: its own address).")
    var url: String?

    func validate() throws {
        guard scope.allSatisfy({ [.read, .review].contains($0) }) else {
            throw ValidationError("--scope is read or review: others open no page.")
        }
        if let url, WebAddress(url) == nil {
            throw ValidationError(
                "--url is \"\(url.prefix(200))\"; it must be the http or https address of a host."
            )
        }
        guard FarmLimits.invitationHours.contains(hours) else {
            let range = FarmLimits.invitationHours
            throw ValidationError(
                "--hours is \(hours); it must be from \(range.lowerBound) to \(range.upperBound)."
            )
        }
    }

    func run() throws {
        var random = SystemRandomNumberGenerator()
        let scopes: Set<AccessScope> = scope.isEmpty ? [.review] : Set(scope)
        let made = try tokenFile(place).invite(
            person,
            scopes: scopes,
            hours: hours,
            pipelines: pipeline.isEmpty ? nil : pipeline,
            using: &random
        )
        let base = try url ?? place.configuration().url
        Console.print(base.trimming(suffix: "/") + "/invite/" + made.code + "\n")
        Console.say(
            "\(person): \(scopes.map(\.rawValue).sorted().joined(separator: ", ")), for "
                + "\(pipelineWords(pipeline)), as \(made.name). The link works once, within \(hours) hours."
        )
    }
}

extension String {
    fileprivate func trimming(suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
