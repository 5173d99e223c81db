// The line about a published report for a chat: an incoming webhook of Slack, which Mattermost,
// Rocket.Chat and others read alike.
import AsyncHTTPClient
import FarmCore
import FarmReports
import Foundation
import NIOCore
import NIOHTTP1

/// Sends one line about each published report.
struct ReportNotice: Sendable {
    private let url: String

    /// Creates the notice whose address is in an environment variable; `nil` without a name.
    ///
    /// - Throws: `PublishError` if the variable has no address.
    init?(_ variable: String?, _ environment: [String: String]) throws {
        guard let variable else { return nil }
        let text = environment[variable] ?? ""
        guard ["https://", "http://"].contains(where: text.hasPrefix), WebAddress(text) != nil
        else { throw PublishError.noWebhook(variable: variable) }
        url = text
    }

    /// Returns the line about a report.
    static func line(_ report: PublishedReport, _ address: String?) -> String {
        // Slack reads these three characters as markup.
        let words = "\(report.pipeline): \(report.title): \(report.headline)"
            .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        return address.map { "\(words)\n\($0)" } ?? words
    }

    /// Sends the line; a failure is printed, because the report is published all the same.
    func send(_ report: PublishedReport, _ address: String?) async {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(Int64(FarmLimits.webhookAnswerSeconds))
        configuration.redirectConfiguration = .disallow
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let body = try JSONEncoder().encode(["text": Self.line(report, address)])
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers = ["Content-Type": "application/json", "User-Agent": "snapfarm"]
            request.body = .bytes(body)
            let limit = TimeAmount.seconds(Int64(FarmLimits.webhookAnswerSeconds))
            let status = Int(try await http.execute(request, timeout: limit).status.code)
            // The address itself is a secret.
            if !(200...299).contains(status) {
                Console.say(
                    "the chat got no line about the report: its webhook answered \(status)."
                )
            }
        } catch {
            Console.say("the chat got no line about the report: its webhook cannot be reached.")
        }
        try? await http.shutdown()
    }
}
