// The cells of one change, folded: a row for each picture with links to its files, and a tick. A
// row takes few bytes: the script makes the thumbnail when the rows are opened, and shows a row's
// pictures in the stage of the card.
import FarmCore

struct PageCells {
    let markup: HTML

    init(_ change: PageChange, _ context: PageContext, withRows: Bool) {
        let text = context.text
        let count = change.pictures.count
        guard count > 1 else {
            markup = ""
            return
        }
        guard withRows else {
            markup =
                context.review == nil
                ? context.rest(count - 1, .cells)
                : """
                <p class="cells"><a class="more" \
                href="?change=\(change.id)&amp;lang=\(text.language.rawValue)">\
                \(text.showCells(count))</a></p>

                """
            return
        }
        let decidable = Set(change.decidable.map(\.id))
        let marks = change.marks(context)
        var rows: HTML = ""
        for picture in change.pictures {
            rows += Self.row(
                picture,
                tick: decidable.contains(picture.id) && context.compared == nil
                    && (context.review == nil || context.mayDecide),
                of: change,
                mark: marks[picture.id].map { PageDecisions.mark($0, text) }
                    ?? PageCompared.mark(of: picture, in: change, context),
                context
            )
        }
        let list: HTML = "<ul>\n\(rows)</ul>\n"
        let body = context.review.flatMap { review in
            context.mayDecide && !decidable.isEmpty
                ? PageDecisions.form(change, review, text, around: list) : nil
        }
        markup = """
            <details class="cells"><summary>\(text.snapshots(SnapshotCount(change.pictures)))</summary>
            \(body ?? list)</details>

            """
    }

    private static func row(
        _ picture: SnapshotSummary,
        tick: Bool,
        of change: PageChange,
        mark: HTML,
        _ context: PageContext
    ) -> HTML {
        let text = context.text
        let files = PageFiles(picture, context.links)
        func link(_ kind: HTML, _ url: String?, _ words: String) -> HTML {
            guard let url else { return "" }
            // The script shows the files of pictures above.
            if picture.isText { return " <a href=\"\(url)\">\(words)</a>" }
            return " <a class=\"\(kind)\" href=\"\(url)\">\(words)</a>"
        }
        let title = LegalText.line(context.cells.title(picture.cell))
        let other = files.isUnstable ? text.anotherTake : text.reference
        let box: HTML =
            tick
            ? """
            <input type="checkbox" name="snapshot" value="\(picture.id)" aria-label="\(title)">
            """ : ""
        let boxed = BoxedPicture(picture, context)
        let beside: HTML =
            boxed.map { " <a class=\"current\" href=\"\($0.url)\">\(text.picture)</a>" } ?? ""
        let shown = boxed.map { "\($0.width)×\($0.height)" } ?? picture.size
        let size: HTML = shown.isEmpty ? "" : " data-z=\"\(shown)\""
        // Some frameworks write the device into the picture's name.
        let name = "\(picture.suite)/\(picture.name)"
        let isNamed = name == "\(change.first.suite)/\(change.first.name)"
        let own: HTML = isNamed ? "" : " data-ignore=\"\(name)\""
        return """
            <li\(boxed?.boxes ?? PageStage.boxes(picture))\(size)\(own)>\(box) <bdi>\(title)</bdi>\
            \(link("reference", files.reference, other))\
            \(link("current", files.current, text.thisRun))\
            \(link("diff", files.difference, text.difference))\
            \(beside)\
            \(mark)</li>

            """
    }
}

extension PageChange {
    /// Returns the state of the decision about each picture, by its id; empty if all pictures have
    /// the same state.
    fileprivate func marks(_ context: PageContext) -> [String: PageDecision] {
        guard let review = context.review else { return [:] }
        let standing = standing(review.decisions)
        guard standing.state == .mixed else { return [:] }
        let states = zip(decidable, standing).map { ($0.id, $1.state) }
        return Dictionary(states) { first, _ in first }
    }
}
