import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("HTML page")
struct HTMLPageTests {
    private let page = HTMLReport.render(Fixture.summary())

    @Test("no name leaves its text or its attribute")
    func hostile() {
        #expect(!page.contains("<script>alert"))
        #expect(page.contains("&lt;script&gt;alert(1)"))
        // Compared by scalars, because a quote with a combining mark is another Character.
        let scalars = Array(page.unicodeScalars)
        let raw = zip(scalars, scalars.dropFirst()).contains { $0 == "\"" && $1 == "\u{301}" }
        #expect(!raw)
    }

    @Test("markup is balanced", .enabled(if: ExternalTool.hasPython))
    func balanced() throws {
        let program = """
            import sys
            from html.parser import HTMLParser
            VOID = {"meta", "img", "input", "link", "br"}
            class Check(HTMLParser):
                def __init__(self):
                    super().__init__(); self.open = []; self.ids = set()
                def handle_starttag(self, tag, attrs):
                    names = [n for n, _ in attrs]
                    assert len(names) == len(set(names)), (tag, attrs)
                    assert not any(n.startswith("on") for n in names), (tag, attrs)
                    for n, v in attrs:
                        if n == "id":
                            assert v not in self.ids, v
                            self.ids.add(v)
                        if n in ("src", "href"):
                            link = tag == "a" and v == "https://ci.example/builds/42"
                            assert link or v.startswith("../") or v.startswith("#"), v
                    if tag == "img": assert "alt" in dict(attrs), attrs
                    if tag not in VOID: self.open.append(tag)
                def handle_endtag(self, tag):
                    assert self.open.pop() == tag, (tag, self.getpos())
            check = Check(); check.feed(sys.stdin.read() if len(sys.argv) < 2 else open(sys.argv[1]).read())
            check.close(); assert not check.open, check.open
            """
        let path = NSTemporaryDirectory() + "snapfarm-page-\(UUID().uuidString).html"
        try Data(page.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = try ExternalTool.run(["python3", "-c", program, path])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test("the page needs no network")
    func offline() {
        // The only link to the outside is the CI's.
        let inside = page.replacing("https://ci.example/builds/42", with: "")
        #expect(!inside.contains("http://") && !inside.contains("https://"))
        #expect(page.contains("default-src &#39;none&#39;"))
    }

    @Test("a changed test's words stand with its picture, and it is not listed a second time")
    func wordsBesidePictures() throws {
        var summary = Fixture.summary()
        let picture = try #require(summary.snapshots.first { $0.verdict == .changed })
        let test = try #require(
            summary.tests.firstIndex {
                $0.test == picture.test && $0.cell == picture.cell && $0.job == picture.job
            }
        )
        #expect(summary.tests[test].verdict == .changed)
        func listed(_ page: String) -> Int {
            page.components(separatedBy: "<article class=\"test").count
        }
        func chip(_ page: String) -> String? {
            page.components(separatedBy: "data-filter=\"changed\"").dropFirst().first?
                .components(separatedBy: "</button>").first
        }
        let before = HTMLReport.render(summary)
        summary.tests[test].message = "the host was <b>overloaded</b>."
        let after = HTMLReport.render(summary)
        #expect(listed(after) == listed(before))
        #expect(chip(after) == chip(before))
        #expect(
            after.contains("<p class=\"quiet\">the host was &lt;b&gt;overloaded&lt;/b&gt;.</p>")
        )
        // Without the picture, nothing else shows the message.
        summary.snapshots = summary.snapshots.filter { $0.verdict == .passed }
        #expect(HTMLReport.render(summary).contains("<pre class=\"message\">the host was"))
    }

    @Test("tests with one cause are one entry, in which each can still be filtered for")
    func causes() throws {
        var summary = Fixture.summary()
        let one = try #require(summary.tests.first)
        summary.snapshots = []
        summary.tests = ["T/a", "T/b", "T/c"].map { id in
            var test = one
            test.test = id
            test.verdict = .failed
            test.message = id == "T/c" ? "another" : "no money\nLog: \(id)"
            return test
        }
        let page = HTMLReport.render(summary)
        #expect(page.ranges(of: "<article class=\"test cause\"").count == 1)
        #expect(page.ranges(of: "<article class=\"test item\"").count == 1)
        #expect(page.ranges(of: "<li class=\"item\" data-v=\"failed\"").count == 2)
        #expect(page.ranges(of: "no money").count == 1)
        #expect(page.contains("Tests <small>3</small>"))
    }

    @Test("pictures that are missing for a reason told above are folded; problems alike are one")
    func folded() throws {
        var summary = Fixture.summary()
        let gone = try #require(summary.snapshots.first { $0.verdict == .missing })
        summary.snapshots = ["a", "b"].map { name in
            var picture = gone
            picture.id = "\(gone.cell)/Old/\(name)"
            (picture.suite, picture.name, picture.test) = ("Old", name, "")
            return picture
        }
        let place = "\(gone.cell)/Old"
        summary.problems = [
            Problem(
                code: "references-without-owner",
                message: "nobody makes \(place).",
                remedy: "Retire it.",
                about: place
            ), Problem(code: "worker-suspended", message: "w is held.", remedy: "Wait."),
        ]
        let page = HTMLReport.render(summary)
        let fold = try #require(page.range(of: "<details class=\"folded\">"))
        let cards = page.ranges(of: "class=\"change item\"")
        #expect(cards.count == 2 && cards.allSatisfy { fold.upperBound <= $0.lowerBound })
        #expect(page.contains("<span>2 pictures follow from it.</span>"))
        #expect(page.contains("<li class=\"note\"><code>worker-suspended</code>"))
    }

    @Test("a card and a test are called by their titles, and their ids can be copied")
    func titles() {
        let id = "\(Fixture.dark)/Login/login_en"
        #expect(page.contains(" title=\"\(id)\"><bdi>login</bdi></a></h4>"))
        #expect(page.contains("<bdi title=\"App/MoneyTests/testFlaky\">Money/testFlaky</bdi>"))
    }

    @Test("pictures are linked from one folder below, and load late")
    func pictures() {
        let folder = "../FailureDiffs/snapshot_test/\(Fixture.dark)/Login"
        #expect(page.contains("src=\"\(folder)/reference_login_en.png\""))
        #expect(page.contains("src=\"\(folder)/failed_login_en.png\""))
        #expect(page.contains("src=\"\(folder)/diff_login_en.png\""))
        let pictures = page.components(separatedBy: "<img ").count - 1
        #expect(page.components(separatedBy: "loading=\"lazy\"").count - 1 == pictures)
    }

    @Test(
        "a path out of the output folder is never linked",
        arguments: ["../x.png", "/x.png", "a//b"]
    )
    func escape(path: String) {
        var summary = Fixture.summary()
        for index in summary.snapshots.indices {
            for kind in summary.snapshots[index].files.keys {
                summary.snapshots[index].files[kind] = path
            }
        }
        #expect(!HTMLReport.render(summary).contains("<img"))
        #expect(!MarkdownReport.render(summary, limitBytes: 1 << 20).contains("<img"))
    }

    @Test("what a limit leaves out is counted on the page")
    func limits() {
        var summary = Fixture.summary()
        let one = summary.tests[0]
        summary.tests = (0..<2_003).map { number in
            var test = one
            test.test = "t\(number)"
            test.verdict = .failed
            return test
        }
        #expect(HTMLReport.render(summary).contains("3 more tests are not shown"))
    }
}

@Suite("Markup")
struct MarkupTests {
    @Test(
        "text is escaped byte by byte, and what no document may hold is dropped",
        arguments: [
            ("plain text", "plain text"), ("", ""), ("<&>\"'", "&lt;&amp;&gt;&quot;&#39;"),
            ("\"\u{301}", "&quot;\u{301}"), ("<\u{200D}b>", "&lt;\u{200D}b&gt;"),
            ("a\u{0}\u{1B}[31mb\u{1B}[0m\u{FFFE}", "ab"), ("a\r\nb\rc", "a\nb\nc"),
            ("\u{1B}]0;title", "]0;title"), ("画面 🎉", "画面 🎉"),
        ]
    )
    func escape(text: String, expected: String) {
        let markup: HTML = "\(text)"
        // Compared by bytes, because equality of strings is canonical equivalence.
        #expect(Array(markup.markup.utf8) == Array(expected.utf8))
    }
}
