// This machine's shard of a job. Providers count from zero or from one; here alone, all become
// zero-based.
import FarmCore

/// One of several machines that share a job.
package struct CIShare: Hashable, Sendable {
    /// The shard's index, in `0 ..< total`.
    package let index: Int
    /// The number of shards, at least 2: a job on one machine has no shards.
    package let total: Int

    init?(index: Int, total: Int) {
        guard total > 1, (0..<total).contains(index) else { return nil }
        self.index = index
        self.total = total
    }

    /// Returns this machine's shard by `SNAPFARM_SHARD_INDEX` and `SNAPFARM_SHARD_TOTAL`, or else
    /// by the provider's variables; `nil` if neither splits the job.
    package static func detect(_ environment: [String: String]) -> CIShare? {
        if let found = CIEnvironment.detect(environment) { return found.shard }
        return CIShareRow.own.read(environment).shard
    }
}

/// The two variables that a shard is read from, and the number that the index starts at.
struct CIShareRow: Sendable {
    let index: String
    let total: String
    let base: Int

    /// snapfarm's own variables of a shard, which are zero-based.
    ///
    /// They serve providers without an index (GitHub: pass `${{ strategy.job-index }}` and
    /// `job-total`), and overrule the others.
    static let own = CIShareRow(
        index: "SNAPFARM_SHARD_INDEX",
        total: "SNAPFARM_SHARD_TOTAL",
        base: 0
    )

    /// Reads the shard from the environment: `nil` on a single machine, and a problem if the
    /// variables are invalid or only one of them is set.
    func read(_ environment: [String: String]) -> (shard: CIShare?, problem: Problem?) {
        let index = environment[index].flatMap { $0.isEmpty ? nil : $0 }
        let total = environment[total].flatMap { $0.isEmpty ? nil : $0 }
        // One machine: GitLab then sets only the total, CircleCI both.
        guard index != nil || total != nil, total != "1" else { return (nil, nil) }
        guard let index, let total else {
            return (nil, problem("only \(index == nil ? self.total : self.index) is set"))
        }
        guard let number = Int(index), let count = Int(total),
            let shard = CIShare(index: number &- base, total: count)
        else { return (nil, problem("\(index) of \(total) is no place counted from \(base)")) }
        return (shard, nil)
    }

    private func problem(_ reason: String) -> Problem {
        Problem(
            code: "shard-unclear",
            message: "\(index) and \(total) do not say which shard this is: \(reason).",
            remedy: "All tests run here. Set both variables, or neither."
        )
    }
}
