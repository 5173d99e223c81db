import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("The pages about flaky tests")
struct FlakyPagesTests {
    private static let capture = Digest(of: Data("picture".utf8)).description

    private static func links(hasPictures: Bool = true) -> FlakyPages.Links {
        FlakyPages.Links(
            list: "/runs/flaky",
            test: { "/runs/flaky/\($0)" },
            run: { "/runs/\($0.text.count)/" },
            picture: { hasPictures ? "/runs/flaky/pictures/\($0.suffix(8)).png" : nil }
        )
    }

    /// Returns the notes of a picture that differed.
    private static func pictures() throws -> [AttemptNote.Picture] {
        let bytes = Data("picture".utf8)
        let size = PixelSize(width: 2, height: 2)
        let report = CaptureReport(
            capture: Capture(
                id: try SnapshotID(cell: CellID("A"), suite: "S", name: "p"),
                test: nil,
                digest: Digest(of: bytes),
                objectID: ObjectID(ofBlob: bytes),
                bytes: bytes.count
            ),
            reference: ObjectID(ofBlob: Data()),
            comparison: .different(
                PixelDifference(
                    reference: size,
                    capture: size,
                    differing: 1,
                    counted: 1,
                    largestDelta: 9,
                    clusters: []
                )
            )
        )
        let test = TestReport(
            test: TestID("t"),
            ending: .passed,
            seconds: 1,
            pictures: PictureReports(captures: [report])
        )
        let attempt = Attempt(worker: WorkerID("w"), outcome: .reported(test))
        return AttemptNote(attempt).pictures ?? []
    }

    /// Returns the flaky test of some verdicts, newest first; every bad one has an attempt with
    /// these words.
    static func verdicts(
        _ test: String,
        _ verdicts: [Verdict],
        words: String = "no",
        worker: String = "w1",
        seconds: Double = 2,
        picture: Bool = false
    ) -> TestVerdicts {
        let results = verdicts.enumerated().map { index, verdict in
            var note = AttemptNote(
                worker: WorkerID(worker),
                host: "h",
                ending: verdict == .changed ? "changed" : "failed",
                message: words,
                load: 0.974
            )
            note.seconds = seconds
            if picture { note.pictures = (try? pictures()) ?? [] }
            let isGood = verdict == .passed
            return TestVerdicts.Result(
                run: RunID("r\(index)"),
                commit: "0123456789abcdef",
                branch: words,
                started: "2026-11-2\(index % 10)T08:00:00.000Z",
                verdict: verdict,
                attempts: isGood ? [] : verdict == .flaky ? [note, note] : [note]
            )
        }
        return TestVerdicts(
            job: JobName("j"),
            cell: CellID("A"),
            test: TestID(test),
            results: results
        )
    }

    private static func pages(_ tests: [TestVerdicts], hasPictures: Bool = true) -> FlakyPages {
        FlakyPages(FlakyTests(runs: 20, histories: tests), links: links(hasPictures: hasPictures))
    }

    @Test("the list begins with the tests that failed most runs, then with the longest retries")
    func order() throws {
        let pages = Self.pages([
            Self.verdicts("quick", [.flaky, .flaky, .flaky]),
            Self.verdicts("slow", [.flaky, .passed], seconds: 90),
            Self.verdicts("red", [.failed, .passed, .passed]),
        ])
        #expect(pages.tests.map(\.test.text) == ["red", "slow", "quick"])
        let page = pages.list(in: RunsFrame(language: .english))
        for words in [
            "3 / 3", "1 / 2", "90.0 s of retries", "6.0 s of retries", "0 failed runs",
            "1 failed run<", "aria-label=\"failed 1, passed 2\"",
            "since <code>0123456789ab</code>",
        ] { #expect(page.contains(words), "\(words)") }
        #expect(page.contains("<i class=\"failed\" title=\"failed · r0\"></i></span>"))
        for test in pages.tests {
            #expect(page.contains("href=\"/runs/flaky/\(test.id)\""))
            #expect(pages.page(of: test.id, in: RunsFrame(language: .english)) != nil)
        }
        #expect(pages.page(of: "0", in: RunsFrame(language: .english)) == nil)
    }

    @Test("a test's page has its rate, its runs, and what was wrong where, with kept pictures")
    func test() throws {
        let history = Self.verdicts("t", [.changed, .passed, .flaky], picture: true)
        let pages = Self.pages([history])
        let test = try #require(pages.tests.first)
        let page = try #require(pages.page(of: test.id, in: RunsFrame(language: .english)))
        for words in [
            "2 of 3 runs (67 %)", "1 failed run, 2.0 s of retries", "<bdi>w1</bdi>",
            "host load 97 %", "A/S/p: 1 of 4 pixels (25.00 %) differs, largest delta 9",
            "href=\"/runs/2/\"",
            "2026-11-20 08:00 UTC",
        ] { #expect(page.contains(words), "\(words)") }
        #expect(FlakyPages.pictures(of: test) == [Self.capture])
        let image = "src=\"/runs/flaky/pictures/\(Self.capture.suffix(8)).png\""
        #expect(page.contains(image))
        let without = Self.pages([history], hasPictures: false)
        #expect(
            without.page(of: test.id, in: RunsFrame(language: .english))?.contains("<img") == false
        )
    }

    @Test("the lists are limited, and say so")
    func limits() throws {
        let many = (0..<250).map { Self.verdicts("t\($0)", [.flaky]) }
        let page = Self.pages(many).list(in: RunsFrame(language: .english))
        #expect(page.components(separatedBy: "<tr><td>").count == FlakyPages.testsMax + 1)
        #expect(page.contains("And 50 more."))
        let long = Self.pages([
            Self.verdicts("t", Array(repeating: .flaky, count: 300), picture: true)
        ])
        let test = try #require(long.tests.first)
        #expect(test.runs == 300 && test.recent.count == 50)
        let none = Self.pages([]).list(in: RunsFrame(language: .english))
        #expect(none.contains("No test was flaky in the newest 20 runs."))
    }

    @Test(
        "no name leads out of its place",
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a\u{202E}b",
            "a\u{1B}[31mb", "javascript:alert(1)", String(repeating: "x", count: 4_096),
        ]
    )
    func hostile(name: String) throws {
        let pages = Self.pages([
            Self.verdicts(name, [.failed, .passed, .flaky], words: name, worker: name)
        ])
        let test = try #require(pages.tests.first)
        for language in PageLanguage.allCases {
            let frame = RunsFrame(language: language)
            let page = try #require(pages.page(of: test.id, in: frame))
            for text in [page, pages.list(in: frame)] {
                for word in ["<script>alert", "<img src=x", "\u{202E}", "\u{1B}"] {
                    #expect(!text.contains(word), "\(word)")
                }
                #expect(!text.contains("href=\"javascript") && text.utf8.count < 40_000)
            }
        }
    }

    @Test("a page that is a file has all in it, and links its other language")
    func files() {
        let pages = Self.pages([Self.verdicts("t", [.flaky])])
        let page = pages.list(in: RunsFrame(language: .japanese) { "index.\($0.rawValue).html" })
        #expect(page.contains("<style>") && !page.contains("/assets/") && !page.contains("<script"))
        #expect(page.contains("href=\"index.en.html\" lang=\"en\""))
        #expect(page.contains("<h1><bdi>不安定なテスト</bdi></h1>"))
        #expect(page.contains("失敗した実行 0回") && page.contains("再実行 2.0秒"))
    }
}
