// The causes of a run, above its changes: one card each. On a host's page a person ticks causes and
// decides about all pictures that they explain at once.
import FarmCore

enum PageCauses {
    /// Returns the section of the causes; empty without causes, and on a page that shows a part of
    /// the run.
    static func markup(_ context: PageContext) -> HTML {
        let causes = context.run.causes
        guard !causes.isEmpty, !context.query.isFiltered, context.query.change == nil else {
            return ""
        }
        let text = context.text
        let explained = context.summary.snapshots.count { $0.isExplained }
        let changed = context.summary.snapshots.count { $0.verdict == .changed && !$0.isText }
        let shown = causes.prefix(ReportLimits.causesMax)
        let cards: HTML = "\(shown.map { card($0, context) })"
        return """
            <section class="causes" aria-labelledby="causes">
            <h2 id="causes">\(text.causes) <small>\(causes.count)</small></h2>
            <p class="quiet">\(text.causesExplain(explained, changed))</p>
            \(form(around: cards, context))\(context.rest(causes.count - shown.count, .causes))\
            </section>

            """
    }

    /// Returns the form that decides about the ticked causes; the cards alone on other pages.
    private static func form(around cards: HTML, _ context: PageContext) -> HTML {
        guard let review = context.review, review.mayDecide else { return cards }
        let text = context.text
        return """
            <form class="decide" method="post" action="\(review.addresses.decisions)">\(cards)\
            <input type="hidden" name="token" value="\(review.formToken)">\
            <input type="hidden" name="back" value="causes">\
            <p class="quiet">\(text.tickedCauses)</p>
            <button name="kind" value="accepted" formnovalidate>\(text.accept)</button>\
            <button name="kind" value="withdrawn" formnovalidate>\(text.undo)</button>\
            \(PageDecisions.fold("rejected", text.reject, asks: text.whatIsWrong, isRequired: true))\
            </form>

            """
    }

    private static func card(_ cause: PictureCause, _ context: PageContext) -> HTML {
        let text = context.text
        let words = TranslatedWords(cause.words, text)
        let tick: HTML =
            context.mayDecide
            ? "<input type=\"checkbox\" name=\"cause\" value=\"\(cause.id)\"> " : ""
        let screen: HTML =
            cause.screens == 1
            ? " · <bdi>\(LegalText.line(context.titles.title(of: cause.shown[0])))</bdi>" : ""
        return """
            <article class="cause" id="k-\(cause.id)">
            <h3><label>\(tick)<span\(words.language(text))><bdi>\(LegalText.line(words.text))</bdi>\
            </span></label></h3>
            \(cause.elements.map { element($0, text) })\
            <p class="where">\(text.extent(cause))\(screen)</p>
            <p class="quiet"><bdi>\(text.cells(of: LegalText.line(cause.cells)))</bdi></p>
            <p class="looks">\(cause.shown.map { look($0, context) })</p>
            </article>

            """
    }

    private static func element(_ line: String, _ text: PageText) -> HTML {
        let words = TranslatedWords(elements: line, text)
        return """
            <p class="quiet"\(words.language(text))><bdi>\(LegalText.line(words.text))</bdi></p>

            """
    }

    /// Returns the picture of one look of a cause, with a link to the change that it is in.
    private static func look(_ picture: SnapshotSummary, _ context: PageContext) -> HTML {
        let title = LegalText.line(context.titles.place(of: picture))
        let image: HTML =
            context.links.url(picture.failedPath).map { url in
                "<img src=\"\(url)\" alt=\"\(title)\" loading=\"lazy\">"
            } ?? "<bdi>\(title)</bdi>"
        let change = context.run.changeOfPicture[picture.id]
        let language = context.text.language.rawValue
        // A host's page may hold only a part of the changes.
        let address: HTML =
            change.map { id in
                context.review == nil ? "#c-\(id)" : "?change=\(id)&amp;lang=\(language)"
            } ?? "#changes"
        return "<a href=\"\(address)\" title=\"\(title)\">\(image)</a>"
    }
}
