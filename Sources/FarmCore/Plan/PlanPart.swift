// The part of a pipeline that `--select` chose, with an outline of the whole. A merge of parts
// compares the outlines, to find out whether the parts are the whole and what is missing.
// Unselected jobs are not discovered, so the outline has their cells and not their tests.

/// A selected part of a pipeline's plan, with an outline of the whole pipeline.
package struct PlanPart: Hashable, Sendable, Codable {
    /// The selected part's name, like ``Selection/name``.
    package var name: String
    /// The outline of the whole: all jobs of the pipeline with all their cells, in the pipeline's
    /// order.
    package var jobs: [Job]
    /// All test cases of the discovered jobs, selected or not, by job name.
    package var tests: [String: [TestID]]

    package init(name: String, jobs: [Job], tests: [String: [TestID]]) {
        self.name = name
        self.jobs = jobs
        self.tests = tests
    }
}

extension Plan {
    /// Whether `part` outlines this plan: `part` has every job, cell and test of the plan, and
    /// names none twice.
    ///
    /// Call it on a part from another machine before using the part.
    package func fits(_ part: PlanPart) -> Bool {
        let names = part.jobs.map(\.name)
        guard Set(names).count == names.count else { return false }
        return jobs.allSatisfy { planned in
            guard let whole = part.jobs.first(where: { $0.name == planned.job.name }),
                let tests = part.tests[planned.job.name.text],
                Set(tests).count == tests.count
            else { return false }
            let cells = Set(whole.cells)
            var own = planned.job
            own.cells = whole.cells
            return own == whole && Set(planned.tests).isSubset(of: tests)
                && Set(whole.cells.map(\.id)).count == whole.cells.count
                && planned.job.cells.allSatisfy(cells.contains)
        }
    }
}
