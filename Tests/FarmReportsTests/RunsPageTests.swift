import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("The list of runs as a page")
struct RunsPageTests {
    private static func row(_ text: String, _ state: RunState) -> RunsPage.Row {
        RunsPage.Row(
            id: text,
            pipeline: text,
            branch: text,
            commit: text,
            pullRequest: text,
            state: state,
            started: "2026-11-21T08:00:00.000Z",
            planned: 2,
            done: 1,
            bad: 1,
            problem: text
        )
    }

    private static func render(_ rows: [RunsPage.Row], _ language: PageLanguage) -> String {
        RunsPage(
            rows: rows,
            filter: [(name: "branch", value: rows.first?.branch ?? "")],
            next: rows.first?.id,
            isNewest: false
        ).render(
            in: RunsFrame(language: language, person: rows.first?.id ?? "", formToken: "0"),
            events: "/runs/events"
        )
    }

    @Test(
        "no name leads out of its place",
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onclick='x",
            "a\u{202E}b", "a\u{1B}[31mb", "../../etc", "?a=b&c=d#e", "javascript:alert(1)",
            String(repeating: "x", count: 4_096), "a\"\u{301}b",
        ]
    )
    func hostile(_ name: String) {
        let page = Self.render([Self.row(name, .failed)], .english)
        for word in ["<script>alert", "<img", "' onclick", "\u{202E}", "\u{1B}"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(!page.contains("href=\"javascript"))
        // Links stay below the list, whatever the name.
        for match in page.matches(of: /href="([^"]*)"/) {
            let address = String(match.1)
            let isOurs =
                ["/runs", "/assets/", "?lang="].contains { address.hasPrefix($0) }
                && !address.contains("../")
            #expect(isOurs, "\(address)")
        }
    }

    @Test("every state has a word of its own in every language", arguments: PageLanguage.allCases)
    func states(_ language: PageLanguage) {
        let words = RunState.allCases.compactMap { state -> String? in
            let page = Self.render([Self.row("r", state)], language)
            return page.firstMatch(of: /class="badge [a-z]+">([^<]+)</).map { String($0.1) }
        }
        #expect(Set(words).count == RunState.allCases.count, "\(words)")
        #expect((words == RunState.allCases.map(\.rawValue)) == false)
    }

    @Test("a run that goes leads to its progress, any other to its page")
    func links() {
        let page = Self.render([Self.row("a", .running), Self.row("b", .passed)], .english)
        #expect(page.contains("href=\"/runs/a/progress\"") && page.contains("href=\"/runs/b/\""))
    }
}
