import FarmCore
import FarmLedger
import Foundation
import Testing

extension LedgerPromise {
    /// Decisions: in order, once, without any run, and never more than promised.
    static let decisions = [
        LedgerPromise("decisions are read back as they were made, in order, and by pipeline") {
            let all = try Decision.Kind.allCases.enumerated().map { number, kind in
                try LedgerBench.decision(
                    kind,
                    "p\(number)",
                    reason: "it's \"<b>\" \u{202E}",
                    when: 7
                )
            }
            let other = try LedgerBench.decision(.rejected, "p0", pipeline: "other")
            try await $0.ledger.add(all + [other])
            #expect(try await $0.ledger.decisions(of: "p") == all)
            #expect(try await $0.ledger.decisions(of: "other") == [other])
            #expect(try await $0.ledger.decisions(of: "none") == [])
        },
        LedgerPromise("who knows some decisions asks only for those behind them") {
            let empty = try await $0.ledger.decisions(of: "p", after: 0)
            #expect(empty == DecisionList(decisions: [], newest: 0))
            try await $0.ledger.add([
                try LedgerBench.decision(.rejected, "a"), try LedgerBench.decision(.accepted, "b"),
            ])
            let first = try await $0.ledger.decisions(of: "p", after: 0)
            let nothing = try await $0.ledger.decisions(of: "p", after: first.newest)
            #expect(nothing == DecisionList(decisions: [], newest: first.newest))
            let late = try LedgerBench.decision(.withdrawn, "a")
            try await $0.ledger.add([late])
            let second = try await $0.ledger.decisions(of: "p", after: first.newest)
            #expect(second.decisions == [late] && second.newest > first.newest)
        },
        LedgerPromise("a decision that comes twice is kept once, and a change of mind is kept") {
            let pale = try LedgerBench.decision(.rejected, "a", reason: "pale", when: 1)
            try await $0.ledger.add([pale])
            try await $0.ledger.add([pale])
            try await $0.ledger.add([try LedgerBench.decision(.rejected, "a", when: 2)])
            #expect(try await $0.ledger.decisions(of: "p") == [pale])
            let changes = [
                try LedgerBench.decision(.commented, "a", reason: "see above", when: 3),
                try LedgerBench.decision(.rejected, "a", reason: "too pale", when: 4),
                try LedgerBench.decision(.rejected, "a", who: "bob", when: 5),
                try LedgerBench.decision(.accepted, "a", who: "bob", when: 6),
                try LedgerBench.decision(.rejected, "a", who: "bob", when: 7),
            ]
            for change in changes { try await $0.ledger.add([change, change]) }
            try await $0.ledger.add([
                try LedgerBench.decision(.commented, "a", reason: "see above", when: 8)
            ])
            #expect(try await $0.ledger.decisions(of: "p") == [pale] + changes)
        },
        LedgerPromise("another capture or another reference is another picture") {
            let same = [
                try LedgerBench.decision(.rejected, "a"),
                try LedgerBench.decision(.rejected, "a", capture: "other"),
                try LedgerBench.decision(.rejected, "a", reference: "other"),
                try LedgerBench.decision(.rejected, "a", capture: nil),
                try LedgerBench.decision(.rejected, "a", reference: nil),
            ]
            try await $0.ledger.add(same)
            #expect(try await $0.ledger.decisions(of: "p") == same)
        },
        LedgerPromise("a call with one decision that cannot be is refused whole") {
            let good = try LedgerBench.decision(.rejected, "good")
            let long = String(repeating: "x", count: FarmLimits.decisionReasonBytesMax + 1)
            let bad = [
                try LedgerBench.decision(.rejected, "a", reason: long),
                try LedgerBench.decision(.rejected, "a", reason: "a\u{0}b"),
                try LedgerBench.decision(.rejected, "a", pipeline: ""),
                try LedgerBench.decision(.rejected, "a", who: long),
                try LedgerBench.decision(.rejected, "a", capture: nil, reference: nil),
                try LedgerBench.decision(.rejected, "a", when: -1),
            ]
            for one in bad {
                await #expect(throws: LedgerError.self) {
                    [bench = $0] in try await bench.ledger.add([good, one])
                }
            }
            let many = Array(repeating: good, count: FarmLimits.decisionsPerCallMax + 1)
            await #expect(throws: LedgerError.self) {
                [bench = $0] in try await bench.ledger.add(many)
            }
            try await $0.ledger.add([])
            #expect(try await $0.ledger.decisions(of: "p") == [])
        },
    ]

}

extension LedgerBench {
    package static func decision(
        _ kind: Decision.Kind,
        _ name: String,
        pipeline: String = "p",
        capture: String? = "capture",
        reference: String? = "reference",
        reason: String = "",
        who: String = "ada",
        when: Int64 = 1
    ) throws -> Decision {
        Decision(
            kind: kind,
            pipeline: pipeline,
            snapshot: try SnapshotID(cell: CellID("c"), suite: "S", name: name),
            capture: capture.map { Digest(of: Data($0.utf8)) },
            reference: reference.map { ObjectID(ofBlob: Data($0.utf8)) },
            reason: reason,
            who: who,
            when: when,
            run: "r"
        )
    }
}
