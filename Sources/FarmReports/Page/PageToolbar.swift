// The filters and the ways of comparing pictures; the toolbar stays visible while the page scrolls.
// Above it, folded: the matrix, the keys, and the meaning of a difference's colours. On a disk the
// script filters; a host filters itself, so its buttons belong to a form.
import FarmCore

struct PageToolbar {
    let markup: HTML

    /// Makes the toolbar of a page; `shown` is the number of entries that pass the filter.
    init(_ context: PageContext, shown: Int) {
        let text = context.text
        let query = context.query
        let isHost = context.review != nil
        func option(_ value: String, _ title: String, isChosen: Bool) -> HTML {
            """
            <option value="\(value)"\(isChosen ? " selected" : "")>\(LegalText.line(title))</option>

            """
        }
        let cells = context.summary.cells.map { cell in
            option(
                context.filterValue(cell: cell.id),
                context.cells.title(cell.id),
                isChosen: cell.id == query.cell
            )
        }
        let suites = context.suites.enumerated().map { number, suite in
            option(
                isHost ? suite : "\(number)",
                context.titles.suite(suite),
                isChosen: suite == query.suite
            )
        }
        func field(_ name: HTML) -> HTML {
            isHost ? "id=\"\(name)\" name=\"\(name)\"" : "id=\"\(name)\""
        }
        // The Enter key in a field presses a form's first button.
        let apply: HTML =
            isHost
            ? """
            <input type="hidden" name="lang" value="\(text.language.rawValue)">\
            <button class="apply">\(text.filter)</button>
            """ : ""
        let all = context.run.changes.count + context.words.listed.count
        let words = query.isFiltered ? text.shown : ""
        let count = words.with("\(shown)", "\(all)")
        markup = """
            \(Self.folds(context, hasChanges: !context.run.changes.isEmpty))\
            <form class="toolbar" \(isHost ? "method=\"get\" " : "")role="search" aria-label="\(text.filter)">
            <div class="row" role="group" aria-label="\(text.verdicts)">
            \(apply)\(Self.verdicts(context))\(Self.decisions(context))\
            \(PageCompared.filters(context))</div>
            <div class="row">
            <input \(field("text")) type="search" placeholder="\(text.filterByName)" \
            aria-label="\(text.filterByName)"\(query.typed.isEmpty ? "" : " value=\"\(query.typed)\"")>
            <select \(field("cell")) aria-label="\(text.cell)"><option value="">\(text.allCells)</option>
            \(cells)</select>
            <select \(field("suite")) aria-label="\(text.suite)">\
            <option value="">\(text.allSuites)</option>
            \(suites)</select>
            \(Self.modes(context))\
            <output id="shown">\(count)</output>
            </div>
            </form>

            """
    }

    /// Returns the ways to compare pictures; empty if all changes are of texts.
    private static func modes(_ context: PageContext) -> HTML {
        let (text, changes) = (context.text, context.run.changes)
        if !changes.isEmpty, changes.allSatisfy(\.first.isText) { return "" }
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
        return """
            <fieldset class="modes"><legend>\(text.compare)</legend>
            \(labels)</fieldset>
            <label class="regions"><input type="checkbox" id="regions"> \(text.showRegions)</label>

            """
    }

    /// Returns a filter button for each verdict that occurs, with the number of its entries.
    private static func verdicts(_ context: PageContext) -> [HTML] {
        var counts: [Verdict?: Int] = [:]
        for change in context.run.changes { counts[change.first.verdict, default: 0] += 1 }
        if context.place == .outputFolder {
            let passed = context.summary.snapshots.count { $0.verdict == .passed }
            if passed > 0 { counts[.passed] = passed }
        }
        for test in context.words.listed { counts[test.verdict, default: 0] += 1 }
        return ([nil] + Wording.verdictOrder.map(Optional.some)).compactMap { verdict in
            counts[verdict].map { count in
                let isHost = context.review != nil
                let key = PagePart.key(verdict)
                let kind: HTML = isHost ? "name=\"v\" value=\"\(key)\"" : "type=\"button\""
                return """
                    <button \(kind) class="chip \(key)" \
                    aria-pressed="\(context.query.asks(for: verdict) ? "true" : "false")" \
                    data-filter="\(key)">\
                    \(Wording.sign(verdict)) \(context.text.verdict(verdict)) <b>\(count)</b>\
                    </button>

                    """
            }
        }
    }

    /// Returns a filter button for each state of a decision; none if the page takes no decisions.
    private static func decisions(_ context: PageContext) -> [HTML] {
        guard let review = context.review else { return [] }
        let counts = PageStanding(context.run.changes, review, context.text).counts
        return PageDecision.allCases.map { decision in
            let state = HTML(trusted: decision.rawValue)
            return """
                <button name="d" value="\(state)" class="chip d-\(state)" \
                aria-pressed="\(context.query.asks(for: decision) ? "true" : "false")">\
                \(context.text.mark(decision)) <b>\(counts[decision] ?? 0)</b></button>

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
        let words = text.glossaryWords.map { word in
            "<div><dt>\(word.word)</dt><dd>\(word.meaning)</dd></div>\n" as HTML
        }
        return """
            <div class="folds">
            \(PageOverview.verdictCountsTable(context, hasChanges: hasChanges))<details id="legend"><summary>\(text.legend)</summary>
            <ul>
            \(colours)</ul></details>
            <details id="words"><summary>\(text.glossary)</summary>
            <dl>
            \(words)</dl></details>
            <details id="keys"><summary>\(text.keys) <kbd>?</kbd></summary>
            <dl>
            \(keyItems)</dl></details>
            </div>

            """
    }
}
