// The pictures that differ between attempts of one test, and the consequences.

extension Judging {
    mutating func checkStability() {
        guard evidence.plan.mode == .record else { return checkTakes() }
        for test in evidence.tests {
            for id in RecordRules.unstable(test, in: evidence) {
                unstable += 1
                let takes = test.takes(of: id)
                // A take from an overloaded host shows the difference as well.
                pictures.markUnstable(
                    id,
                    earlier: test.otherTake(of: id) ?? takes.last { $0 != takes.last }
                )
                raise(test, to: .flaky)
                problems.append(problem(ofUnstable: id, takes))
            }
        }
    }

    private func problem(ofUnstable id: SnapshotID, _ takes: [Digest]) -> Problem {
        let isReference = evidence.references[id.cell]?.references.contains { $0.id == id } ?? false
        let outcome = isReference ? "it keeps its old reference." : "it is not recorded."
        guard Set(takes).count > 1 else {
            return Problem(
                code: "unstable-picture",
                message: "\(id) is unstable: one attempt makes it and another one does not.",
                remedy: "See why its test does not always get there; \(outcome)",
                about: id.text
            )
        }
        return Problem(
            code: "unstable-picture",
            message: "\(id) is unstable: two captures of it differ.",
            remedy: "Remove what changes by itself (time, animation, random data); \(outcome)",
            about: id.text
        )
    }

    /// Marks the pictures of red tests that differ from one attempt to another as unstable.
    private mutating func checkTakes() {
        for test in evidence.tests where test.attempts.count > 1 {
            guard let job = jobs[test.key.job], let verdict = verdict(test), job.isRed(verdict),
                let made = test.report?.pictures
            else { continue }
            let captures = made.captures.filter {
                $0.problem == nil && AttemptRules.pictureVerdict($0, job: job) != .passed
            }
            for id in captures.map(\.capture.id) + made.differences.map(\.id)
            where !evidence.alike.contains(id) {
                guard let other = test.otherTake(of: id) else { continue }
                pictures.markUnstable(id, earlier: other)
            }
        }
    }
}

extension TestEvidence {
    /// Returns the digests of all takes of a picture, the oldest first.
    fileprivate func takes(of id: SnapshotID) -> [Digest] {
        attempts.compactMap(\.report).compactMap { Self.take($0, id) }
    }

    /// Returns the newest take of a picture that differs from the last one and is not from an
    /// overloaded host, or `nil` if there is none.
    fileprivate func otherTake(of id: SnapshotID) -> Digest? {
        guard let last = report.flatMap({ Self.take($0, id) }) else { return nil }
        let sound = attempts.compactMap(\.report).filter { !$0.isOverloaded }
        return sound.compactMap { Self.take($0, id) }.last { $0 != last }
    }

    private static func take(_ report: TestReport, _ id: SnapshotID) -> Digest? {
        report.pictures.captures.first { $0.capture.id == id }?.capture.digest
            ?? report.pictures.differences.first { $0.id == id }?.failed
    }
}
