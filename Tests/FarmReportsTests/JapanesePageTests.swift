// The Japanese page: what the program says there is Japanese; names, and what people and tests wrote,
// stay as they are.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("Japanese page")
struct JapanesePageTests {
    /// Runs of words that only an English sentence has, in what a page shows.
    private func sentences(_ page: String) -> [String] {
        var text = page.replacing("<p class=\"words\"><bdi>", with: "<p class=\"words\">")
        // Problems of a run are English, and marked as that.
        text.replace(/(?s)<ul lang="en">.*?<\/ul>/, with: "")
        for name in ["style", "script", "pre", "bdi", "kbd"] {
            let part = try? Regex("<\(name)\\b[^>]*>.*?</\(name)>").dotMatchesNewlines()
            if let part { text.replace(part, with: "") }
        }
        let spoken = text.matches(of: /(?:aria-label|placeholder|title|data-texts)="([^"]*)"/)
            .map { String($0.1) }
        text.replace(/<[^>]*>/, with: "\n")
        return ([text] + spoken).flatMap { shown in
            shown.matches(of: /[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,}){2,}/).map { String($0.0) }
        }
    }

    @Test("all of it has no English sentence, on a disk and with buttons")
    func all() {
        let run = DogfoodRun()
        var review = run.review
        review.pin = PagePin(command: "snapfarm refs pin move", patch: "")
        let pages = [
            HTMLReport.render(run.summary, language: .japanese),
            HTMLReport.render(PageRun(run.summary), review: review, language: .japanese),
        ]
        for page in pages {
            #expect(sentences(page).filter { $0 != "snapfarm refs pin move" }.isEmpty)
        }
        let english = HTMLReport.render(run.summary, language: .english)
        #expect(sentences(english).count > 10, "the test sees sentences")
    }

    @Test(
        "what a run says of a picture is said in Japanese",
        arguments: [
            ("recoloured; 4 regions; 0.34 % of pixels", "色の変更、4か所の領域、ピクセルの0.34 %"),
            ("moved 4 px down from row 212; 2 regions; 0.8 % of pixels", "212行目から下に4 px移動"),
            (
                "moved 3 px left and 4 px up, text changed; 1 region; < 0.01 % of pixels",
                "左に3 px・上に4 px移動"
            ),
            (
                "grew 6 px at the bottom (750×1334 became 750×1340); 1 region; 2 % of pixels",
                "下端で6 px増加（750×1334から750×1340へ）"
            ),
            ("750×1334 became 1500×2668, the same aspect at 2×", "縦横比は同じで2倍"),
            ("noise only, largest delta 3; 12 % of pixels", "色の差は最大1 %"),
            (
                "1,234 of 1,000,500 pixels (0.12 %) differ, largest delta 87, at least 16 regions",
                "16か所の領域以上"
            ),
            ("no reference yet.", "参照はまだありません。"),
            ("its test ran to its end without making it.", "作成されませんでした。"),
        ]
    )
    func words(english: String, japanese: String) {
        var summary = ChangedRun.summary()
        for place in summary.changes?.indices ?? 0..<0 { summary.changes?[place].words = english }
        let page = HTMLReport.render(summary, language: .japanese)
        let said = page.matches(of: /<p class="words"><bdi>(.*?)<\/bdi>/).map { String($0.1) }
        #expect(said.count == 3 && said.allSatisfy { $0.contains(japanese) }, "\(said)")
        #expect(sentences(said.joined(separator: "\n")).isEmpty, "\(said)")
    }

    @Test("a sentence with something that no rule knows stays as it is, and says its language")
    func unknown() {
        var summary = ChangedRun.summary()
        summary.changes?[0].words = "recoloured; something new"
        let page = HTMLReport.render(summary, language: .japanese)
        #expect(page.contains("<p class=\"words\" lang=\"en\"><bdi>recoloured; something new<"))
    }
}
