// Another renderer than the one that drew the references, and the rule that tells what it only drew
// differently from what changed.
//
// Invariants
//   - Only probes say how differently a renderer draws, those of the same cell, drawn by the same
//     two renderers. Without one, nothing is called drawn differently.
//   - The rule knows the plan, the reports and the references: judging again gives the same.

/// Two renderers: the one that drew a suite's references, and the one that drew its captures.
package struct RendererChange: Hashable, Sendable {
    package let job: JobName
    package let before: [String: String]
    package let after: [String: String]

    /// Returns `nil` if the renderers are equal, or one of them is unknown.
    package init?(of record: SuiteRecord?, job: JobName, after: [String: String]) {
        guard let record, record.job == job, !record.renderer.isEmpty, !after.isEmpty,
            record.renderer != after
        else { return nil }
        self.job = job
        before = record.renderer
        self.after = after
    }

    /// The differing facts in words: `browser 155 became 156; os …`.
    package var words: String {
        Set(before.keys).union(after.keys).sorted().filter { before[$0] != after[$0] }.map {
            "\($0) \(before[$0] ?? "none") became \(after[$0] ?? "none")"
        }.joined(separator: "; ")
    }
}

/// The numbers of a job's changed pictures under another renderer.
struct DrawnCounts: Hashable, Sendable {
    var differently = 0
    var changed = 0
    var unknown = 0

    var all: Int { differently + changed + unknown }
}

/// The changed pictures of a run under another renderer: those that are only drawn differently, and
/// the numbers of all.
struct DrawnPictures {
    /// The pictures that are only drawn differently.
    private(set) var differently: [SnapshotID: RendererChange] = [:]
    private(set) var counts: [RendererChange: DrawnCounts] = [:]

    private struct Place: Hashable {
        let cell: CellID
        let change: RendererChange
    }

    private struct Drawn {
        let id: SnapshotID
        let place: Place
        let isProbe: Bool
        /// The measure, or `nil` if the pictures cannot be measured.
        let measure: RenderingMeasure?
        /// Whether another size shows that the picture changed.
        let isResized: Bool
    }

    init() {}

    /// Judges the pictures of a run; `verdicts` are those of its pictures so far.
    init(_ evidence: RunEvidence, verdicts: [SnapshotID: Verdict]) {
        guard evidence.plan.mode == .verify else { return }
        let drawn = Self.drawn(evidence, verdicts)
        var probes: [Place: RenderingMeasure] = [:]
        for picture in drawn where picture.isProbe {
            guard let measure = picture.measure else { continue }
            probes[picture.place, default: .zero].grow(to: measure)
        }
        for picture in drawn where verdicts[picture.id] == .changed {
            let change = picture.place.change
            switch Self.isOnlyDrawn(picture, probes[picture.place]) {
            case true?:
                differently[picture.id] = change
                counts[change, default: DrawnCounts()].differently += 1
            case false?: counts[change, default: DrawnCounts()].changed += 1
            case nil: counts[change, default: DrawnCounts()].unknown += 1
            }
        }
    }

    /// Whether a changed picture is only drawn differently, or `nil` if nothing proves either.
    private static func isOnlyDrawn(_ picture: Drawn, _ probes: RenderingMeasure?) -> Bool? {
        if picture.isResized { return false }
        guard let measure = picture.measure else { return nil }
        // The content of a probe never changes, so that all of its difference is drawing.
        return picture.isProbe ? true : probes.map(measure.isDrawing(like:))
    }

    /// Returns the compared pictures under another renderer than that of their references.
    private static func drawn(
        _ evidence: RunEvidence,
        _ verdicts: [SnapshotID: Verdict]
    ) -> [Drawn] {
        let leases = evidence.leases.compactMap { lease in lease.lease.map { ($0, lease.renderer) }
        }
        let renderers = Dictionary(leases) { first, _ in first }
        let jobs = Dictionary(evidence.plan.jobs.map { ($0.job.name, $0.job) }) { first, _ in first
        }
        return evidence.tests.flatMap { test -> [Drawn] in
            guard let job = jobs[test.key.job], job.judge == .farm,
                let lease = test.lease ?? test.attempts.last?.lease,
                let renderer = renderers[lease], let report = test.report
            else { return [] }
            return report.pictures.captures.compactMap { capture in
                let id = capture.capture.id
                let record = evidence.references[id.cell]?.suites[id.firstFolder]
                // A picture that is unstable or has no usable file says nothing of the renderer.
                guard [.passed, .changed].contains(verdicts[id]), capture.reference != nil,
                    capture.alternate == nil, let comparison = capture.comparison,
                    let change = RendererChange(of: record, job: job.name, after: renderer)
                else { return nil }
                let sizes = comparison.difference.map { ($0.reference, $0.capture) }
                return Drawn(
                    id: id,
                    place: Place(cell: id.cell, change: change),
                    isProbe: job.isProbe(id),
                    measure: comparison.difference == nil ? .zero : capture.rendering,
                    isResized: sizes.map { $0 != $1 } ?? false
                )
            }
        }
    }
}

extension Job {
    /// Whether a picture is a probe of the renderer.
    package func isProbe(_ id: SnapshotID) -> Bool {
        (probes ?? []).contains { Glob($0, mode: .text).matches("\(id.suite)/\(id.name)") }
    }
}

extension Problem {
    /// Returns the note about references that another renderer drew.
    static func rendererMismatch(_ change: RendererChange, _ counts: DrawnCounts) -> Problem {
        var message =
            "job \(change.job): the references were drawn by another renderer: "
            + "\(change.words)."
        var remedy =
            "Differences may come from it. Use the same renderer, or record again with "
            + "`--mode record`."
        if counts.all > 0 {
            let changed = "\(counts.all) changed picture\(counts.all == 1 ? "" : "s")"
            message +=
                " Of \(changed), \(counts.differently) "
                + "\(counts.differently == 1 ? "is" : "are") only drawn differently, "
                + "\(counts.changed) changed, \(counts.unknown) could not be told."
        }
        if counts.differently > 0 {
            remedy =
                "Look at some of those that are only drawn differently, then accept them all on the "
                + "page, or with `snapfarm approve --run latest --select 'cause=drawn by another "
                + "renderer*'`. Look at each of the others."
        }
        if counts.unknown > 0 {
            remedy +=
                " To tell the two apart next time, name pictures that never change in "
                + "`probes:` of the job, and record them with the old renderer."
        }
        return Problem(code: "renderer-mismatch", message: message, remedy: remedy)
    }
}
