// Which part of a job this machine is. Providers count from zero or from one; here, and nowhere
// else, all become zero-based.
import FarmCore

/// One of several machines that share a job.
package struct CIShard: Hashable, Sendable {
    /// 0 ..< total.
    package let index: Int
    /// At least 2: a job on one machine is not sharded.
    package let total: Int

    init?(index: Int, total: Int) {
        guard total > 1, (0..<total).contains(index) else { return nil }
        self.index = index
        self.total = total
    }

    /// What `SNAPFARM_SHARD_INDEX` and `SNAPFARM_SHARD_TOTAL` say, else what the provider says; nil
    /// where neither splits the job.
    package static func detect(_ environment: [String: String]) -> CIShard? {
        if let found = CIEnvironment.detect(environment) { return found.shard }
        return CIShardRow.own.read(environment).shard
    }
}

/// The pair of variables that tells the place, and what it counts from.
struct CIShardRow: Sendable {
    let index: String
    let total: String
    let base: Int

    /// For providers that tell nothing (GitHub: pass `${{ strategy.job-index }}` and
    /// `job-total`), and to overrule those that do; zero-based.
    static let own = CIShardRow(
        index: "SNAPFARM_SHARD_INDEX",
        total: "SNAPFARM_SHARD_TOTAL",
        base: 0
    )

    /// The place, or what is wrong with the pair; half a pair is no place.
    func read(_ environment: [String: String]) -> (shard: CIShard?, problem: Problem?) {
        let index = environment[index].flatMap { $0.isEmpty ? nil : $0 }
        let total = environment[total].flatMap { $0.isEmpty ? nil : $0 }
        // One machine: GitLab then sets the total alone, CircleCI both.
        guard index != nil || total != nil, total != "1" else { return (nil, nil) }
        guard let index, let total else {
            return (nil, problem("only \(index == nil ? self.total : self.index) is set"))
        }
        guard let number = Int(index), let count = Int(total),
            let shard = CIShard(index: number &- base, total: count)
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
