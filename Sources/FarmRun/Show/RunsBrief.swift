// The short answers about the runs of a place, and about why a run is not done.
import FarmAPI
import FarmCore
import FarmReports
import FarmServer
import Foundation

/// The newest runs in a short answer; the document of `runs --json`, version 1.
package struct RunsBrief: Encodable, Sendable {
    package var schemaVersion = 1
    /// The runs, the newest first.
    package var runs: [RunListing]
    /// The cursor of older runs, or `nil` if these are the oldest.
    package var cursor: String?
    package var next: [NextStep]

    /// Makes the answer with at most `limit` of the runs that follow a cursor, which is a run's id.
    ///
    /// `place` has the options that name the place of the runs in commands.
    ///
    /// - Throws: `BriefError.cursor` if no run has that id.
    package init(
        _ all: [RunListing],
        limit: Int = FarmLimits.briefRecordsMax,
        from cursor: String? = nil,
        place: [(String, String)] = []
    ) throws(BriefError) {
        var rest = all[...]
        if let cursor {
            guard let place = all.firstIndex(where: { $0.run.text == cursor }) else {
                throw .cursor(cursor)
            }
            rest = all[(place + 1)...]
        }
        runs = Array(rest.prefix(limit))
        self.cursor = rest.count > limit ? runs.last?.run.text : nil
        next = []
        if let red = runs.first(where: { $0.state == .failed || $0.state == .incomplete }) {
            let words = RunWords(run: red.run.text, place: place)
            next.append(NextStep(words.show(), "says why the newest red run is red"))
        }
        if let open = runs.first(where: { $0.state == .running }) {
            let command = RunWords.command("why", open.run.text, place: place)
            next.append(NextStep(command, "says why the newest open run is not done"))
        }
        if let cursor = self.cursor {
            let command = RunWords.command("runs", "--cursor", cursor, "--json", place: place)
            next.append(NextStep(command, "lists older runs"))
        }
    }
}

/// Why a run is not done, in a short answer; the document of `why --json`, version 1.
package struct WhyBrief: Encodable, Sendable {
    package var schemaVersion = 1
    package var run: RunID
    package var state: RunState
    /// The reasons, the first ones first.
    package var reasons: [String]
    /// The number of all reasons.
    package var total: Int
    package var cursor: String?
    package var next: [NextStep]

    /// Makes the answer with the reasons that follow a cursor.
    ///
    /// `place` has the options that name the coordinator in commands.
    ///
    /// - Throws: `BriefError.cursor`.
    package init(
        _ situation: RunSituation,
        from cursor: String? = nil,
        place: [(String, String)] = []
    ) throws(BriefError) {
        let all = WaitReasons.of(situation).map(\.text)
        let page = try BriefPage(of: all, from: cursor)
        run = situation.run
        state = situation.progress.state
        reasons = page.records
        total = all.count
        self.cursor = page.cursor
        let words = RunWords(run: run.text, place: place)
        let workers = RunWords.command("workers", place: place)
        next =
            state == .running
            ? [NextStep(workers, "lists the workers and what they lack")]
            : [NextStep(words.show(), "says what the run found")]
        if let cursor = page.cursor {
            let command = RunWords.command(
                "why",
                run.text,
                "--cursor",
                cursor,
                "--json",
                place: place
            )
            next.append(NextStep(command, "tells \(all.count - reasons.count) more reasons"))
        }
    }
}
