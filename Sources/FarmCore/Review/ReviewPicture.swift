// The subjects of a review: the unexpected pictures of one run.

/// A picture of a run that is reviewed.
package struct ReviewPicture: Hashable, Sendable {
    package var id: SnapshotID
    package var job: JobName
    /// The test that made the picture, or `nil` if the test program did not name it.
    package var test: TestID?
    package var verdict: Verdict
    /// The verdict of the test that made the picture, or should have; `nil` if there is no such
    /// test.
    package var testVerdict: Verdict?
    /// The digest of the run's picture, or `nil` if the run made none.
    package var capture: Digest?
    /// The reference that the picture was compared with, or `nil` for a new picture.
    package var reference: ObjectID?

    package init(
        id: SnapshotID,
        job: JobName,
        test: TestID?,
        verdict: Verdict,
        testVerdict: Verdict?,
        capture: Digest?,
        reference: ObjectID? = nil
    ) {
        self.id = id
        self.job = job
        self.test = test
        self.verdict = verdict
        self.testVerdict = testVerdict
        self.capture = capture
        self.reference = reference
    }

    /// The subject of decisions about the picture.
    package var subject: Decision.Subject {
        Decision.Subject(snapshot: id, capture: capture, reference: reference)
    }
}

/// The program that drew the pictures of one job on one cell, as far as the driver knows the
/// program.
package struct RunRenderer: Hashable, Sendable, Codable {
    package var job: JobName
    package var cell: CellID
    package var renderer: [String: String]

    package init(job: JobName, cell: CellID, renderer: [String: String]) {
        self.job = job
        self.cell = cell
        self.renderer = renderer
    }

    /// Returns the renderer of each job and cell, sorted: that of the first lease that knows its
    /// renderer, as in a record run.
    package static func all(of leases: [LeaseEvidence]) -> [RunRenderer] {
        var seen: Set<[String]> = []
        return leases.filter { !$0.renderer.isEmpty }
            .filter { seen.insert([$0.job.text, $0.cell.text]).inserted }
            .map { RunRenderer(job: $0.job, cell: $0.cell, renderer: $0.renderer) }
            .sorted { ($0.job, $0.cell) < ($1.job, $1.cell) }
    }
}

extension SnapshotID {
    /// Parses an id only if it is spelled as `text` returns it; returns `nil` for anything else.
    package init?(exactly text: String) {
        // Splits bytes, because a combining mark at a component's beginning forms one letter with
        // the slash.
        let slash = UInt8(ascii: "/")
        let parts = text.utf8.split(separator: slash, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count >= 3, let name = parts.last,
            let id = try? SnapshotID(
                cell: CellID(parts[0]),
                suite: parts.dropFirst().dropLast().joined(separator: "/"),
                name: name
            ),
            SubtreePath(cell: id.cell, folder: id.firstFolder) != nil,
            id.text.utf8.elementsEqual(text.utf8)
        else { return nil }
        self = id
    }
}
