// The test cases that a run inherits: their verdicts, and the note about them.

extension Plan {
    /// The evidence of the inherited test cases; none ran.
    package var inheritedTests: [TestEvidence] {
        inheritedKeys.map {
            TestEvidence(key: $0.key, verdict: .inherited, note: "", attempts: [])
        }
    }
}

extension RunEvidence {
    /// The evidence with the test cases that the plan inherits.
    var whole: RunEvidence {
        guard plan.inherited != nil else { return self }
        var whole = self
        whole.tests += plan.inheritedTests
        return whole
    }
}

extension Judging {
    /// Adds the picture of an inherited test case, which did not run.
    mutating func inherit(_ reference: Reference, job: JobName, test: TestID?) {
        pictures.expect(
            reference,
            job: job,
            test: test,
            verdict: .inherited,
            words: "its test did not run: it passed in an earlier run."
        )
    }

    mutating func sayInherited() {
        guard let inherited = evidence.plan.inherited else { return }
        problems.append(.inherited(inherited, planned: evidence.tests.count))
    }
}

extension Problem {
    /// Returns the note that a run inherits verdicts; the problem if they may be of other code.
    fileprivate static func inherited(_ inherited: InheritedTests, planned: Int) -> Problem {
        let runs = inherited.sources.isEmpty ? [inherited.run] : inherited.sources.map(\.run)
        let fact =
            "\(inherited.count) of \(planned) tests did not run: their verdicts are those of run "
            + list(runs, first: 3)
        if let unchanged = inherited.unchanged {
            return .unchanged(inherited, unchanged, planned: planned)
        }
        guard inherited.isOfOtherCode else {
            return Problem(
                code: "inherited",
                message: "\(fact), of the same commit, plan and pin.",
                remedy: "`snapfarm run` without --red-of runs all tests."
            )
        }
        return Problem(
            code: inheritedOtherCode,
            message: "\(fact), which may have tested other code. So this run is not green.",
            remedy: "Run all tests before you rely on them: `snapfarm run` without --red-of."
        )
    }

    /// Returns the note that a run inherits verdicts because no input has changed.
    private static func unchanged(
        _ inherited: InheritedTests,
        _ unchanged: UnchangedInputs,
        planned: Int
    ) -> Problem {
        let inputs = unchanged.inputs.sorted { $0.key < $1.key }.map { job, names in
            "\(names.count) input\(names.count == 1 ? "" : "s") of job \(job) "
                + "(\(list(names.first, count: names.count, first: 3)))"
        }
        let runs = list(inherited.sources.map(\.run).reversed(), first: 2)
        return Problem(
            code: "inherited-unchanged",
            message: "\(inherited.count) of \(planned) tests did not run: nothing that they read "
                + "has changed since they passed in run \(runs). Unchanged are "
                + "\(inputs.joined(separator: ", ")). \(unchanged.sample.count) tests that could "
                + "be inherited ran all the same.",
            remedy: "`snapfarm run --no-reuse` runs all tests."
        )
    }

    package static let inheritedOtherCode = "inherited-other-code"
}
