// The card of one change: its name, its cells, the finding, the decision, its first picture at full
// size, and its other cells as rows below. The script shows any of these in place of the first.
import FarmCore

struct PageCard {
    let markup: HTML

    /// Makes the card of a change.
    ///
    /// Without rows, a host's page links to the change alone and a static page counts the rows that
    /// it lacks.
    init(_ change: PageChange, _ context: PageContext, withRows: Bool) {
        let text = context.text
        let picture = change.first
        let id = change.id
        let title = LegalText.line(context.titles.name(of: picture))
        let filter = context.filterable(
            picture.verdict,
            cells: change.pictures.lazy.map(\.cell),
            suite: picture.suite
        )
        let accepted = context.isAccepted(change).map { $0 ? "accepted" : "never" }
        let state =
            context.review.map { review in
                change.decidable.isEmpty ? "none" : change.standing(review.decisions).state.rawValue
            } ?? accepted
        let decision = state.map { " data-d=\"\($0)\"" as HTML } ?? ""
        let place: HTML =
            change.pictures.count > 1
            ? """
            <p class="where"><bdi>\(text.place(LegalText.line(change.place), isText: picture.isText))</bdi></p>

            """
            : ""
        let words = TranslatedWords(change.words, text)
        let decide =
            context.review.map { PageDecisions(change, $0, text).markup }
            ?? PageCompared.acceptances(change, context)
        markup = """
            <article class="change item" id="c-\(id)" \(filter)\(decision)\
            \(Self.ignorable(picture, context))>
            <div class="about">
            \(context.badge(picture.verdict))\(Self.tick(change, context))
            <h4><a href="#c-\(id)" title="\(LegalText.line(picture.id))">\
            <bdi>\(title)</bdi></a></h4>
            \(place)\(context.configuration(picture.cell))
            \(Self.paths(picture, title, context))\
            <p class="words"\(words.language(text))><bdi>\(LegalText.line(words.text))</bdi></p>
            \(Self.numbers(picture, beside: change.words, text))\
            \(Self.said(picture, context))\(Self.predecessor(picture, text))\
            \(decide)</div>
            \(Self.stage(picture, title, context))\
            \(Self.why(change, context))\
            \(PageCells(change, context, withRows: withRows).markup)</article>

            """
    }

    private static func stage(
        _ picture: SnapshotSummary,
        _ title: String,
        _ context: PageContext
    ) -> HTML {
        picture.isText
            ? PageHunks(picture, context).markup : PageStage(picture, title, context).markup
    }

    /// Returns what `snapfarm ignore` needs and the title lacks: the job where the run has several,
    /// and the suite and name where the title is not the id letter by letter.
    ///
    /// An empty name says that ignoring a region of the picture changes nothing.
    private static func ignorable(_ picture: SnapshotSummary, _ context: PageContext) -> HTML {
        guard picture.verdict == .changed, context.compared == nil else { return "" }
        guard picture.judge != .framework, !picture.isText else { return " data-ignore=\"\"" }
        let name = "\(picture.suite)/\(picture.name)"
        // A page of thousands of changes has no room for each name twice.
        let isTold = LegalText.line(picture.id) == "\(picture.cell)/\(name)"
        let own: HTML = isTold ? "" : " data-ignore=\"\(name)\""
        let job: HTML = context.run.hasSeveralJobs ? " data-job=\"\(picture.job)\"" : ""
        return "\(own)\(job)"
    }

    /// Returns the checkbox that adds the change to the texts of a static page; empty on a host's
    /// page.
    private static func tick(_ change: PageChange, _ context: PageContext) -> HTML {
        guard context.review == nil, context.compared == nil, !change.decidable.isEmpty else {
            return ""
        }
        return """
             <label class="tick"><input type="checkbox" name="\(trusted(change.field))" \
            value="\(change.value)">\(context.text.take)</label>
            """
    }

    /// Returns the note about the picture of another name or cell with which a picture was
    /// compared; empty without one.
    private static func predecessor(_ picture: SnapshotSummary, _ text: PageText) -> HTML {
        // The words of a moved picture say this already.
        guard !picture.predecessor.isEmpty, picture.verdict != .moved else { return "" }
        let id = LegalText.line(picture.predecessor)
        return """
            <p class="quiet">\(text.predecessor): <bdi>\(id)</bdi></p>

            """
    }

    /// Returns the fold about the origin of the change's reference, which only a host knows; else
    /// empty.
    private static func why(_ change: PageChange, _ context: PageContext) -> HTML {
        guard let baseline = context.review?.addresses.baseline else { return "" }
        let words = context.text.whyReference
        let query = RelativePath.component(change.first.id)
        let language = context.text.language.rawValue
        return """
            <details class="why" id="w-\(change.id)"><summary>\(words)</summary>\
            <a class="ask" href="\(baseline)?snapshot=\(query)&amp;lang=\(language)">\
            \(words)</a></details>

            """
    }

    private static func trusted(_ field: PageChange.FormField) -> HTML {
        HTML(trusted: field.rawValue)
    }

    /// Returns the name and the test of a picture, each in a line unless the title shows it.
    private static func paths(
        _ picture: SnapshotSummary,
        _ title: String,
        _ context: PageContext
    ) -> HTML {
        // One line each, without characters that change the text's direction and so show another
        // name.
        let names = [picture.name, context.test(of: picture)].map { LegalText.line($0) }
        let others = names.filter { !$0.isEmpty && $0 != title }
        return "\(others.map(path))"
    }

    private static func path(_ name: String) -> HTML {
        "<p class=\"path\"><bdi>\(name)</bdi></p>\n"
    }

    /// Returns the message of the picture's test as a paragraph; empty if the test has none.
    private static func said(_ picture: SnapshotSummary, _ context: PageContext) -> HTML {
        let words = context.words.beside(picture)
        guard !words.isEmpty else { return "" }
        let said = TranslatedWords(words, context.text)
        return "<p class=\"quiet\"\(said.language(context.text))>\(said.text)</p>\n"
    }

    /// Returns the measurements of a picture's difference that `words` do not contain.
    private static func numbers(
        _ picture: SnapshotSummary,
        beside words: String,
        _ text: PageText
    ) -> HTML {
        var facts: [String] = []
        if picture.differingPixels > 0 {
            facts.append(Wording.percent(picture.share))
            facts.append(text.pixels(picture.differingPixels))
            facts.append(text.largestDelta(picture.largestDelta))
        }
        if !picture.size.isEmpty { facts.append(picture.size) }
        facts.removeAll { words.contains($0) }
        return facts.isEmpty
            ? "" : "<p class=\"numbers\">\(facts.joined(separator: " · "))</p>\n"
    }
}
