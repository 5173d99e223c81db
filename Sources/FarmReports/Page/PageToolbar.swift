// Filters and the way pictures are compared; it stays in sight while people scroll. Above it,
// folded: the matrix, the keys, and what the colours of a difference say.
import FarmCore

struct PageToolbar {
    let markup: HTML

    init(_ context: PageContext, _ changes: [PageChange]) {
        let text = context.text
        let cellOptions = context.summary.cells.enumerated().map { number, cell in
            "<option value=\"\(number)\">\(LegalText.line(context.cells.title(cell.id)))</option>\n"
                as HTML
        }
        let suites = context.suites.enumerated().map { number, suite in
            let title = LegalText.line(context.titles.suite(suite))
            return "<option value=\"\(number)\">\(title)</option>\n" as HTML
        }
        markup = """
            \(Self.folds(context, hasChanges: !changes.isEmpty))\
            <form class="toolbar" role="search" aria-label="\(text.filter)">
            <div class="row" role="group" aria-label="\(text.verdicts)">
            \(Self.verdicts(context, changes))\(Self.decisions(context))</div>
            <div class="row">
            <input id="text" type="search" placeholder="\(text.filterByName)" \
            aria-label="\(text.filterByName)">
            <select id="cell" aria-label="\(text.cell)"><option value="">\(text.allCells)</option>
            \(cellOptions)</select>
            <select id="suite" aria-label="\(text.suite)">\
            <option value="">\(text.allSuites)</option>
            \(suites)</select>
            \(Self.modes(text))
            <label class="regions"><input type="checkbox" id="regions"> \(text.showRegions)</label>
            <output id="shown"></output>
            </div>
            </form>

            """
    }

    private static func modes(_ text: PageText) -> HTML {
        let modes: [(value: HTML, words: String)] = [
            ("side", text.sideBySide), ("swipe", text.swipe), ("blink", text.blink),
            ("diff", text.difference),
        ]
        let labels = modes.enumerated().map { place, mode in
            """
            <label title="\(place + 1)"><input type="radio" name="mode" value="\(mode.value)"\
            \(place == 0 ? " checked" : "")><span>\(mode.words)</span></label>

            """ as HTML
        }
        return "<fieldset class=\"modes\"><legend>\(text.compare)</legend>\n\(labels)</fieldset>"
    }

    /// A button for each verdict that occurs, with how many entries of the page carry it.
    private static func verdicts(_ context: PageContext, _ changes: [PageChange]) -> [HTML] {
        var counts: [Verdict?: Int] = [:]
        for change in changes { counts[change.first.verdict, default: 0] += 1 }
        if context.place == .outputFolder {
            let passed = context.summary.snapshots.count { $0.verdict == .passed }
            if passed > 0 { counts[.passed] = passed }
        }
        for test in context.words.listed { counts[test.verdict, default: 0] += 1 }
        return ([nil] + Wording.verdictOrder.map(Optional.some)).compactMap { verdict in
            counts[verdict].map { count in
                """
                <button type="button" class="chip \(PagePart.key(verdict))" aria-pressed="false" \
                data-filter="\(PagePart.key(verdict))">\
                \(Wording.sign(verdict)) \(context.text.verdict(verdict)) <b>\(count)</b>\
                </button>

                """
            }
        }
    }

    /// A button for each state of a decision; none where nobody decides.
    private static func decisions(_ context: PageContext) -> [HTML] {
        guard context.review != nil else { return [] }
        return PageDecision.allCases.map { decision in
            let state = HTML(trusted: decision.rawValue)
            return """
                <button type="button" class="chip d-\(state)" aria-pressed="false" \
                data-decided="\(state)">\(context.text.mark(decision))</button>

                """
        }
    }

    private static func folds(_ context: PageContext, hasChanges: Bool) -> HTML {
        let text = context.text
        let keys = text.keyWords + (context.mayDecide ? text.decideKeyWords : [])
        let keyItems = keys.map { key in
            let names = key.keys.split(separator: " ").map { "<kbd>\(String($0))</kbd> " as HTML }
            return "<div><dt>\(names)</dt><dd>\(key.words)</dd></div>\n" as HTML
        }
        let colours = text.legendWords.map { colour in
            "<li><i class=\"swatch \(colour.mark)\"></i> \(colour.words)</li>\n" as HTML
        }
        return """
            <div class="folds">
            \(PageOverview.matrix(context, hasChanges: hasChanges))<details id="legend"><summary>\(text.legend)</summary>
            <ul>
            \(colours)</ul></details>
            <details id="keys"><summary>\(text.keys) <kbd>?</kbd></summary>
            <dl>
            \(keyItems)</dl></details>
            </div>

            """
    }
}
