// The flow of `snapfarm review`: opens a run, serves its page on loopback, prints the address.
import FarmCore
import FarmDrivers
import FarmServer
import Foundation
import Logging

/// Serves the page of a run under review on this machine.
package struct LocalReview: Sendable {
    private let request: ReviewRequest
    private let opensBrowser: Bool

    package init(_ request: ReviewRequest, opensBrowser: Bool) {
        self.request = request
        self.opensBrowser = opensBrowser
    }

    /// Serves the page until Ctrl-C, or until it has been unused for long.
    package func run() async throws {
        let place = try await LocalRunPage(request) { lines in
            for line in lines { Console.say(line) }
        }
        let desk = RunPage(place)
        let summary = try await desk.summary()
        let logger = Logger(label: "snapfarm") { _ in
            var log = EventLog(format: .text) { Console.say($0.trimmingSpaces()) }
            log.logLevel = .error
            return log
        }
        var generator = SystemRandomNumberGenerator()
        let page = LocalPage(
            desk: desk,
            person: place.person,
            judge: judge(summary.run),
            logger: logger,
            clock: { Int64(Date().timeIntervalSince1970 * 1000) },
            using: &generator
        )
        for doubt in desk.doubts { Console.say("\(doubt)") }
        if let obstacle = summary.publishObstacle { Console.say("\(obstacle)") }
        try await page.serve { address in
            Console.say("Review of run \(summary.run.id). Open this address in one browser:")
            Console.print(address + "\n")
            Console.say("Ctrl-C ends the review; what was decided is kept.")
            if opensBrowser { Desktop(request.environment).open(address) }
        }
        Console.say("The review has ended.")
    }

    /// Returns the function that judges the run again and opens its judgement, or `nil` for a run
    /// that cannot be judged again.
    ///
    /// A run of a coordinator is judged from its data folder.
    private func judge(_ run: RunFacts) -> (@Sendable () async throws -> any ReviewSource)? {
        guard run.isJudgeable else { return nil }
        let place: JudgeRequest.Place
        switch request.place {
        case .run: place = .run(run.id)
        case .from(let from): place = .from(from)
        case .coordinator: return nil
        }
        let request = request
        return {
            let folder = try OwnedFolder("judged")
            // The page reads the zip through an open descriptor, which outlives its name.
            defer { folder.remove() }
            let again = JudgedAgain(
                JudgeRequest(
                    place,
                    file: request.file,
                    data: request.data,
                    pin: nil,
                    output: folder.path + "/out",
                    printsJSON: false,
                    isQuiet: true,
                    environment: request.environment
                )
            )
            _ = try await again.write()
            var judged = request
            judged.place = .from("\(folder.path)/out/\(FailureZip.name)")
            return try await RunPage.open(judged) { lines in
                for line in lines { Console.say(line) }
            }
        }
    }
}
