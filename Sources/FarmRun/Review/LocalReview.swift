// The flow of `snapfarm review`: opens a run, serves its page on loopback, prints the address.
import FarmCore
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
}
