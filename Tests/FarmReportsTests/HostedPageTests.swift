// Tests of the page for decisions: the decisions it shows, its forms, its languages and its limits.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("Hosted page")
struct HostedPageTests {
    private let summary = ChangedRun.summary()

    private func page(
        _ review: PageReview = ChangedRun.review(),
        _ language: PageLanguage = .english,
        change: String? = nil
    ) -> String {
        HTMLReport.render(
            PageRun(summary),
            review: review,
            language: language,
            query: PageQuery(change.map { [("change", $0)] } ?? [])
        )
    }

    @Test("a host's page has no style and no script of its own, in no language")
    func strict() {
        for language in PageLanguage.allCases {
            let page = page(ChangedRun.review(), language)
            #expect(!page.contains("<style") && !page.contains("style=\""))
            #expect(page.ranges(of: "<script").count == 1)
            #expect(page.contains("<script src=\"/r/script\" defer></script>"))
            #expect(page.firstRange(of: #/ on[a-z]+="/#) == nil)
            #expect(page.contains("<html lang=\"\(language.rawValue)\">"))
        }
    }

    @Test("each change has a form of its own; one around its cells takes what is ticked")
    func forms() {
        let page = page()
        let whole = "<input type=\"hidden\" name=\"change\" value=\"\(ChangedRun.many)\">"
        #expect(page.ranges(of: whole).count == 1)
        #expect(page.ranges(of: "name=\"token\" value=\"secret&quot;&lt;\"").count == 6)
        #expect(page.contains("name=\"back\" value=\"c-\(ChangedRun.many)\""))
        #expect(page.contains("name=\"snapshot\" value=\"\(Fixture.light)/Login/login_en\""))
        for kind in ["accepted", "rejected", "withdrawn", "commented"] {
            // One more button accepts everything open, and one withdraws that.
            let count = kind == "accepted" || kind == "withdrawn" ? 4 : 3
            #expect(page.ranges(of: "name=\"kind\" value=\"\(kind)\"").count == count)
        }
        // A picture that cannot be decided about has no form.
        let flaky = page.components(separatedBy: "id=\"c-\(ChangedRun.unstable)\"").last ?? ""
        let card = flaky.components(separatedBy: "</article>").first ?? ""
        #expect(card.contains("<h4>") && !card.contains("<form"))
    }

    @Test("only a change with a picture that can become an alternate has the button for that")
    func alternates() {
        let button = "name=\"kind\" value=\"alternate\""
        let forms = page().components(separatedBy: "name=\"back\" value=\"c-").dropFirst()
        let changed = forms.filter { $0.hasPrefix(ChangedRun.many) }
        let new = forms.filter { $0.hasPrefix(ChangedRun.new) }
        #expect(!changed.isEmpty && changed.allSatisfy { $0.ranges(of: button).count == 1 })
        #expect(!new.isEmpty && new.allSatisfy { !$0.contains(button) })
        var summary = summary
        for index in summary.snapshots.indices { summary.snapshots[index].judge = .framework }
        let framework = HTMLReport.render(
            PageRun(summary),
            review: ChangedRun.review(),
            language: .english,
            query: PageQuery([])
        )
        #expect(framework.contains("value=\"accepted\"") && !framework.contains(button))
    }

    @Test("filters by decisions say how many changes they show, also to a page that asks again")
    func counts() throws {
        let review = ChangedRun.review([ChangedRun.decisions(.rejected, reason: "no")])
        let page = page(review)
        #expect(page.contains("To decide <b>1</b>") && page.contains("Rejected <b>1</b>"))
        let counts = try ChangedRun.answer(summary, review)["counts"] as? [String: Int]
        #expect(
            counts == ["open": 1, "accepted": 0, "rejected": 1, "published": 0, "mixed": 0]
        )
    }

    @Test(
        "a rejection has a field of its own for its reason and needs it, a comment has another one"
    )
    func fields() {
        let page = page()
        #expect(page.ranges(of: /<textarea name="reason"[^>]* required>/).count == 3)
        #expect(page.ranges(of: /<textarea name="comment"[^>]*[0-9]">/).count == 3)
        #expect(page.ranges(of: /<button name="kind" value="rejected">/).count == 3)
    }

    @Test("who may only look has no form and no button")
    func look() {
        var review = ChangedRun.review()
        review.mayDecide = false
        let page = page(review)
        #expect(!page.contains("method=\"post\"") && !page.contains("secret"))
        #expect(page.contains("You may look, but not decide."))
    }

    @Test("a decision shows what, who, when and why, and its words are text")
    func decided() throws {
        let review = ChangedRun.review([ChangedRun.decisions(.rejected, reason: "<b>no</b>")])
        let page = page(review)
        #expect(page.contains("data-d=\"rejected\""))
        let shown = "by &lt;i&gt;Aiko, 2026-11-25 10:12 UTC"
        #expect(page.contains(shown))
        #expect(page.contains("<q><bdi>&lt;b&gt;no&lt;/b&gt;</bdi></q>"))
        #expect(page.contains("1 of 2 decided"))
        // The answer to a refreshing page contains the same markup.
        let answer = try ChangedRun.answer(summary, review)
        let change = try #require((answer["changes"] as? [[String: Any]])?.first)
        #expect(change["id"] as? String == ChangedRun.many)
        let html = try #require(change["html"] as? String)
        #expect(html.contains(shown) && page.contains(html))
    }

    @Test("pictures of one change that are decided differently say so, each in its row")
    func mixed() {
        var decisions = ChangedRun.decisions(.accepted)
        decisions[1].kind = .rejected
        let page = page(ChangedRun.review([decisions]))
        #expect(page.contains("data-d=\"mixed\""))
        #expect(page.contains("1 accepted, 1 rejected, 0 to decide"))
        #expect(page.ranges(of: "class=\"mark d-rejected\"").count == 1)
    }

    @Test("what is withdrawn is to decide again, and one comment on a change is shown once")
    func withdrawn() {
        let review = ChangedRun.review([
            ChangedRun.decisions(.accepted), ChangedRun.decisions(.withdrawn),
            ChangedRun.decisions(.commented, reason: "why blue?"),
        ])
        let page = page(review)
        #expect(page.contains("0 of 2 decided"))
        #expect(page.ranges(of: "why blue?").count == 1)
    }

    @Test(
        "the button that publishes says how much, or why not",
        arguments: [
            (true, nil, "<button class=\"main\">Publish 2 pictures</button>", ""),
            (true, "3 tests have no verdict.", "disabled>Publish 2 pictures", "3 tests have"),
            (false, nil, "disabled>Publish 0 pictures", "Nothing is accepted"),
        ] as [(Bool, String?, String, String)]
    )
    func publish(isAccepted: Bool, cannot: String?, button: String, why: String) throws {
        var review = ChangedRun.review(isAccepted ? [ChangedRun.decisions(.accepted)] : [])
        review.cannotPublish = cannot.map { Problem(code: "x", message: $0, remedy: "Run again.") }
        let page = page(review)
        #expect(page.contains(button))
        #expect(page.contains("<p id=\"why\" class=\"quiet\">\(why)"))
        let answer = try ChangedRun.answer(summary, review)
        #expect((answer["why"] as? String ?? "").hasPrefix(why))
    }

    @Test(
        "the button and the answer say how many pictures become references, and how many leave",
        arguments: [
            (
                [.changed, .changed], "Publish 2 pictures", "Published 2 pictures.", "2枚を公開",
                "2枚を公開しました。"
            ),
            (
                [.changed, .missing], "Publish: 1 picture becomes a reference, 1 leaves",
                "Published: 1 picture became a reference, 1 left.", "公開：1枚が参照になり、1枚が外れます",
                "公開しました：1枚が参照になり、1枚が外れました。"
            ),
            (
                [.missing, .missing], "Publish: 2 pictures leave the references",
                "Published: 2 pictures left the references.", "公開：2枚が参照から外れます",
                "公開しました：2枚が参照から外れました。"
            ),
        ] as [([Verdict], String, String, String, String)]
    )
    func removals(verdicts: [Verdict], will: String, did: String, later: String, done: String) {
        var summary = summary
        let places = summary.snapshots.indices.filter {
            summary.snapshots[$0].verdict == .changed
        }
        for (place, verdict) in zip(places, verdicts) where verdict == .missing {
            summary.snapshots[place].verdict = .missing
            summary.snapshots[place].capture = ""
        }
        var decisions = ChangedRun.decisions(.accepted)
        for (place, verdict) in verdicts.enumerated() where verdict == .missing {
            decisions[place].capture = nil
        }
        let review = ChangedRun.review([decisions])
        let publication = Publication(
            pictures: 2,
            removed: verdicts.count { $0 == .missing },
            pin: nil
        )
        for (language, button, answer) in [
            (PageLanguage.english, will, did), (.japanese, later, done),
        ] {
            let page = HTMLReport.render(PageRun(summary), review: review, language: language)
            #expect(page.contains("<button class=\"main\">\(button)</button>"))
            let again = HTMLReport.decisions(PageRun(summary), review: review, language: language)
            #expect(again.contains("\"publish\": \"\(button)\""))
            #expect(HTMLReport.published(publication, in: language) == answer)
        }
    }

    @Test("one change alone is there with all its pictures; an unknown one is not")
    func alone() {
        let page = page(change: ChangedRun.many)
        #expect(page.ranges(of: "class=\"change item\"").count == 1)
        #expect(page.ranges(of: "<li data-b").count == 2)
        #expect(page.contains(">All changes</a>"))
        #expect(self.page(change: "\"><script>").ranges(of: "class=\"change item\"").isEmpty)
        #expect(!self.page(change: "\"><script>").contains("\"><script>"))
    }

    @Test("a page that cannot hold all cells links each change with them, or says what it lacks")
    func manyCells() {
        let summary = ChangedRun.wide(changes: 100, cells: 60)
        let hosted = HTMLReport.render(
            PageRun(summary),
            review: ChangedRun.review(),
            language: .english
        )
        #expect(hosted.ranges(of: "class=\"change item\"").count == 100)
        #expect(hosted.ranges(of: "<li data-b").count == 4_980)
        #expect(hosted.ranges(of: "<a class=\"more\" href=\"?change=").count == 17)
        let report = HTMLReport.render(summary, in: .zip)
        #expect(report.ranges(of: "59 more pictures are not shown").count == 17)
    }

    @Test("a report of 1,000 changes takes under 2 MB")
    func size() {
        let report = HTMLReport.render(ChangedRun.wide(changes: 1_000, cells: 1))
        #expect(report.ranges(of: "class=\"change item\"").count == 1_000)
        #expect(report.utf8.count < 2_000_000, "\(report.utf8.count)")
    }

    @Test("both languages have all texts of the script")
    func texts() throws {
        let texts = try PageLanguage.allCases.map { language in
            let page = page(ChangedRun.review(), language)
            let start = try #require(page.range(of: " data-texts=\"")?.upperBound)
            let attribute = page[start...].prefix { $0 != "\"" }
            let json = attribute.replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
                .replacing("&amp;", with: "&")
            return try #require(
                JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
            )
        }
        #expect(Set(texts[0].keys) == Set(texts[1].keys))
        for text in texts { #expect(text.values.allSatisfy { !$0.isEmpty }) }
        let script = HTMLReport.script + HTMLReport.render(summary)
        let used = Set(script.matches(of: #/say\("([a-zA-Z]+)"/#).map { String($0.1) })
        #expect(used.isSubset(of: texts[0].keys), "\(used.subtracting(texts[0].keys))")
    }

    @Test(
        "a page speaks the language that is asked for, else the browser's first one that there is",
        arguments: [
            (nil, nil, "en"), ("ja", nil, "ja"), ("ja", "en", "ja"), (nil, "ja,en;q=0.5", "ja"),
            (nil, "fr, ja-JP;q=0.9, en;q=0.8", "ja"), ("xx", "EN-us", "en"), (nil, ",;-", "en"),
        ] as [(String?, String?, String)]
    )
    func language(asked: String?, accepted: String?, expected: String) {
        #expect(PageLanguage(asked: asked, accepted: accepted).rawValue == expected)
    }
}
