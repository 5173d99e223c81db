// A run under review: its pictures that are not as expected, and which of them a request is about.
// Where the run comes from makes no difference, and nothing here changes anything.
import FarmCore

/// What a review must know of the project that a run belongs to.
package struct ReviewedProject: Sendable {
    /// The pipeline's name.
    package var pipeline: String
    /// Every cell of the matrix once.
    package var cells: [Cell]
    /// Names of the variant axes, which a selection may use.
    package var axes: [String]
    /// Patterns of suites whose new references are made smaller.
    package var reencode: [String]

    /// As the pipeline file says now.
    package init(_ pipeline: Pipeline) {
        self.pipeline = pipeline.name
        cells = Self.once(pipeline.jobs.flatMap(\.cells))
        axes = pipeline.axes.map(\.name)
        reencode = pipeline.references?.reencode ?? []
    }

    /// As the pipeline file said when the run was planned: where nobody has the file.
    package init(_ plan: Plan) {
        pipeline = plan.pipeline
        cells = Self.once(plan.jobs.flatMap(\.job.cells))
        axes = Set(cells.flatMap(\.variant).map(\.axis)).sorted()
        reencode = plan.reencode
    }

    private static func once(_ cells: [Cell]) -> [Cell] {
        var seen: Set<CellID> = []
        return cells.filter { seen.insert($0.id).inserted }
    }
}

/// What people decide about.
package struct Review: Sendable {
    package let run: ReviewedRun
    package let project: ReviewedProject
    /// Every picture of the run that is not as expected.
    package let pictures: [SnapshotID: (picture: ReviewPicture, entry: PortableManifest.Entry)]
    /// Those the request is about, sorted by id.
    package private(set) var selected: [ReviewPicture]

    /// `select` are the words of `--select`, `changes` ids of changes; a picture must be meant by
    /// both, and is by what is empty.
    ///
    /// - Throws: `ReviewRefusal` for a run of another project, names that no run writes, and a
    ///   selection of nothing; `Selection.Mistake` for words that are no selection.
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
        selected = all.filter { picture in
            let cell = picture.id.cell
            return changed?.contains(picture.id.text) != false
                && selection.takes(
                    picture,
                    on: cells[cell] ?? Cell(id: cell, device: nil, variant: [])
                )
        }
        guard !selected.isEmpty || (selection.isEmpty && changes.isEmpty) else {
            throw ReviewRefusal.nothingSelected(select, changes: changes)
        }
    }

    /// The same review of no more than these pictures.
    package func narrowed(to ids: Set<SnapshotID>) -> Review {
        var review = self
        review.selected.removeAll { !ids.contains($0.id) }
        return review
    }

    /// The selected pictures that a person can say yes or no to, sorted.
    ///
    /// - Throws: `ReviewRefusal.neverApproved` where something is selected, and nothing of it can be
    ///   decided about.
    package func decidable() throws -> [ReviewPicture] {
        let pictures = selected.filter(ApprovalRules.isReviewable)
        guard !pictures.isEmpty || selected.isEmpty else {
            let all = ApprovalOptions(removesMissing: true, takesRejected: true)
            throw ReviewRefusal.neverApproved(ApprovalRules.choose(selected, all).left)
        }
        return pictures
    }

    /// The pictures of the run whose last decision, on this run or an earlier one, is a rejection.
    package func rejected(in book: DecisionBook) -> Set<SnapshotID> {
        Set(
            pictures.values.lazy.map(\.picture)
                .filter { book.standing[$0.subject]?.kind == .rejected }.map(\.id)
        )
    }

    /// What a person says of pictures of the run, ready to be kept.
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

/// Who decides, why, and when.
package struct Reviewer: Sendable {
    /// Empty where unknown.
    package var name: String
    /// Empty where none is given.
    package var reason: String
    /// Milliseconds since 1970.
    package var now: Int64

    package init(name: String, reason: String, now: Int64) {
        self.name = name
        self.reason = reason
        self.now = now
    }
}
