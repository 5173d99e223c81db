// A report with a lasting address, as the index of its place lists it.
import FarmCore
import Foundation

/// The facts of a published report.
package struct PublishedReport: Hashable, Sendable, Codable {
    package static let currentVersion = 1

    package var schemaVersion = currentVersion
    /// The path of the report's folder below its place, such as `runs/20261127-231806-hcte`.
    package var name: String
    /// The line that the index shows: a run's id, or two releases.
    package var title: String
    package var pipeline: String
    /// The branch and the pull request of a run; empty if unknown or not of a run.
    package var branch: String
    package var pullRequest: String
    package var commit: String
    /// The time of the publication as `2026-11-21T08:00:00Z`.
    package var published: String
    package var state: RunState
    /// The counts in words.
    package var headline: String
    /// Whether the report compares two releases; otherwise it is a run's.
    package var isComparison: Bool

    /// Creates the facts of a run's report.
    package init(of summary: RunSummary, published: String) {
        let run = summary.run
        name = "runs/" + Self.plain(run.id)
        title = run.id
        pipeline = run.pipeline
        branch = run.branch
        pullRequest = run.pullRequest
        commit = run.commit
        self.published = published
        state = summary.state
        headline = Wording.headline(summary)
        isComparison = false
    }

    /// Creates the facts of a comparison's report.
    ///
    /// `headline` has the counts in words; `commit` is that of the CI's checkout, or empty.
    package init(
        comparing left: SideTitle,
        _ right: SideTitle,
        pipeline: String,
        commit: String,
        state: RunState,
        headline: String,
        published: String
    ) {
        name = "releases/" + Self.plain("\(left.shown)...\(right.shown)")
        title = "\(left.shown) → \(right.shown)"
        self.pipeline = pipeline
        branch = ""
        pullRequest = ""
        self.commit = commit
        self.published = published
        self.state = state
        self.headline = headline
        isComparison = true
    }

    /// The name of the file with these facts, in the place's folder of such files.
    ///
    /// Names sort by time.
    package var factsFile: String {
        let time = published.filter { $0 != "-" && $0 != ":" }
        return "\(time)-\(name.replacing("/", with: "~")).json"
    }

    /// Returns a name that is safe in paths and URLs; a changed or long one ends with a digest.
    static func plain(_ name: String) -> String {
        let text = String(
            decoding: name.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "-") },
            as: UTF8.self
        )
        let isKept = text == name && name.utf8.count <= nameBytesMax && !name.hasPrefix(".")
        guard !isKept else { return text }
        let start = text.drop { $0 == "." }.prefix(nameBytesMax)
        return "\(start)-\(Digest(of: Data(name.utf8)).hex.prefix(8))"
    }

    private static let nameBytesMax = 120

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
