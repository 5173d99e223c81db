// Tests of the Japanese page: the program's own texts are Japanese, while names and texts by people
// and tests stay as they are.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("Japanese page")
struct JapanesePageTests {
    /// Returns parts of English sentences in the page's own texts, without commands.
    private func sentences(_ page: String) -> [String] {
        var text = page.replacing("<p class=\"words\"><bdi>", with: "<p class=\"words\">")
        text.replace("<p><bdi>", with: "<p>")
        // Texts of the tool that are marked as English.
        text.replace(/<(?:span|small) lang="en">.*?<\/(?:span|small)>/, with: "")
        for name in ["style", "script", "pre", "bdi", "kbd"] {
            let part = try? Regex("<\(name)\\b[^>]*>.*?</\(name)>").dotMatchesNewlines()
            if let part { text.replace(part, with: "") }
        }
        let spoken = text.matches(of: /(?:aria-label|placeholder|title|data-texts)="([^"]*)"/)
            .map { String($0.1) }
        text.replace(/<[^>]*>/, with: "\n")
        return ([text] + spoken).flatMap { shown in
            shown.matches(of: /[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,}){2,}/).map { String($0.0) }
        }.filter { $0.firstMatch(of: /^snapfarm (?:refs|merge|approve|review|worker)\b/) == nil }
    }

    /// The codes of a run's problems, and an unknown one.
    private static let problems = [
        "retries-used-up", "stopped-early", "run-abandoned", "worker-lost", "worker-left",
        "worker-unfit", "worker-unfitting", "worker-suspended", "unplaceable", "quarantine-expired",
        "draws-otherwise", "no-worker-draws-alike",
        "tests-vanished", "tests-vanished-accepted", "tests-gone", "unstable-picture",
        "axis-without-effect", "pages-go-on", "empty-shard", "no-pictures", "renderer-mismatch",
        "screens-without-pictures", "duplicate-snapshot", "references-without-owner",
        "references-of-other-pipeline", "run-unjudgeable", "run-not-judged", "suspicious-picture",
        "texts-not-compared", "pictures-not-read", "colour-tags-differ", "references-not-compared",
        "references-written", "pictures-not-placed", "storage-fails", "run-key-unusable",
        "pull-request-unusable", "shard-unclear", "review-other-pin", "something-new",
    ].map { code in
        Problem(
            code: code,
            message: "the English sentence of \(code) for Shop.",
            remedy: "Do what it says.",
            about: "Shop"
        )
    }

    @Test("all of it has no English sentence, on a disk and with buttons")
    func all() throws {
        let run = DogfoodRun()
        var review = run.review
        review.pin = PagePin(command: "snapfarm refs pin move", patch: "")
        review.cannotPublish = Self.problems.last
        var summary = run.summary
        summary.problems = Self.problems
        let key = TestKey(job: JobName("screens"), cell: CellID("A"), test: TestID("t"))
        let entry = QuarantineEntry(test: "t", until: "2026-12-31", reason: "flickers")
        summary.quarantined = [QuarantinedSummary(key, verdict: .changed, entry: entry)]
        for summary in [run.summary, summary] {
            let pages = [
                HTMLReport.render(summary, language: .japanese),
                HTMLReport.render(PageRun(summary), review: review, language: .japanese),
                HTMLReport.decisions(PageRun(summary), review: review, language: .japanese),
                run.progress.render(in: RunsFrame(language: .japanese), page: "", events: "")
                    .replacing("<li><bdi>", with: "<li>"),
            ]
            for page in pages { #expect(sentences(page).isEmpty, "\(sentences(page))") }
        }
        let compared = HTMLReport.render(
            ComparedPageTests.summary,
            comparing: ComparedPageTests.sides(ComparedPageTests.acceptances),
            language: .japanese
        )
        #expect(sentences(compared).isEmpty, "\(sentences(compared))")
        let page = HTMLReport.render(summary, language: .japanese)
        #expect(
            page.contains("<span lang=\"en\"><bdi>the English sentence of worker-lost for Shop.")
        )
        let english = HTMLReport.render(summary, language: .english)
        #expect(sentences(english).count > 60, "the test sees sentences")
        #expect(!english.contains("lang=\"en\"><bdi>"))
    }

    @Test("every problem of a run has words of its own, and every refusal some")
    func problems() {
        let unknown = TranslatedProblem(
            Problem(code: "something-new", message: "a fact.", remedy: "Do."),
            in: .japanese
        )
        for problem in Self.problems.dropLast() {
            #expect(
                TranslatedProblem(problem, in: .japanese).message != unknown.message,
                "\(problem.code)"
            )
        }
        let codes = ["page-not-a-form", "page-others-shown", "branch-conflict", "something-new"]
        for (code, exit) in codes.flatMap({ code in exits.map { (code, $0) } }) {
            let problem = Problem(code: code, message: "a fact in English words.", remedy: "Do it.")
            let said = TranslatedProblem(problem, exit: exit, in: .japanese)
            let page = EntrancePage.refusal(
                said,
                back: "/runs",
                in: RunsFrame(language: .japanese)
            )
            #expect(sentences(page).isEmpty, "\(sentences(page))")
            #expect(page.contains("<span lang=\"en\"><bdi>a fact in English words. Do it.</bdi>"))
        }
    }

    private let exits: [ExitCode] = [
        .incomplete, .usage, .invalidInput, .unavailable, .internal, .inputOutput, .busy,
        .configuration,
    ]

    @Test("what a publication did is Japanese but for names and the command")
    func publications() {
        let set = ObjectID(ofBlob: Data("set".utf8))
        let reasons: [NoBranchOfRun?] = [
            nil, .unknown, .badName, .pinned, .missing(branch: "work", repository: "git.example"),
            .otherCommits(branch: "work", repository: "git.example", commit: set),
        ]
        let pins: [PublishedPin] =
            reasons.map { .open(set: set, reason: $0) } + [
                .same, .moved(command: "git commit"),
                .committed(set: set, branch: "work", repository: "git.example", commit: set),
                .before(who: "ada", set: set, commit: set), .before(who: "", set: set, commit: nil),
                .before(who: "ada", set: nil, commit: nil),
            ]
        for pin in pins {
            let publication = Publication(pictures: 3, removed: 1, pin: pin)
            let japanese = HTMLReport.published(publication, in: .japanese)
            #expect(sentences(japanese).isEmpty, "\(japanese)")
            #expect(!sentences(HTMLReport.published(publication, in: .english)).isEmpty, "\(pin)")
        }
    }

    @Test("the fold of words explains what the page does not say plainly, in each language")
    func glossary() {
        let words: [(PageLanguage, [String])] = [
            (
                .english,
                [
                    "pin", "reference set", "reference store", "pipeline", "shard", "unstable",
                    "flaky", "commit", "publish", "region", "suite", "verify, record",
                ]
            ),
            (
                .japanese,
                ["ピン", "参照セット", "参照ストア", "パイプライン", "不安定", "コミット", "公開", "領域", "スイート", "検証・記録"]
            ),
        ]
        for (language, words) in words {
            let page = HTMLReport.render(ChangedRun.summary(), language: language)
            for word in words { #expect(page.contains("<dt>\(word)</dt><dd>"), "\(word)") }
        }
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
            ("no job of this pipeline makes it any more.", "作成しなくなりました。"),
            ("its test old is not in the list of tests any more.", "テスト「old」は一覧から"),
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
