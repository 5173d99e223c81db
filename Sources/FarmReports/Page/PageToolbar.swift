// Filters and the way pictures are compared; it stays in sight while people scroll.
import FarmCore

struct PageToolbar {
    let markup: HTML

    init(
        _ summary: RunSummary,
        cells: CellDirectory,
        titles: RunTitles,
        in place: HTMLReport.Place
    ) {
        let verdicts = Self.verdicts(summary, in: place).map { verdict, count in
            """
            <button type="button" class="chip \(PagePart.key(verdict))" aria-pressed="false" \
            data-filter="\(PagePart.key(verdict))"><span aria-hidden="true">\
            \(Wording.sign(verdict))</span> \(Wording.word(verdict)) <b>\(count)</b></button>

            """ as HTML
        }
        let cellOptions = summary.cells.map { cell in
            "<option value=\"\(cell.id)\">\(LegalText.line(cells.title(cell.id)))</option>\n"
                as HTML
        }
        let suites = Set(summary.snapshots.map(\.suite)).sorted().map { suite in
            let title = LegalText.line(titles.suite(suite))
            return "<option value=\"\(suite)\">\(title)</option>\n" as HTML
        }
        markup = """
            <form class="toolbar" role="search" aria-label="Filter">
            <div class="row" role="group" aria-label="Verdicts">
            \(verdicts)</div>
            <div class="row">
            <input id="text" type="search" placeholder="Filter by name" aria-label="Filter by name">
            <select id="cell" aria-label="Cell"><option value="">All cells</option>
            \(cellOptions)</select>
            <select id="suite" aria-label="Suite"><option value="">All suites</option>
            \(suites)</select>
            \(Self.modes)
            <label class="regions"><input type="checkbox" id="regions"> Regions</label>
            <output id="shown" aria-live="polite"></output>
            </div>
            </form>

            """
    }

    private static let modes: HTML = """
        <fieldset class="modes"><legend>Compare</legend>
        <label title="1"><input type="radio" name="mode" value="side" checked><span>Side by side\
        </span></label>
        <label title="2"><input type="radio" name="mode" value="swipe"><span>Swipe</span></label>
        <label title="3"><input type="radio" name="mode" value="blink"><span>Blink</span></label>
        <label title="4"><input type="radio" name="mode" value="diff"><span>Difference</span></label>
        </fieldset>
        """

    /// What can be filtered for, and how many entries of the page carry it.
    private static func verdicts(
        _ summary: RunSummary,
        in place: HTMLReport.Place
    ) -> [(Verdict?, Int)] {
        var counts: [Verdict?: Int] = [:]
        // The zip has no pictures that are as expected.
        for snapshot in summary.snapshots
        where place == .outputFolder || snapshot.verdict != .passed {
            counts[snapshot.verdict, default: 0] += 1
        }
        for test in TestWords(summary).listed { counts[test.verdict, default: 0] += 1 }
        return ([nil] + Wording.verdictOrder.map(Optional.some))
            .compactMap { verdict in counts[verdict].map { (verdict, $0) } }
    }
}
