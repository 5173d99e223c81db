// The rule that proposes quarantine entries: tests that were flaky often enough, on enough hosts, on
// days without a fault of the farm. A broken test is never proposed: no pass contradicts it.

/// The rule by which flaky tests are proposed for the quarantine.
package struct QuarantineRule: Hashable, Sendable {
    /// The least number of times that a test was flaky, like ``FlakyTest/times``.
    package var times: Int
    /// The least number of hosts on which it was, so that a sick machine quarantines nothing.
    package var hosts: Int
    /// The clean runs in a row after which a proposed entry leaves.
    package var cleanRuns: Int
    /// The days after which a proposed entry ends at the latest.
    package var days: Int

    package init(times: Int, hosts: Int, cleanRuns: Int, days: Int) {
        self.times = times
        self.hosts = hosts
        self.cleanRuns = cleanRuns
        self.days = days
    }

    /// Returns an entry for each test that the rule finds in `flaky` and that no dated entry of the
    /// pipeline names, in the order of `flaky`.
    ///
    /// `now` is in milliseconds since 1970.
    package func proposals(
        from flaky: FlakyTests,
        for pipeline: Pipeline,
        now: Int64
    ) -> [QuarantineEntry] {
        let quarantine = Quarantine(pipeline.quarantine, startedAt: now)
        let cells = Dictionary(pipeline.jobs.map { ($0.name, Set($0.cells.map(\.id))) }) {
            first,
            _ in first
        }
        let room = max(0, FarmLimits.quarantineMax - pipeline.quarantine.count)
        let until = PruneDay(secondsSince1970: Double(now) / 1000 + Double(days) * 86_400).text
        return flaky.tests.filter { test in
            test.times >= times && test.hosts >= hosts
                && cells[test.job]?.contains(test.cell) == true
                && quarantine.entry(ofTest: test.test, cell: test.cell) == nil
        }.map { test in
            QuarantineEntry(
                test: Self.pattern(test.test.text),
                cell: test.cell == .host ? nil : Self.pattern(test.cell.text),
                until: until,
                reason: test.reason(of: flaky.runs),
                cleanRuns: cleanRuns
            )
        }.filter { ($0.test?.utf8.count ?? 0) <= FarmLimits.patternBytesMax }.prefix(room).map(
            \.self
        )
    }

    /// Returns the pattern that matches only this name.
    private static func pattern(_ name: String) -> String {
        String(name.flatMap { "*?\\".contains($0) ? ["\\", $0] : [$0] })
    }
}

extension FlakyTest {
    /// Returns the reason of a proposed entry, such as `flaky 4 times in 20 runs on 3 hosts, since
    /// 39b077247f91 of 2026-11-21`.
    fileprivate func reason(of runs: Int) -> String {
        func count(_ number: Int, _ word: String) -> String {
            "\(number) \(word)\(number == 1 ? "" : "s")"
        }
        let since = since.map { ", since \($0.commit.prefix(12)) of \($0.day)" } ?? ""
        return "flaky \(count(times, "time")) in \(count(runs, "run")) on "
            + count(hosts, "host") + since
    }
}
