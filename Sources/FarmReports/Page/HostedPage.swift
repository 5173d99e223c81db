// The page where people decide, as a host serves it: `snapfarm review` for one person, `snapfarm
// serve` for many. It is the static page with buttons; style and script are files of their own, so
// that the host's content security policy can forbid all that is inline.
import FarmCore

extension HTMLReport {
    /// What a host sends as `Content-Security-Policy` with the page.
    package static let hostPolicy =
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// `text/css`, served at `PageReview.Addresses.style`.
    package static let style = PageAssets.style

    /// `text/javascript`, served at `PageReview.Addresses.script`.
    package static let script = PageAssets.hostScript

    /// The page with buttons.
    ///
    /// With `change` (`?change=ID`) it shows that change alone, with all its pictures: a page that
    /// cannot hold all pictures of a run asks for them so.
    package static func render(
        _ summary: RunSummary,
        review: PageReview,
        language: PageLanguage,
        change: String? = nil
    ) -> String {
        let context = PageContext(summary, language, place: nil, review: review)
        let changes = PageChange.all(context)
        let standing = PageStanding(changes, review, context.text)
        return page(
            context,
            changes,
            PageParts(
                head: """
                    <link rel="stylesheet" href="\(review.addresses.style)">
                    <script src="\(review.addresses.script)" defer></script>
                    """,
                body: hostData(context, review),
                bar: PageBar.review(review, standing, context.text),
                foot: "",
                only: change
            )
        ).markup
    }

    /// Where the script asks, and what it says.
    private static func hostData(_ context: PageContext, _ review: PageReview) -> HTML {
        """
         data-decisions="\(review.addresses.decisions)" data-events="\(review.addresses.events)" \
        data-state="\(HTML(trusted: context.summary.state.rawValue))"
        """
    }

    /// What `GET PageReview.Addresses.decisions` answers, as JSON.
    ///
    /// The page's script puts `html` of each of `changes` into that change's card; changes about
    /// which nothing is decided or said are absent. `decisions` are of single pictures, for other
    /// programs: at most ``ReportLimits/decisionsMax``.
    package static func decisions(
        _ summary: RunSummary,
        review: PageReview,
        language: PageLanguage
    ) -> String {
        let context = PageContext(summary, language, place: nil, review: review)
        let changes = PageChange.all(context)
        let standing = PageStanding(changes, review, context.text)
        var document = JSONText()
        document.add("{\"state\":")
        document.add(string: summary.state.rawValue)
        document.add(",\"progress\":")
        document.add(string: standing.progress)
        document.add(",\"publish\":")
        document.add(string: context.text.publish(standing.accepted))
        document.add(",\"cannotPublish\":")
        document.add(orNull: review.cannotPublish)
        document.add(",\"why\":")
        document.add(orNull: standing.why)
        document.add(",\"pin\":")
        document.add(string: PagePin.shown(review.pin, context.text).markup)
        document.add(",\"changes\":")
        document.add(list: changes.filter { $0.isTouched(review) }) { document, change in
            document.add("{\"id\":")
            document.add(string: change.id)
            document.add(",\"decision\":")
            document.add(string: change.standing(review).state.rawValue)
            document.add(",\"html\":")
            document.add(string: PageDecisions.shown(change, review, context.text).markup)
            document.add("}")
        }
        let pictures = changes.lazy.flatMap(\.pictures)
        let standings = pictures.compactMap { picture in
            picture.subject.flatMap { review.decisions.standing[$0] }
        }
        document.add(",\"decisions\":")
        document.add(list: standings.prefix(ReportLimits.decisionsMax)) { $0.add($1) }
        let comments = pictures.flatMap { picture in
            picture.subject.flatMap { review.decisions.comments[$0] } ?? []
        }
        document.add(",\"comments\":")
        document.add(list: comments.prefix(ReportLimits.decisionsMax)) { $0.add($1) }
        document.add("}")
        return String(decoding: document.bytes, as: UTF8.self)
    }
}

extension PageChange {
    /// Whether anything was decided or said about it.
    fileprivate func isTouched(_ review: PageReview) -> Bool {
        standing(review).contains { $0 != nil } || !comments(review).isEmpty
    }
}

extension JSONText {
    fileprivate mutating func add(orNull text: String?) {
        if let text { add(string: text) } else { add("null") }
    }

    fileprivate mutating func add<Item>(
        list items: some Sequence<Item>,
        _ item: (inout JSONText, Item) -> Void
    ) {
        add("[")
        var isFirst = true
        for one in items {
            if !isFirst { add(",") }
            isFirst = false
            item(&self, one)
        }
        add("]")
    }

    fileprivate mutating func add(_ decision: Decision) {
        add("{\"snapshot\":")
        add(string: decision.snapshot.text)
        add(",\"kind\":")
        add(string: decision.kind.rawValue)
        add(",\"who\":")
        add(string: decision.who)
        add(",\"when\":")
        add(Int(decision.when))
        add(",\"reason\":")
        add(string: decision.reason)
        add("}")
    }
}
