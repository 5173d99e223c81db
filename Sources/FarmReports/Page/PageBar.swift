// The bar at the lower edge of the page. On a host's page it shows the progress of decisions and
// the button that publishes; on a static page, the texts made from the ticked changes.
import FarmCore

enum PageBar {
    /// Returns the bar of a static page, with a command for a terminal and a comment for the pull
    /// request.
    ///
    /// The script fills in both texts.
    static func ticks(_ context: PageContext) -> HTML {
        let text = context.text
        return """
            <section id="bar" class="bar" aria-label="\(text.decisions)" hidden>
            <p id="ticked" role="status"></p>
            <select id="verb" aria-label="\(text.decisions)">\
            <option value="accept">\(text.accept)</option>\
            <option value="reject">\(text.reject)</option></select>
            <input id="reason" placeholder="\(text.why)" aria-label="\(text.why)" \
            maxlength="\(ReportLimits.reasonCharactersMax)" autocomplete="off">
            <button type="button" class="main" data-copy="command">\(text.copyCommand)</button>
            <button type="button" data-copy="comment">\(text.copyComment)</button>
            <details><summary>\(text.theText)</summary>
            <label>\(text.command)<textarea id="command" rows="4" readonly></textarea></label>
            <label>\(text.comment)<textarea id="comment" rows="4" readonly></textarea></label>
            </details>
            </section>

            """
    }

    /// Returns the bar of a host's page, with the progress of decisions and the buttons for all
    /// changes.
    static func review(
        _ context: PageContext,
        _ review: PageReview,
        _ standing: PageStanding,
        _ open: OpenChanges
    ) -> HTML {
        let text = context.text
        let buttons: HTML =
            review.mayDecide
            ? """
            <form id="accept-all" method="post" action="\(review.addresses.decisions)">\
            <input type="hidden" name="token" value="\(review.formToken)">\
            <input type="hidden" name="all" value="\(context.query.starting(at: 0).text)">\
            <input type="hidden" name="shown" value="\(open.digest.hex)">\
            <button name="kind" value="accepted"\(open.isTakeable ? "" : " disabled")>\
            \(open.words(text))</button></form>
            \(undo(standing.together, review, text))\
            \(judge(review, text))\
            <form id="publish" method="post" action="\(review.addresses.publish)">\
            <input type="hidden" name="token" value="\(review.formToken)">\
            <button class="main"\(standing.why == nil ? "" : " disabled")>\
            \(text.publish(standing.accepted, standing.removed))</button></form>
            """ : "<p class=\"quiet\">\(text.lookOnly)</p>"
        return """
            <section id="bar" class="bar" aria-label="\(text.decisions)">
            <p id="progress" role="status">\(standing.progress)</p>
            <p id="why" class="quiet">\(review.mayDecide ? standing.why ?? "" : "")</p>
            \(buttons)
            </section>

            """
    }
}

extension PageBar {
    /// Returns the button that judges the run again, or nothing if the host cannot.
    private static func judge(_ review: PageReview, _ text: PageText) -> HTML {
        guard let address = review.addresses.judge else { return "" }
        return """
            <form id="judge" method="post" action="\(address)">\
            <input type="hidden" name="token" value="\(review.formToken)">\
            <button title="\(text.judgeAgainHint)">\(text.judgeAgain)</button></form>
            """
    }

    /// Returns the button that withdraws the last "Accept all", hidden if there is none.
    private static func undo(
        _ together: AcceptedTogether?,
        _ review: PageReview,
        _ text: PageText
    ) -> HTML {
        """
        <form id="undo-all" method="post" action="\(review.addresses.decisions)"\
        \(together == nil ? " hidden" : "")>\
        <input type="hidden" name="token" value="\(review.formToken)">\
        <input type="hidden" name="when" value="\(together.map { String($0.when) } ?? "")">\
        <button name="kind" value="withdrawn">\(together?.words(text) ?? "")</button></form>
        """
    }
}

/// The progress of the decisions about a run.
struct PageStanding {
    let progress: String
    /// The number of pictures that are accepted and not yet published.
    let accepted: Int
    /// The number of accepted pictures that will leave the references when they are published.
    let removed: Int
    /// The reason why nothing can be published, or `nil` if something can.
    let why: String?
    /// The number of changes by the state of their decision.
    let counts: [PageDecision: Int]
    /// The newest "Accept all" of the page's person, or `nil` if there is none.
    let together: AcceptedTogether?

    init(_ changes: [PageChange], _ review: PageReview, _ text: PageText) {
        var all = 0
        var decided = 0
        var accepted = 0
        var removed = 0
        var counts: [PageDecision: Int] = [:]
        var presses: [Int64: AcceptedTogether] = [:]
        for change in changes where !change.decidable.isEmpty {
            let standing = change.standing(review.decisions)
            all += 1
            counts[standing.state, default: 0] += 1
            let own = standing.compactMap(\.self).filter {
                $0.kind == .accepted && $0.who == review.person
            }
            for (when, decisions) in Dictionary(grouping: own, by: \.when) {
                presses[when, default: AcceptedTogether(when: when)].add(decisions.count)
            }
            decided += standing.allSatisfy { $0.state != .open } ? 1 : 0
            let taken = standing.compactMap(\.self).filter {
                $0.kind == .accepted || $0.kind == .alternate
            }
            accepted += taken.count
            removed += taken.count { $0.capture == nil }
        }
        progress = text.progress(decided, all)
        self.accepted = accepted
        self.removed = removed
        self.counts = counts
        together = presses.values.filter { $0.changes > 1 }.max { $0.when < $1.when }
        why =
            review.cannotPublish.map { TranslatedProblem($0, in: text.language).line }
            ?? (accepted == 0 ? text.nothingAccepted : nil)
    }
}
