// What `--select` left out of a pipeline, told by the part itself: a merge of parts can then say
// whether they are the whole, and name what is missing. The jobs that were not selected were never
// discovered, so a part knows their cells and not their tests.

/// A selected part of a pipeline's plan, and the outline of the whole.
package struct PlanPart: Hashable, Sendable, Codable {
    /// As ``Selection/name``.
    package var name: String
    /// Every job of the pipeline with all its cells, in the pipeline's order.
    package var jobs: [Job]
    /// All test cases of the jobs that were discovered, selected or not, by the job's name.
    package var tests: [String: [TestID]]

    package init(name: String, jobs: [Job], tests: [String: [TestID]]) {
        self.name = name
        self.jobs = jobs
        self.tests = tests
    }
}

extension Plan {
    /// Whether every job, cell and test of the plan is in the part's outline.
    ///
    /// What comes from another machine is asked before anything looks into it.
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
