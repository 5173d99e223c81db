// The page with decisions that a host serves: `snapfarm review` for one person, `snapfarm serve`
// for many. It is the static page with buttons, and shows a large run in parts. Style and script
// are files of their own, so that the host's content security policy can forbid everything inline.
import FarmCore

extension HTMLReport {
    /// The `Content-Security-Policy` that a host sends with the page.
    package static let hostPolicy =
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// The text of the page's style sheet, served at `PageReview.Addresses.style`.
    package static let style = PageAssets.style

    /// The text of the page's script, served at `PageReview.Addresses.script`.
    package static let script = PageAssets.hostScript

    /// Returns the page of a run with buttons for decisions.
    ///
    /// With `change` in its query (`?change=ID`) the page shows that change alone, with all its
    /// pictures, for runs whose pictures do not all fit on one page.
    package static func render(
        _ run: PageRun,
        review: PageReview,
        language: PageLanguage,
        query: PageQuery = PageQuery()
    ) -> String {
        let context = PageContext(run, language, place: nil, review: review, query: query)
        let changes = query.changes(of: run, review.decisions)
        let standing = PageStanding(run.changes, review, context.text)
        let open = OpenChanges(changes, review.decisions)
        return page(
            context,
            changes,
            PageParts(
                head: """
                    <link rel="stylesheet" href="\(review.addresses.style)">
                    <script src="\(review.addresses.script)" defer></script>
                    """,
                body: hostData(context, review),
                bar: PageBar.review(context, review, standing, open),
                foot: ""
            )
        ).markup
    }

    /// Returns the attributes of the page's body with the script's addresses and the run's state.
    private static func hostData(_ context: PageContext, _ review: PageReview) -> HTML {
        """
         data-decisions="\(review.addresses.decisions)" data-events="\(review.addresses.events)" \
        data-state="\(HTML(trusted: context.summary.state.rawValue))" \
        data-look="\(look(of: context.summary))"\(thumbnails(review.addresses))
        """
    }

    /// Returns a text that differs if the page shows another run, or other problems of it.
    package static func look(of summary: RunSummary) -> String {
        let texts = [summary.run.id] + summary.problems.flatMap { [$0.code, $0.message] }
        return String(Digest(of: Array(texts.joined(separator: "\0").utf8)).hex.prefix(12))
    }

    /// Returns the attributes of the page's body with the addresses of thumbnails; empty if the
    /// host has none.
    private static func thumbnails(_ addresses: PageReview.Addresses) -> HTML {
        addresses.thumbnails.map {
            " data-files=\"\(addresses.files)\" data-thumbnails=\"\($0)\""
        } ?? ""
    }

    /// Returns the JSON that answers `GET PageReview.Addresses.decisions`.
    ///
    /// The page's script puts the `html` of each change into that change's card. `changes` has the
    /// changes that the page shows and that have a decision or a comment.
    package static func decisions(
        _ run: PageRun,
        review: PageReview,
        language: PageLanguage,
        query: PageQuery = PageQuery()
    ) -> String {
        let text = language.text
        let changes = query.changes(of: run, review.decisions)
        let standing = PageStanding(run.changes, review, text)
        let open = OpenChanges(changes, review.decisions)
        var document = JSONText()
        document.add("{")
        document.add("state", run.summary.state.rawValue)
        document.add("look", look(of: run.summary))
        document.add("progress", standing.progress)
        document.add("publish", text.publish(standing.accepted, standing.removed))
        document.add("why", standing.why)
        document.add("pin", PagePin.shown(review.pin, text).markup)
        document.add("acceptAll", open.words(text))
        document.add("open", open.isTakeable)
        if let together = standing.together {
            document.add("undo") {
                $0.add("when", String(together.when))
                $0.add("words", together.words(text))
            }
        }
        document.add("counts") {
            for (place, state) in PageDecision.allCases.enumerated() {
                $0.add(place == 0 ? "\"" : ", \"")
                $0.add(json: "\(state.rawValue)\": \(standing.counts[state] ?? 0)")
            }
        }
        let shown = changes.dropFirst(query.from).prefix(ReportLimits.hostedChangesMax)
        document.add("changes", list: shown.filter { $0.isTouched(review) }) { document, change in
            let newest = change.newest(review.decisions)
            document.add("id", change.id)
            document.add("decision", change.standing(review.decisions).state.rawValue)
            document.add("who", newest.map { PersonText.short($0.who) } ?? "")
            document.add("isOwn", newest?.who == review.person)
            document.add("html", PageDecisions.shown(change, review, text).markup)
        }
        document.add("}")
        return String(decoding: document.bytes, as: UTF8.self)
    }
}

extension PageChange {
    /// Returns whether the change has a decision or a comment.
    fileprivate func isTouched(_ review: PageReview) -> Bool {
        standing(review.decisions).contains { $0 != nil } || !comments(review.decisions).isEmpty
    }
}
