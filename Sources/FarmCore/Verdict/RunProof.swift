// The proof that later commits need no run: what the tests could read, and the references with
// which the run is green. A commit with the same inputs, whose pin names exactly these references,
// is green without a test.
//
// Invariant: a run with any doubt (an attempt that differs, a failure, a problem, a quarantine) has
// no proof.
import Foundation

/// The inputs of a complete run, and the references with which it is green.
package struct RunProof: Hashable, Sendable, Codable {
    /// The hash of the run's commit.
    package var commit: String
    /// The digests of all files and programs that the tests could read, like
    /// ``RunFacts/inputs``.
    package var inputs: [String: Digest]
    /// The digest of the references with which every verdict is `passed`; see
    /// ``digest(of:)``.
    package var references: Digest
    /// The number of these references.
    package var count: Int

    /// Whether a part of a later run has the inputs that the same part had.
    ///
    /// Shares are cut anew in each run, so all shares must have had the same inputs.
    package func covers(_ part: String, _ digest: Digest) -> Bool {
        let isShare = (try? ShardPlace(parsing: part)) != nil
        return inputs[part] == digest && (!isShare || Set(inputs.values).count == 1)
    }

    /// Returns the digest of references in any order: of a line `<id> <object> <alternate>…` for
    /// each, sorted.
    package static func digest(of references: [Reference]) -> Digest {
        let lines = references.map { reference in
            let objects = [reference.objectID] + reference.alternates
            return "\(reference.id) \(objects.map(\.hex).joined(separator: " "))\n"
        }.sorted()
        return Digest(of: Data(lines.joined().utf8))
    }

    /// Makes the proof of a judged run, or returns `nil` if the run proves nothing.
    init?(_ evidence: RunEvidence, _ summary: RunSummary) {
        guard let inputs = evidence.facts.inputs, !evidence.facts.commit.isEmpty,
            summary.run.isJudgeable,
            [.passed, .failed].contains(summary.state), summary.quarantined == nil,
            summary.vanished == nil, summary.problems.allSatisfy(\.isNote),
            evidence.leases.allSatisfy({ $0.problem == nil }),
            evidence.plan.jobs.allSatisfy({ $0.job.kind == .unit || $0.job.judge == .farm }),
            summary.tests.allSatisfy({ $0.verdict == .passed || $0.isAboutPictures })
        else { return nil }
        var expected: [Reference] = []
        for test in evidence.tests {
            guard let accepted = Self.references(of: test) else { return nil }
            expected += accepted
        }
        commit = evidence.facts.commit
        self.inputs = inputs
        references = Self.digest(of: expected)
        count = expected.count
    }

    /// Returns the references with which a test case passes, or `nil` if its attempts made
    /// different pictures.
    ///
    /// A picture within tolerance of its reference or of an alternate passes with these only; any
    /// other with itself.
    private static func references(of test: TestEvidence) -> [Reference]? {
        let takes = test.attempts.map { attempt in
            (attempt.report?.pictures.captures ?? []).map {
                [$0.capture.id.text, $0.capture.objectID.hex]
            }
        }
        guard Set(takes).count <= 1 else { return nil }
        return (test.report?.pictures.captures ?? []).map { report in
            let passes = report.comparison?.matches == true
            guard passes, let object = report.reference else {
                return Reference(id: report.capture.id, objectID: report.capture.objectID)
            }
            return Reference(
                id: report.capture.id,
                objectID: object,
                alternates: report.alternates ?? []
            )
        }
    }
}

/// An earlier run that proves a run green.
package struct ProvenBy: Hashable, Sendable, Codable {
    /// The id of the earlier run.
    package var run: String
    package var proof: RunProof

    package init(run: String, proof: RunProof) {
        self.run = run
        self.proof = proof
    }
}

/// The answer of earlier runs to whether one of them proves a run green.
package enum ProofSearch: Hashable, Sendable {
    case proven(CompleteRun)
    /// No proof holds; the reason why the newest one does not.
    case refuted(CompleteRun, ProofMismatch)
    case noProof
}

/// The reason why the proof of an earlier run does not hold for a run.
package enum ProofMismatch: Hashable, Sendable {
    /// Both runs are of one commit.
    case sameCommit
    /// The earlier run was divided into other parts.
    case parts
    case inputs
    /// The pin names `now` references, and they are not exactly those of the proof.
    case references(now: Int)
}

extension RunHistory {
    /// Searches the newest run of another commit that proves this one green.
    ///
    /// `part` is the name of this machine's part. `references` reads the references that the pin
    /// names; it is only called if a run has these inputs.
    package static func proof(
        among runs: [CompleteRun],
        commit: String,
        part: String,
        inputs: Digest,
        references: () throws -> [Reference]
    ) rethrows -> ProofSearch {
        let proofs = runs.filter { $0.proof != nil && !commit.isEmpty }
        let others = proofs.filter { $0.proof?.commit != commit }
        guard let newest = others.first else {
            return proofs.first.map { .refuted($0, .sameCommit) } ?? .noProof
        }
        let same = others.filter { $0.proof?.covers(part, inputs) == true }
        guard let nearest = same.first else {
            let hasPart = newest.proof?.inputs[part] != nil
            return .refuted(newest, hasPart ? .inputs : .parts)
        }
        let named = try references()
        let digest = RunProof.digest(of: named)
        let proven = same.first { $0.proof?.references == digest }
        return proven.map { .proven($0) } ?? .refuted(nearest, .references(now: named.count))
    }
}
