// Tests of an earlier run that discovery did not list. Tests with references are left out, because
// each of their pictures is made by another test or missing.

extension Judging {
    mutating func addVanishedTests() {
        let plan = evidence.plan
        // A record run decides anew which tests exist.
        guard plan.mode == .verify, !plan.filtered, plan.share == nil, let lost = plan.lost else {
            return
        }
        for planned in plan.jobs {
            let job = planned.job
            let gone = Set(lost.tests(of: job.name)).subtracting(planned.tests)
            guard !gone.isEmpty else { continue }
            let tests = gone.subtracting(recorded(job)).filter { !isQuarantined($0, of: job) }
                .sorted()
            guard !tests.isEmpty else { continue }
            if let other = lost.other {
                problems.append(.testsGone(tests, of: job.name, other: other))
            } else if job.vanished == .accept {
                problems.append(.testsVanishedAccepted(tests, of: job.name))
            } else {
                problems.append(.testsVanished(tests, of: job.name, run: lost.run))
                vanished[job.name.text] = tests.map(\.text)
            }
        }
    }

    /// Returns the tests of a snapshot job that have references, by the records of suites; empty
    /// for another job.
    private func recorded(_ job: Job) -> Set<TestID> {
        guard job.kind == .snapshot else { return [] }
        var tests: Set<TestID> = []
        for cell in job.cells {
            guard let known = evidence.references[cell.id] else { continue }
            let names = Set(known.references.lazy.map { "\($0.id.suite)/\($0.id.name)" })
            for suite in known.suites.values where !owners.isOther(suite) {
                tests.formUnion(suite.tests.lazy.filter { names.contains($0.key) }.map(\.value))
            }
        }
        return tests
    }

    private func isQuarantined(_ test: TestID, of job: Job) -> Bool {
        !quarantine.isEmpty
            && job.cells.allSatisfy { quarantine.entry(ofTest: test, cell: $0.id) != nil }
    }
}

extension Problem {
    /// The most tests that a message names; the summary's `vanished` has all.
    private static let namesMax = 10

    private static func words(_ tests: [TestID], _ job: JobName) -> (count: String, names: String) {
        let shown = tests.prefix(namesMax).map(\.text).joined(separator: ", ")
        let rest = tests.count > namesMax ? " and \(tests.count - namesMax) more" : ""
        let noun = tests.count == 1 ? "test" : "tests"
        return ("job \(job): \(tests.count) \(noun)", shown + rest)
    }

    fileprivate static func testsVanished(
        _ tests: [TestID],
        of job: JobName,
        run: String
    ) -> Problem {
        let words = words(tests, job)
        return Problem(
            code: "tests-vanished",
            message:
                "\(words.count) of the last complete runs (up to \(run)) vanished: discovery does "
                + "not list them any more. \(words.names)",
            remedy: "`snapfarm list` shows what discovery finds now. If they were deleted on "
                + "purpose, name them in `quarantine` with the reason, or write `vanished: accept` "
                + "into the job.",
            about: job.text
        )
    }

    fileprivate static func testsVanishedAccepted(_ tests: [TestID], of job: JobName) -> Problem {
        let words = words(tests, job)
        return Problem(
            code: "tests-vanished-accepted",
            message: "\(words.count) of the last complete run vanished: \(words.names)",
            remedy: "Nothing to do: the job says `vanished: accept`.",
            about: job.text
        )
    }

    fileprivate static func testsGone(
        _ tests: [TestID],
        of job: JobName,
        other: String
    ) -> Problem {
        let words = words(tests, job)
        return Problem(
            code: "tests-gone",
            message: "\(words.count) of the last complete run of \(other) are not in this one: "
                + words.names,
            remedy:
                "Nothing to do if they never were here. If they were deleted, a run that keeps a "
                + "history is red until `quarantine` names them or the job says "
                + "`vanished: accept`.",
            about: job.text
        )
    }
}
