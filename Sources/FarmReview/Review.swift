// A review of a run: its pictures that are not as expected, and those of them that a request
// selects. It is the same for all origins of a run, and nothing here changes anything.
import FarmCore

/// The parts of a project that a review of its run needs.
package struct ReviewedProject: Sendable {
    /// The pipeline's name.
    package var pipeline: String
    /// The cells of the matrix, each once.
    package var cells: [Cell]
    /// The names of the variant axes, for selections.
    package var axes: [String]
    /// Patterns of suites whose new references are compressed better.
    package var reencode: [String]
    /// The jobs whose frameworks compare their pictures themselves.
    package var frameworkJobs: Set<JobName>

    /// Takes the project from the present pipeline file.
    package init(_ pipeline: Pipeline) {
        self.pipeline = pipeline.name
        cells = Self.once(pipeline.jobs.flatMap(\.cells))
        axes = pipeline.axes.map(\.name)
        reencode = pipeline.references?.reencode ?? []
        frameworkJobs = Self.comparing(pipeline.jobs)
    }

    /// Takes the project from a run's plan, for callers without the pipeline file.
    package init(_ plan: Plan) {
        pipeline = plan.pipeline
        cells = Self.once(plan.jobs.flatMap(\.job.cells))
        axes = Set(cells.flatMap(\.variant).map(\.axis)).sorted()
        reencode = plan.reencode
        frameworkJobs = Self.comparing(plan.jobs.map(\.job))
    }

    private static func comparing(_ jobs: [Job]) -> Set<JobName> {
        Set(jobs.filter { $0.judge == .framework }.map(\.name))
    }

    private static func once(_ cells: [Cell]) -> [Cell] {
        var seen: Set<CellID> = []
        return cells.filter { seen.insert($0.id).inserted }
    }
}

/// A review of a run by a person.
package struct Review: Sendable {
    package let run: ReviewedRun
    package let project: ReviewedProject
    /// Every picture of the run that is not as expected.
    package let pictures: [SnapshotID: (picture: ReviewPicture, entry: PortableManifest.Entry)]
    /// The pictures that the request selects, sorted by id.
    package private(set) var selected: [ReviewPicture]

    /// Selects pictures of a run.
    ///
    /// `select` are the words of `--select`, `changes` are ids of changes. A picture must match
    /// both; an empty list matches every picture.
    ///
    /// - Throws: `ReviewRefusal` for a run of another project, for names that no run writes, and
    ///   for a selection that matches no picture; `Selection.Mistake` for words that are not a
    ///   selection.
    package init(
        _ run: ReviewedRun,
        of project: ReviewedProject,
        select: [String] = [],
        changes: [String] = []
    ) throws {
        let facts = run.manifest.run
        guard facts.pipeline == project.pipeline else {
            throw ReviewRefusal.otherPipeline(
                run: facts.id,
                pipeline: facts.pipeline,
                ours: project.pipeline
            )
        }
        self.run = run
        self.project = project
        pictures = try run.manifest.pictures(origin: run.origin)
        let all = pictures.values.map(\.picture).sorted { $0.id < $1.id }
        let selection = try ReviewSelection(words: select, axes: project.axes)
        let cells = Dictionary(project.cells.map { ($0.id, $0) }) { first, _ in first }
        let changed = changes.isEmpty ? nil : try run.pictures(ofChanges: changes)
        let explained = selection.namesCauses ? selection.explained(by: try run.summary()) : nil
        selected = all.filter { picture in
            let cell = picture.id.cell
            return changed?.contains(picture.id.text) != false
                && explained?.contains(picture.id.text) != false
                && selection.takes(
                    picture,
                    on: cells[cell] ?? Cell(id: cell, device: nil, variant: [])
                )
        }
        guard !selected.isEmpty || (selection.isEmpty && changes.isEmpty) else {
            throw ReviewRefusal.nothingSelected(select, changes: changes)
        }
    }

    /// Returns the same review with only those selected pictures that are in `ids`.
    package func narrowed(to ids: Set<SnapshotID>) -> Review {
        var review = self
        review.selected.removeAll { !ids.contains($0.id) }
        return review
    }

    /// Returns the selected pictures that a person can accept or reject, sorted.
    ///
    /// - Throws: `ReviewRefusal.neverApproved` if pictures are selected but none can be decided.
    package func decidable() throws -> [ReviewPicture] {
        let pictures = selected.filter(ApprovalRules.isReviewable)
        guard !pictures.isEmpty || selected.isEmpty else {
            let all = ApprovalOptions(removesMissing: true, takesRejected: true)
            throw ReviewRefusal.neverApproved(ApprovalRules.choose(selected, all).left)
        }
        return pictures
    }

    /// Returns the run's pictures whose last decision, on this or an earlier run, is a rejection.
    package func rejected(in book: DecisionBook) -> Set<SnapshotID> {
        Set(
            pictures.values.lazy.map(\.picture)
                .filter { book.standing[$0.subject]?.kind == .rejected }.map(\.id)
        )
    }

    /// Makes a person's decisions about pictures of the run, ready to be kept.
    package func decisions(
        _ kind: Decision.Kind,
        _ pictures: [ReviewPicture],
        by reviewer: Reviewer
    ) -> [Decision] {
        let facts = run.manifest.run
        return pictures.map { picture in
            Decision(
                kind: kind,
                pipeline: facts.pipeline,
                snapshot: picture.id,
                capture: picture.capture,
                reference: picture.reference,
                reason: reviewer.reason,
                who: reviewer.name,
                when: reviewer.now,
                run: facts.id
            )
        }
    }
}

/// The person who decides, with reason and time.
package struct Reviewer: Sendable {
    /// The person's name, or empty if it is unknown.
    package var name: String
    /// The reason for the decisions, or empty if none is given.
    package var reason: String
    /// The time of the decisions, in milliseconds since 1970.
    package var now: Int64

    package init(name: String, reason: String, now: Int64) {
        self.name = name
        self.reason = reason
        self.now = now
    }
}
