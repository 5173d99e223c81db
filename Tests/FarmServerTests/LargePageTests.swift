// Tests of the page of a run with more changes than one page shows: by its forms, and in a real
// Chromium.
import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Synchronization
import Testing

@Suite("A page of many changes")
struct LargePageTests {
    private static let names = (1...450).map { "picture\($0)" } + ["red", "blue"]

    private func served(
        _ body: @escaping @Sendable (Served, String) async throws -> Void
    ) async throws {
        try await LocalPageTests().served(Self.names, body)
    }

    /// Returns the fields of the form that accepts everything, as the page contains them.
    private func fields(_ page: String) throws -> String {
        let form = try #require(page.firstMatch(of: #/<form id="accept-all".*?</form>/#))
        return form.output.matches(of: #/<input type="hidden" name="(\w+)" value="([^"]*)">/#)
            .map { match in
                let value = String(match.2).replacing("&amp;", with: "&")
                return "\(match.1)=" + value.replacing("&", with: "%26").replacing("=", with: "%3D")
            }.joined(separator: "&")
    }

    private static let json = ["Accept": String?.some("application/json")]

    @Test("its parts follow each other, and together they are all changes, each once")
    func parts() async throws {
        try await served { page, root in
            var seen: [String] = []
            var place = ""
            for _ in 0..<3 {
                let text = try await page.ask("GET", "\(root)/\(place)").text
                let ids = text.matches(of: #/<article class="change item" id="(c-p\d+)"/#)
                #expect(ids.count <= 200)
                seen += ids.map { String($0.1) }
                let next = text.firstMatch(of: #/rel="next" href="([^"]*)"/#)
                place = next.map { String($0.1).replacing("&amp;", with: "&") } ?? ""
            }
            #expect(place == "")
            #expect(seen.count == Self.names.count && Set(seen).count == seen.count)
        }
    }

    @Test("accepting all takes what the filter lets through on all pages, and nothing else")
    func acceptAll() async throws {
        try await served { page, root in
            let text = try await page.ask("GET", root + "/?text=PICTURE&from=200").text
            #expect(text.contains("450 of 452 shown"))
            let form = try fields(text) + "&kind=accepted"
            let answer = try await page.ask(
                "POST",
                root + "/decisions",
                body: form,
                headers: Self.json
            )
            #expect(answer.text.contains("Accepted 450 pictures."), "\(answer.text)")
            let decided = page.desk.state.withLock(\.decisions)
            #expect(decided.count == 450 && decided.allSatisfy { $0.kind == .accepted })
            #expect(decided.allSatisfy { $0.snapshot.name.hasPrefix("picture") })
            // The page offers to withdraw all of it, but only once.
            let after = try await page.ask("GET", root + "/").text
            let when = try #require(after.firstMatch(of: /name="when" value="([0-9]+)"/))
            let undo = "token=\(page.token)&kind=withdrawn&when=\(when.1)"
            for words in ["Took back the decision about 450 pictures.", "decision-about-nothing"] {
                let answer = try await page.ask(
                    "POST",
                    root + "/decisions",
                    body: undo,
                    headers: Self.json
                )
                #expect(answer.text.contains(words), "\(answer.text)")
            }
        }
    }

    @Test("accepting all overturns no decision that was made meanwhile")
    func keepsDecisions() async throws {
        try await served { page, root in
            let form = try fields(try await page.ask("GET", root + "/").text) + "&kind=accepted"
            let rejection = "token=\(page.token)&kind=rejected&snapshot=A%2FS%2Fred"
            let decisions = root + "/decisions"
            let headers = Self.json
            _ = try await page.ask("POST", decisions, body: rejection, headers: headers)
            _ = try await page.ask("POST", decisions, body: form, headers: headers)
            let book = try await page.desk.decided().book
            #expect(book.standing.values.count { $0.kind == .accepted } == 451)
            #expect(book.standing.values.count { $0.kind == .rejected } == 1)
        }
    }

    @Test("a form of what is not shown any more decides nothing")
    func othersShown() async throws {
        try await served { page, root in
            let form = try fields(try await page.ask("GET", root + "/").text) + "&kind=accepted"
            let narrow = try fields(try await page.ask("GET", root + "/?text=red").text)
            let forms = [
                // Meanwhile, the run has made another picture.
                form,
                // The digest of one filter with the text of another.
                narrow.replacing("text%3Dred", with: "text%3Dblue") + "&kind=accepted",
                "token=\(page.token)&all=&shown=00&kind=accepted",
            ]
            page.desk.names.withLock { $0.append("late") }
            for form in forms {
                let answer = try await page.ask(
                    "POST",
                    root + "/decisions",
                    body: form,
                    headers: Self.json
                )
                #expect(answer.status == 409 && answer.text.contains("page-others-shown"))
            }
            #expect(page.desk.state.withLock(\.decisions).isEmpty)
        }
    }

    @Test("without script a form leads back to its part of the page")
    func back() async throws {
        try await served { page, root in
            let here = "http://127.0.0.1:\(page.port)\(root)/?d=open&text=a%20b&from=200&x=1"
            let answer = try await page.ask(
                "POST",
                root + "/decisions",
                body: page.form.replacing("Fone", with: "Fpicture1"),
                headers: ["Referer": here]
            )
            #expect(answer.headers["location"] == root + "/?d=open&text=a%20b&from=200#c-1")
        }
    }

    @Test(
        "in a browser: the filter asks the host, keys walk to the next part, and all are accepted",
        .enabled(if: TestBrowser.isInstalled)
    )
    func browser() async throws {
        try await served { page, _ in
            let address = "http://127.0.0.1:\(page.port)\(page.entry)"
            try await offPool {
                let browser = try TestBrowser()
                let cards = "document.querySelectorAll('.change').length"
                try browser.open(address)
                #expect(try browser.text(cards) == "200")
                // After the last card, the next page follows.
                try browser.press("kj")
                #expect(try browser.waits(for: "location.search.includes('from=200')"))
                try browser.press("/red")
                #expect(try browser.waits(for: cards + " === 1"))
                #expect(
                    try browser.text("document.querySelector('#shown').textContent")
                        == "1 of 452 shown"
                )
                #expect(try browser.text("document.activeElement.id") == "text")
                try browser.press(TestBrowser.escape)
                try browser.press("ja")
                #expect(
                    try browser.waits(
                        for: "document.querySelector('.change').dataset.d === 'accepted'"
                    )
                )
                try browser.press(TestBrowser.escape)
                #expect(try browser.waits(for: cards + " === 200"))
                try browser.click("[name=d][value=open]")
                #expect(
                    try browser.waits(
                        for: "document.querySelector('#shown').textContent === '451 of 452 shown'"
                    )
                )
                try browser.click("#accept-all button")
                try browser.click("dialog.ask .main")
                #expect(
                    try browser.waits(
                        for:
                            "document.querySelector('#progress').textContent === '452 of 452 decided'"
                    )
                )
                #expect(try browser.waits(for: cards + " === 0"))
                #expect(try browser.text("document.querySelector('#nothing').hidden") == "false")
                // Undo withdraws all decisions of the same time. This test's clock stands still, so
                // that is all of them.
                try browser.click("#undo-all button")
                #expect(
                    try browser.waits(
                        for:
                            "document.querySelector('#progress').textContent === '0 of 452 decided'"
                    )
                )
                #expect(try browser.text("document.querySelector('#undo-all').hidden") == "true")
            }
            let decisions = page.desk.state.withLock(\.decisions)
            #expect(decisions.count == 2 * 452)
            #expect(decisions.suffix(452).allSatisfy { $0.kind == .withdrawn })
        }
    }
}
