// The list of runs with what each inherited, for people.
import FarmCore

/// Formats the numbers of inherited tests as a table for people.
package enum ReuseTable {
    /// Returns the table's rows: a header, and a row for each of the newest runs.
    package static func rows(_ record: ReuseRecord, limit: Int) -> [[String]] {
        [["RUN", "TESTS", "INHERITED", "SAMPLED", "DIFFERED"]]
            + record.counts.prefix(limit).map { count in
                [
                    count.run, "\(count.planned)", "\(count.inherited)", "\(count.sampled)",
                    count.differed > 0 ? "\(count.differed)" : "",
                ]
            }
    }

    /// Returns the sentence about all runs, and one about the jobs that inherit nothing.
    package static func lines(_ record: ReuseRecord) -> [String] {
        let total = record.total
        let share = total.planned == 0 ? 0 : total.inherited * 1_000 / total.planned
        let jobs = record.off.map(\.text).joined(separator: ", ")
        return [
            "\(Amount.count(record.runs, "run")): \(total.inherited) of "
                + "\(Amount.count(total.planned, "test")) inherited (\(share / 10).\(share % 10) %), "
                + "\(total.sampled) sampled, \(total.differed) of these differed."
        ]
            + (jobs.isEmpty
                ? [] : ["Until a run of all tests is green, nothing is inherited in: \(jobs)."])
    }
}
