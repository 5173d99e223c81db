// Tests of the index of a place at which other machines publish, too.
import FarmCore
import FarmReports
import Foundation
import Synchronization
import Testing

@testable import FarmRun

@Suite("Listing published reports")
struct ReportListingTests {
    /// A place in memory, at which another machine publishes while an index is being written.
    private final class SharedPlace: ReportPlace {
        let address = "https://r.example"
        private let files = Mutex<[String: Data]>([:])
        private let rivals: Mutex<[PublishedReport]>

        init(rivals: [PublishedReport]) { self.rivals = Mutex(rivals) }

        func put(_ files: [ReportFile], into folder: String) {}

        func put(_ bytes: Data, as name: String) throws {
            if name == ReportIndex.name,
                let rival = rivals.withLock({ $0.isEmpty ? nil : $0.removeFirst() })
            {
                let facts = try JSONEncoder().encode(rival)
                files.withLock { $0["facts/\(rival.factsFile)"] = facts }
            }
            files.withLock { $0[name] = bytes }
        }

        func read(_ name: String) -> Data? { files.withLock { $0[name] } }

        func names(in folder: String) -> [String] {
            files.withLock { files in
                files.keys.filter { $0.hasPrefix(folder + "/") }
                    .map { String($0.dropFirst(folder.count + 1)) }
            }
        }

        func remove(_ name: String) { files.withLock { $0[name] = nil } }

        var titles: Set<String> {
            Set(ReportIndex(page: read(ReportIndex.name) ?? Data()).reports.values.map(\.title))
        }
    }

    private static func report(_ left: String) -> PublishedReport {
        PublishedReport(
            comparing: SideTitle(name: left, kind: .folder),
            SideTitle(name: "now", kind: .folder),
            pipeline: "shop",
            commit: "",
            state: .passed,
            headline: "",
            published: "2026-11-21T08:00:00Z"
        )
    }

    @Test("a report that another machine publishes meanwhile is in the last index")
    func meanwhile() async throws {
        let place = SharedPlace(rivals: [Self.report("theirs"), Self.report("third")])
        try await ReportPublisher.list(Self.report("ours"), at: place)
        #expect(place.titles == ["ours → now", "theirs → now", "third → now"])
    }

    @Test("an index that is lost or was overwritten is made anew from the facts")
    func lost() async throws {
        let place = SharedPlace(rivals: [])
        try await ReportPublisher.list(Self.report("first"), at: place)
        place.remove(ReportIndex.name)
        try await ReportPublisher.list(Self.report("second"), at: place)
        #expect(place.titles == ["first → now", "second → now"])
    }

    @Test("a report whose facts were removed leaves the index")
    func removed() async throws {
        let place = SharedPlace(rivals: [])
        let first = Self.report("first")
        try await ReportPublisher.list(first, at: place)
        place.remove("facts/\(first.factsFile)")
        try await ReportPublisher.list(Self.report("second"), at: place)
        #expect(place.titles == ["second → now"])
    }

    @Test(
        "browsers show pages and pictures, and keep what they do not know",
        arguments: [
            ("index.html", "text/html; charset=utf-8"), ("A/one.png", "image/png"),
            ("reg.json", "application/json"), ("FailureDiffs.zip", "application/zip"),
            ("logs/a.txt", "text/plain; charset=utf-8"), ("x.svg", "application/octet-stream"),
        ]
    )
    func types(name: String, type: String) {
        #expect(ReportFile.type(of: name) == type)
    }
}
