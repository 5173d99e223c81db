// Tests of what a report says about the findings of a comparison.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("Report of a comparison")
struct ComparisonReportTests {
    private static func report(
        _ findings: [Finding],
        cells: [CellSummary] = []
    ) -> ComparisonReport {
        ComparisonReport(
            findings: findings,
            totals: CompareTotals(),
            neverAccepted: 0,
            origin: .folders,
            left: SideTitle(name: "old", kind: .folder),
            right: SideTitle(name: "new", kind: .folder),
            policy: "visible",
            cells: cells,
            knowsAcceptances: false,
            language: "en"
        )
    }

    private static func finding(_ path: PathBytes, _ verdict: PairVerdict) -> Finding {
        Finding(pair: PicturePair(number: 1, a: path, b: path), verdict: verdict)
    }

    @Test("reg.json has every picture of random comparisons in exactly one list")
    func exactlyOnce() {
        var generator = SeededGenerator.announced("ComparisonReportTests.exactlyOnce")
        for _ in 0..<200 {
            var left: Set<String> = []
            var right: Set<String> = []
            let findings = (0..<Int.random(in: 0...40, using: &generator)).map { number in
                let verdict = PairVerdict.allCases.randomElement(using: &generator) ?? .different
                let (old, new) = ("old-\(number).png", "\(number).png")
                var finding = Self.finding(PathBytes(new), verdict)
                if verdict == .renamed {
                    finding.pair.a = PathBytes(old)
                    finding.from = PathBytes(old)
                }
                if verdict != .added { left.insert(verdict == .renamed ? old : new) }
                if verdict != .removed { right.insert(new) }
                return finding
            }
            let reg = Self.report(findings).reg
            let lists = [reg.failedItems, reg.newItems, reg.deletedItems, reg.passedItems]
            let all = lists.flatMap(\.self)
            #expect(Set(all).count == all.count, "\(all)")
            #expect(Set(all) == left.union(right))
            #expect(Set(reg.expectedItems) == left && reg.expectedItems.count == left.count)
            #expect(Set(reg.actualItems) == right && reg.actualItems.count == right.count)
            #expect(reg.diffItems.isEmpty)
        }
    }

    @Test("names with known cells are grouped by cell, other names by folder")
    func names() {
        let path = PathBytes("Phone/Ride/pay.png")
        let plain = Self.report([Self.finding(path, .added)]).summary.snapshots[0]
        #expect((plain.cell, plain.suite, plain.name) == ("", "Phone/Ride", "pay"))
        let cell = CellSummary(Cell(id: CellID("Phone"), device: nil, variant: []))
        let known = Self.report([Self.finding(path, .added)], cells: [cell]).summary.snapshots[0]
        #expect((known.cell, known.suite, known.name) == ("Phone", "Ride", "pay"))
        #expect(known.id == "Phone/Ride/pay" && known.verdict == .new)
    }

    @Test("names that are no text stay apart")
    func notText() {
        let names = [0xFF, 0xFE].map { PathBytes([0x61, $0] + Array(".png".utf8)) }
        let report = Self.report(names.map { Self.finding($0, .different) })
        #expect(Set(report.reg.failedItems).count == 2)
        #expect(Set(report.summary.snapshots.map(\.id)).count == 2)
        #expect(report.summary.changes?.count == 2)
    }
}
