// The short answer about the reference of a picture: its origin and its changes.
import FarmCore

/// The reference of a picture in a short answer, version 1.
package struct BaselineBrief: Hashable, Sendable, Codable {
    /// A change of the reference.
    package struct Record: Hashable, Sendable, Codable {
        package var change: LifeEvent.Change
        /// The time as `2026-11-21T08:00:00Z`.
        package var when: String
        package var who: String?
        package var set: String?
        package var reason: String?
        package var run: String?
        package var commit: String?
    }

    package var schemaVersion = 1
    package var run: String
    /// The id of the picture.
    package var id: String
    /// The origin of the reference, as lines.
    package var says: [String]
    /// The changes of the reference, newest first.
    package var records: [Record]
    package var total: Int
    package var cursor: String?

    /// Makes the answer about a picture of a run.
    ///
    /// - Throws: ``BriefError/cursor(_:)``.
    package init(
        _ baseline: Baseline,
        of run: String,
        from cursor: String? = nil
    ) throws(BriefError) {
        let page = try BriefPage(of: baseline.events, from: cursor)
        self.run = run
        id = baseline.id.text
        says = baseline.brief
        records = page.records.map { event in
            Record(
                change: event.change,
                when: event.entry.time,
                who: event.entry.recorder.map(BriefText.line),
                set: event.entry.set.map { String($0.hex.prefix(12)) },
                reason: event.entry.reason.map(BriefText.line),
                run: event.entry.run,
                commit: event.entry.mainCommit
            )
        }
        total = baseline.events.count
        self.cursor = page.cursor
    }
}

extension Baseline {
    /// The origin of the reference, as lines of a short answer.
    package var brief: [String] {
        reasons.prefix(FarmLimits.briefRecordsMax).map(BriefText.line)
    }
}
