// The rows of a run's summary for cells, starts, pictures and files; those for test cases are
// `TestSummary`.

/// The row of a cell of the matrix in `summary.json`.
package struct CellSummary: Hashable, Sendable, Codable {
    package var id: String
    package var device: String
    package var os: String
    package var variant: [String: String]
    /// Whether every planned test case on the cell has a verdict.
    package var complete: Bool
    package var counts: VerdictCounts

    package init(
        id: String,
        device: String,
        os: String,
        variant: [String: String],
        complete: Bool,
        counts: VerdictCounts
    ) {
        self.id = id
        self.device = device
        self.os = os
        self.variant = variant
        self.complete = complete
        self.counts = counts
    }

    /// Makes the row of a cell of the matrix with the counts of its test cases.
    package init(_ cell: Cell, counts: VerdictCounts = VerdictCounts()) {
        self.init(
            id: cell.id.text,
            device: cell.device?.name ?? "",
            os: cell.device?.os ?? "",
            variant: Dictionary(cell.variant.map { ($0.axis, $0.value) }) { first, _ in first },
            complete: counts.withoutVerdict == 0,
            counts: counts
        )
    }
}

/// The time from a lease to its first test, as medians over the leases of one job on one cell.
package struct StartSummary: Hashable, Sendable, Codable {
    package var job: String
    package var cell: String
    /// The median in seconds over leases whose worker had the same cell in its lease before, or
    /// `nil` if there are none.
    package var warmSeconds: Double?
    /// The median in seconds over leases whose worker had another cell or none before, or `nil` if
    /// there are none.
    package var coldSeconds: Double?

    package init(job: String, cell: String, warmSeconds: Double?, coldSeconds: Double?) {
        self.job = job
        self.cell = cell
        self.warmSeconds = warmSeconds
        self.coldSeconds = coldSeconds
    }

    /// Returns the start times of each job and cell with ended leases, or `nil` if no lease has a
    /// start time.
    package static func all(of leases: [LeaseEvidence]) -> [StartSummary]? {
        let timed = leases.filter { $0.start != nil }
        guard !timed.isEmpty else { return nil }
        return Dictionary(grouping: timed) { CellKey(job: $0.job, cell: $0.cell) }
            .sorted { $0.key < $1.key }
            .map { key, leases in
                func median(isWarm: Bool) -> Double? {
                    let starts = leases.compactMap(\.start).filter { $0.isWarm == isWarm }
                        .map(\.seconds).sorted()
                    return starts.isEmpty ? nil : starts[(starts.count - 1) / 2]
                }
                return StartSummary(
                    job: key.job.text,
                    cell: key.cell.text,
                    warmSeconds: median(isWarm: true),
                    coldSeconds: median(isWarm: false)
                )
            }
    }
}

/// The row of a picture in `summary.json`.
package struct SnapshotSummary: Hashable, Sendable, Codable {
    /// The picture's id: `<cell>/<suite>/<name>`.
    package var id: String
    package var job: String
    package var cell: String
    package var suite: String
    package var name: String
    /// The framework's own identifier of the picture, or a short form of its name.
    package var identifier: String
    /// The test case that made the picture, or empty if the test program did not name it.
    package var test: String
    package var verdict: Verdict
    /// The Git blob id of the reference, or of the predecessor's reference; empty without one.
    package var reference: String
    /// The id of the picture whose reference this one was compared with, because it succeeds that
    /// picture; empty for a picture with a reference of its own.
    package var predecessor: String
    /// The `sha256:` digest of the capture, or empty if none was made.
    package var capture: String
    package var width: Int
    package var height: Int
    package var differingPixels: Int
    /// The number of differing pixels divided by all pixels, 0…1.
    package var share: Double
    package var largestDelta: Int
    package var clusters: [PixelBox]
    /// The finding about the picture, on one line for people.
    package var words: String
    /// The paths of the picture's files in the output folder, by `reference`, `failed`, `diff`,
    /// `capture`, `other` for another take of an unstable picture, and `elements`.
    package var files: [String: String]
    /// Whether the picture makes the run red; `nil` for a pass, and in summaries of older programs.
    package var isRed: Bool?
    /// `.framework` if the picture's framework found the difference; `nil` if snapfarm compared it.
    package var judge: Judge?
    /// The Git blob ids of the reference's alternates, or `nil` if it has none.
    package var alternates: [String]?
    /// The Git blob id of the alternate that the picture matches, or `nil` if it matches none.
    package var alternate: String?
    /// The `sha256:` digests of the capture's companions by kind, or `nil` if it has none.
    package var companions: [String: String]?
    /// The changes of the elements in the changed regions, or `nil` if nothing is known about them;
    /// empty if no element differs.
    package var elements: [ElementChange]?
    /// The ids of the causes that the picture shows, or `nil` if it shows none.
    package var causes: [String]?
    /// `true` if the picture's causes do not explain all that changed; `nil` otherwise.
    package var unexplained: Bool?
    /// The hunks of a text's difference from its reference, cut after
    /// `FarmLimits.textHunksBytesMax`; `nil` for pictures and equal texts.
    package var hunks: String?
    /// The boxes of what the added lines of `hunks` name, in pixels of the picture beside the text,
    /// by the line; `nil` if there are none.
    package var boxes: [String: [PixelBox]]?

    package init(
        id: String,
        job: String,
        cell: String,
        suite: String,
        name: String,
        identifier: String,
        test: String,
        verdict: Verdict,
        reference: String = "",
        predecessor: String = "",
        capture: String = "",
        width: Int = 0,
        height: Int = 0,
        differingPixels: Int = 0,
        share: Double = 0,
        largestDelta: Int = 0,
        clusters: [PixelBox] = [],
        words: String = "",
        files: [String: String] = [:]
    ) {
        self.id = id
        self.job = job
        self.cell = cell
        self.suite = suite
        self.name = name
        self.identifier = identifier
        self.test = test
        self.verdict = verdict
        self.reference = reference
        self.predecessor = predecessor
        self.capture = capture
        self.width = width
        self.height = height
        self.differingPixels = differingPixels
        self.share = share
        self.largestDelta = largestDelta
        self.clusters = clusters
        self.words = words
        self.files = files
    }
}

/// The row of a file that people and CI download.
package struct ArtifactSummary: Hashable, Sendable, Codable {
    package var name: String
    package var bytes: Int
    /// The SHA-256 of the file in hex.
    package var sha256: String

    package init(name: String, bytes: Int, sha256: String) {
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
    }
}

extension SnapshotSummary {
    /// Whether the snapshot is a text and no picture.
    package var isText: Bool { SnapshotFile.isText(name) }
}
