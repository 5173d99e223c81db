// Tests of the index of published reports, and of the reports' names.
import FarmCore
import Foundation
import Testing

@testable import FarmReports

@Suite("The index of published reports")
struct ReportIndexTests {
    private static func report(
        _ left: String,
        _ right: String = "v2",
        at time: String = "2026-11-21T08:00:00Z",
        headline: String = "9 different"
    ) -> PublishedReport {
        PublishedReport(
            comparing: SideTitle(name: left, kind: .folder),
            SideTitle(name: right, kind: .folder),
            pipeline: "shop",
            commit: "",
            state: .passed,
            headline: headline,
            published: time
        )
    }

    private static func index(_ reports: [PublishedReport]) -> ReportIndex {
        ReportIndex(Dictionary(uniqueKeysWithValues: reports.map { ($0.factsFile, $0) }))
    }

    @Test(
        "a report's name is safe in a path and a URL, and other releases have other names",
        arguments: [
            ("v1", "v2", "v1...v2"), ("v1.0-rc_1", "HEAD", "v1.0-rc_1...HEAD"),
        ]
    )
    func plainNames(left: String, right: String, name: String) {
        #expect(Self.report(left, right).name == "releases/" + name)
    }

    @Test("a name with other characters keeps its readable part and gets a digest")
    func otherNames() {
        let names = ["a/b", "a b", "a-b", "../x", "リリース", String(repeating: "x", count: 300)]
            .map { Self.report($0).name }
        #expect(Set(names).count == names.count)
        for name in names {
            let part = name.dropFirst("releases/".count)
            #expect(part.utf8.count <= 140 && !part.hasPrefix("."), "\(name)")
            #expect(part.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil, "\(name)")
        }
    }

    @Test("the page carries the facts of its reports, whatever their words are")
    func facts() {
        let hostile = "</script><script>alert(1)</script> \u{2028} \"'&"
        let index = Self.index([
            Self.report("v1", headline: hostile),
            Self.report("v0", at: "2026-11-20T08:00:00Z"),
        ])
        let page = index.render()
        #expect(ReportIndex(page: Data(page.utf8)).reports == index.reports)
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(page.components(separatedBy: "</script>").count == 2)
        #expect(ReportIndex(page: Data("<html>".utf8)).reports.isEmpty)
    }

    @Test("newer reports come first, and a report that was published again is listed once")
    func order() throws {
        let index = Self.index([
            Self.report("v1", at: "2026-11-20T08:00:00Z", headline: "old words"),
            Self.report("v0", at: "2026-11-21T08:00:00Z"),
            Self.report("v1", at: "2026-11-22T08:00:00Z", headline: "new words"),
        ])
        let page = index.render()
        let body = try #require(page.components(separatedBy: "<script").first)
        #expect(body.contains("new words") && !body.contains("old words"))
        let new = try #require(body.range(of: "v1 → v2"))
        let old = try #require(body.range(of: "v0 → v2"))
        #expect(new.lowerBound < old.lowerBound)
    }

    @Test("an index has a limit, and keeps the newest reports")
    func limit() {
        let index = Self.index(
            (0..<ReportIndex.reportsMax + 5).map {
                Self.report("v\($0)", at: ISO8601.text(Int64($0) * 1_000))
            }
        )
        #expect(index.reports.count == ReportIndex.reportsMax)
        #expect(!index.reports.values.contains { $0.title == "v4 → v2" })
    }
}
