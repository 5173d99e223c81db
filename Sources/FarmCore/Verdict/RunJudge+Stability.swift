// The pictures that differ between attempts of one test, and the consequences.

extension Judging {
    mutating func checkStability() {
        guard evidence.plan.mode == .record else { return checkTakes() }
        for test in evidence.tests {
            for id in RecordRules.unstable(test, in: evidence) {
                unstable += 1
                pictures.markUnstable(
                    id,
                    earlier: test.otherTake(of: id) ?? test.anyOtherTake(of: id)
                )
                raise(test, to: .flaky)
                problems.append(problem(ofUnstable: id, test.takes(of: id)))
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
    ///
    /// An overloaded host is no evidence against a test. It is against a picture that may become a
    /// reference: the next run would compare with one of several.
    private mutating func checkTakes() {
        for test in evidence.tests where test.attempts.count > 1 {
            guard let job = jobs[test.key.job], let verdict = verdict(test), job.isRed(verdict),
                let made = test.report?.pictures
            else { continue }
            let captures = made.captures.filter {
                $0.problem == nil && AttemptRules.pictureVerdict($0, job: job) != .passed
            }
            let candidates = job.repeatNew == nil ? [] : captures.filter { $0.compared == nil }
            let mayBeReferences = Set(candidates.map(\.capture.id))
            for id in captures.map(\.capture.id) + made.differences.map(\.id)
            where !evidence.alike.contains(id) {
                let any = mayBeReferences.contains(id) ? test.anyOtherTake(of: id) : nil
                guard let other = test.otherTake(of: id) ?? any else { continue }
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

    /// Returns the newest take of a picture that differs from the last one, or `nil` if there is
    /// none.
    fileprivate func anyOtherTake(of id: SnapshotID) -> Digest? {
        let takes = takes(of: id)
        return takes.last { $0 != takes.last }
    }

    private static func take(_ report: TestReport, _ id: SnapshotID) -> Digest? {
        report.pictures.captures.first { $0.capture.id == id }?.capture.digest
            ?? report.pictures.differences.first { $0.id == id }?.failed
    }
}
