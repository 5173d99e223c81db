// The results that come from an earlier run: a judgement of its pictures, or its proof.

extension RunFacts {
    /// The number of digits that a judgement's id has after the id of the judged run and a hyphen.
    package static let judgementDigits = 8
}

extension RunSummary {
    /// Whether no test ran, because an earlier run proves this one green.
    package var isProven: Bool { problems.contains { $0.code == "unchanged" } }

    /// The id of the run whose pictures were judged again, or `nil` if this is no judgement.
    package var judgedRun: String? {
        guard problems.contains(where: { $0.code == "judged-again" }) else { return nil }
        return String(run.id.dropLast(1 + RunFacts.judgementDigits))
    }
}
