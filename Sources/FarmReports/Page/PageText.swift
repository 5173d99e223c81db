// The words of all pages in one table: each entry has its word in every language, so that none can
// be forgotten. The page or its script replaces `{1}` and `{2}`. Texts of projects and people are
// not translated.
import FarmCore

/// All words of the pages in one language.
struct PageText: Sendable {
    let language: PageLanguage
    /// Whether the words are those of a comparison's page, not of a run's.
    var isComparison = false

    /// Returns the English or the Japanese words, by the language of the page.
    func words(
        _ english: @autoclosure () -> String,
        _ japanese: @autoclosure () -> String
    ) -> String {
        switch language {
        case .english: english()
        case .japanese: japanese()
        }
    }

    /// Returns a number of things in English, such as `2 tests`.
    func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}

extension PageLanguage {
    var text: PageText { PageText(language: self) }
}

/// The things in a page's lists that a limit may cut.
enum PageThing: Sendable {
    case changes, causes, cells, tests, skippedTests, inheritedTests, quarantined, rejections,
        pictures
}

/// The state of the decision about a change or a picture.
enum PageDecision: String, Sendable, CaseIterable {
    case open, accepted, rejected, published, mixed
}

// MARK: a run's page

extension PageText {
    var skipToChanges: String { words("Skip to the changes", "変更一覧へ移動") }
    func mode(_ mode: RunMode) -> String {
        words(mode.rawValue, mode == .record ? "記録" : "検証")
    }
    var judgement: String { words("judgement of run", "再判定の対象") }
    var aPart: String { words("a part", "一部") }
    func state(_ state: RunState) -> String {
        switch state {
        case .running: words("running", "実行中")
        case .passed: words("passed", "合格")
        case .failed: words("failed", "要確認")
        case .incomplete: words("incomplete", "未完了")
        case .cancelled: words("cancelled", "中止")
        case .unjudgeable: words("not judged", "判定不能")
        }
    }
    func verdict(_ verdict: Verdict?) -> String {
        if isComparison, let word = comparedVerdict(verdict) { return word }
        return switch verdict {
        case .passed: words("passed", "一致")
        case .changed: words("changed", "変更")
        case .new: words("new", "新規")
        case .moved: words("moved", "移動")
        case .missing: words("missing", "欠落")
        case .unreached: words("not reached", "未到達")
        case .flaky: words("flaky", "不安定")
        case .failed: words("failed", "失敗")
        case .errored: words("errored", "エラー")
        case .inherited: words("inherited", "引き継ぎ")
        case nil: words("no verdict", "判定なし")
        }
    }
    /// The result of a run as one sentence.
    func headline(_ summary: RunSummary) -> String {
        words(Wording.headline(summary), japanese(summary))
    }
    /// The word for the name of one of ``RunFacts``' facts.
    func fact(_ name: String) -> String { words(name, Self.facts[name] ?? name) }
    var compared: String { words("{1} pictures, {2} of them the same file", "{1}枚（うち{2}枚は同一ファイル）") }
    /// The words for the numbers of changes and of their pictures and texts.
    func changes(_ changes: Int, in snapshots: SnapshotCount) -> String {
        words(
            "\(count(changes, "change")) in \(snapshots.words)",
            "\(japanese(snapshots))に\(changes)件の変更"
        )
    }
    func snapshots(_ count: SnapshotCount) -> String { words(count.words, japanese(count)) }
    private func japanese(_ count: SnapshotCount) -> String {
        let parts = [(count.pictures, "枚の画像"), (count.texts, "件のテキスト")]
        return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined(separator: "と")
    }
    var runs: String { words("All runs", "実行一覧") }
    var howFar: String { words("Progress", "進行状況") }
    var otherLanguage: String { words("日本語", "English") }

    // Sections.
    var problems: String { words("Problems", "問題") }
    /// The heading of problems that only inform.
    var notes: String { words("Notes", "お知らせ") }
    /// Returns a sentence about the consequences of a problem, such as `1 test and 12 pictures
    /// follow from it.`; empty if there are none.
    func follows(_ finding: ProblemFinding) -> String {
        let parts = [(finding.tests, "件のテスト"), (finding.pictures, "枚の画像")]
        let some = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined(separator: "と")
        return words(finding.follows, some.isEmpty ? "" : "\(some)に影響しています。")
    }
    /// The heading of the tool's own English sentences about a problem.
    var toolDetail: String { words("What the tool says", "ツールの説明（英語）") }
    var quarantined: String { words("Known as unreliable, not counted", "不安定なため集計外") }
    /// The words about a quarantined failure; `{1}` is the date of its end, `{2}` the reason.
    var quarantinedUntil: String { words("not counted until {1}: {2}", "{1}まで集計外: {2}") }
    var rejectedBefore: String { words("Rejected before", "以前に却下") }
    var matrix: String { words("Results by device", "端末ごとの結果") }
    var testsByCell: String { words("number of tests", "テスト数") }
    var cell: String { words("Device", "端末") }
    var planned: String { words("planned", "予定") }
    var skipped: String { words("skipped", "スキップ") }
    var all: String { words("All", "合計") }
    var skippedTests: String { words("Skipped", "スキップしたテスト") }
    var inheritedTests: String { words("Inherited, did not run", "引き継いだ判定（実行していません）") }
    /// The words about an inherited test; `{1}` is the run that ran it.
    var passedIn: String { words("passed in run {1}", "実行 {1} で合格") }
    var incomplete: String { words("incomplete", "未完了") }
    /// The words of a button that filters; `{1}` is a count, `{2}` a verdict, `{3}` a cell.
    var showThem: String { words("{1} {2} on {3}: show them", "{3}の{2}{1}件を表示") }
    var changes: String { words("Changes", "変更") }
    var causes: String { words("Causes", "原因") }
    /// The words about causes: how many of the changed pictures they explain, and what that means.
    func causesExplain(_ explained: Int, _ changed: Int) -> String {
        words(
            """
            They explain \(explained) of \(count(changed, "changed picture")) wholly. \
            Each look of a cause is shown once.
            """,
            "変更された画像\(changed)枚のうち\(explained)枚をすべて説明します。原因ごとに、見え方の異なる画像を1枚ずつ示します。"
        )
    }
    /// Returns the cells of a cause without their number; `cells` is ``CauseSummary/cells``.
    func cells(of cells: String) -> String {
        let names = cells.replacing(/^[0-9]+ cells:\s/, with: "")
        return words(names, names.replacing(/^([0-9]+) devices/) { "\($0.1)端末" })
    }
    func extent(_ cause: PictureCause) -> String {
        let screens = cause.screens == 1 ? "" : "（\(cause.screens)画面）"
        return words(cause.extent, "\(cause.pictures)枚の画像\(screens)")
    }
    var allAsExpected: String {
        isComparison
            ? noneDiffers : words("Every picture is as expected.", "すべての画像が期待どおりです。")
    }
    var foldedChanges: String { words("Missing because of a problem above", "上記の理由で欠落した画像") }
    var tests: String { words("Tests", "テスト") }
    func testsOf(_ number: Int) -> String { words(count(number, "test"), "\(number)件のテスト") }
    /// Returns the number of a test's attempts and its duration: `2 attempts · 1.4 s`.
    func numbers(_ test: TestSummary) -> String {
        [
            words(count(test.attempts, "attempt"), "\(test.attempts)回試行"),
            "\(Wording.seconds(test.seconds)) s",
        ].joined(separator: " · ")
    }
    var output: String { words("Output", "出力") }
    var log: String { words("Log", "ログ") }
    /// The words about an attempt whose worker was lost.
    var lost: String { words("its machine was lost", "実行中のマシンが停止しました") }
    var catalogue: String { words("Catalogue", "画面カタログ") }
    var shown: String { words("{1} of {2} shown", "{2}件中{1}件を表示") }
    var nothingMatches: String { words("Nothing matches this filter.", "条件に合うものはありません。") }
    /// The sentence that counts the things that a limit left out.
    func rest(_ left: Int, _ thing: PageThing) -> String {
        let file = isComparison ? "reg.json" : "summary.json"
        return words(
            "\(left) more \(word(thing)) are not shown; \(file) has them.",
            "ほかに\(left)件の\(word(thing))があります。\(file) を参照してください。"
        )
    }

    /// The heading of the list ``glossaryWords``.
    var glossary: String { words("What the words mean", "用語の説明") }
    /// The words about a picture from an overloaded test machine.
    var busyMachine: String {
        words(
            "The test machine had too much to do; run again if the app looks right to you.",
            "テストしたマシンの負荷が高すぎました。アプリが正しく見える場合は、もう一度実行してください。"
        )
    }

    // A change.
    /// The separator before the names of elements, at the end of the words about a picture.
    var elements: String { words("; \(ElementChange.mark)", "、要素: ") }
    func largestDelta(_ delta: Int) -> String {
        let share = max(1, (100 * delta + 127) / 255)
        return words("colours differ by up to \(share) %", "色の差は最大\(share) %")
    }
    func pixels(_ number: Int) -> String { words(count(number, "pixel"), "\(number)ピクセル") }
    func cells(_ number: Int) -> String { words(count(number, "picture"), "\(number)枚の画像") }
    /// Returns the cells of a change in the language of the page; `place` is
    /// ``ChangeSummary/cells``.
    func place(_ place: String, isText: Bool) -> String {
        let (noun, counted) = isText ? ("texts", "件のテキスト") : ("pictures", "枚の画像")
        return words(
            place.replacing(/^([0-9]+) cells:/) { match in "\(match.1) \(noun):" },
            place.replacing(/^([0-9]+) cells: (?:([0-9]+) devices)?/) { match in
                "\(match.1)\(counted): " + (match.2.map { "\($0)端末" } ?? "")
            }
        )
    }
    func showCells(_ number: Int) -> String {
        words("Show \(count(number, "picture"))", "\(number)枚の画像を表示")
    }
    var allChanges: String { words("All changes", "すべての変更") }
    /// The words about the changes that a page shows: from `first` to `last`, of `all`.
    func part(_ first: Int, _ last: Int, _ all: Int) -> String {
        words(
            "Changes \(first.grouped) to \(last.grouped) of \(all.grouped).",
            "変更 \(all.grouped)件中 \(first.grouped)～\(last.grouped)件目"
        )
    }
    var previous: String { words("Previous ones", "前へ") }
    var next: String { words("Next ones", "次へ") }
    var reference: String { isComparison ? before : words("Reference", "参照") }
    var anotherTake: String { words("Another attempt", "別の試行") }
    var thisRun: String { isComparison ? after : words("This run", "今回") }
    var difference: String { words("Difference", "差分") }
    var noReference: String {
        isComparison ? notBefore : words("No reference yet", "参照はまだありません")
    }
    var notMade: String {
        isComparison ? notAfter : words("Not made by this run", "今回は作成されていません")
    }
    var legend: String { words("What the colours say", "色の意味") }

    // Filters and keys.
    var filter: String { words("Filter", "絞り込み") }
    var verdicts: String { words("Results", "判定") }
    var filterByName: String { words("Filter by name", "名前で絞り込む") }
    var allCells: String { words("All devices", "すべての端末") }
    var suite: String { words("Suite", "スイート") }
    var allSuites: String { words("All suites", "すべてのスイート") }
    var compare: String { words("Compare", "比較方法") }
    var sideBySide: String { words("Side by side", "並べる") }
    var swipe: String { words("Swipe", "スワイプ") }
    var blink: String { words("Blink", "点滅") }
    var showRegions: String { words("Regions", "領域") }
    var decisions: String { words("Decisions", "判断") }
    var keys: String { words("Keys", "キー操作") }
}

extension PageText {
    private static let facts = [
        "run": "実行",
        "commit": "コミット",
        "branch": "ブランチ",
        "pull request": "プルリクエスト",
        "CI job": "CIのジョブ",
        "references": "参照セット",
        "mode": "モード",
        "part": "範囲",
        "started": "開始",
        "started by": "開始した人",
        "took": "所要時間",
        "compared": "比較",
    ]

    /// Returns the headline in Japanese, as ``Wording/headline(_:escaped:)`` does in English; a
    /// problem keeps its own words.
    private func japanese(_ summary: RunSummary) -> String {
        if summary.isProven {
            return "変更がないため、\(summary.counts.planned)件のテストはいずれも実行していません。"
        }
        return (summary.judgedRun != nil ? "再判定：" : "") + japaneseResult(summary)
    }

    private func japaneseResult(_ summary: RunSummary) -> String {
        let counts = summary.counts
        func list(without: Set<Verdict>) -> String {
            let words = Wording.verdictOrder.filter { !without.contains($0) && counts[$0] > 0 }
                .map { "\(verdict($0))\(counts[$0])" }
            let skipped = counts.skipped > 0 ? ["スキップ\(counts.skipped)"] : []
            return (words + skipped).joined(separator: "、")
        }
        switch summary.state {
        case .passed where summary.run.mode == .verify && counts.passed == counts.planned:
            return "\(counts.planned)件のテストはすべて期待どおりです。"
        case .failed:
            let open = counts.open
            guard open > 0 else { return "確認が必要です。下の問題と変更を参照してください。" }
            let bad = list(without: [.passed, .flaky, .inherited])
            return "\(counts.planned)件中\(open)件のテストを確認してください：\(bad)"
                + (counts.inherited > 0 ? "（\(counts.inherited)件は以前の実行から引き継ぎ）" : "")
        case .passed: return "\(counts.planned)件のテスト：\(list(without: []))"
        case .incomplete where counts.withoutVerdict == 0 && counts.inherited > 0:
            let all = list(without: [])
            return "\(counts.inherited)件の判定は別のコードのものかもしれず、この実行からは何も言えません：\(all)"
        case .incomplete:
            return "\(counts.planned)件中\(counts.withoutVerdict)件のテストに判定がなく、この実行からは何も言えません。"
        case .running: return "\(counts.planned)件のテストを実行しています。"
        case .cancelled: return "中止されました。\(counts.planned)件のテスト：\(list(without: []))"
        case .unjudgeable: return "この実行は判定できません。下の問題を参照してください。"
        }
    }

    private func word(_ thing: PageThing) -> String {
        switch thing {
        case .changes: words("changes", "変更")
        case .causes: words("causes", "原因")
        case .cells, .pictures: words("pictures", "画像")
        case .tests: words("tests", "テスト")
        case .skippedTests: words("skipped tests", "スキップしたテスト")
        case .inheritedTests: words("inherited tests", "引き継いだテスト")
        case .quarantined: words("unreliable ones", "不安定な項目")
        case .rejections: words("rejections", "却下")
        }
    }
}
