// The decisions about one change, and the forms by which people decide. The forms work without
// script. The decisions are shown by one piece of markup for each change: the page holds it, and a
// host sends it again to a page that asks.
import FarmCore
import Foundation

struct PageDecisions {
    let markup: HTML

    init(_ change: PageChange, _ review: PageReview, _ text: PageText) {
        let shown: HTML = "<div class=\"decided\">\(Self.shown(change, review, text))</div>\n"
        let form =
            review.mayDecide && !change.decidable.isEmpty
            ? Self.form(change, review, text, around: nil) : ""
        markup = "\(shown)\(form)"
    }

    /// Returns the decision about a change with its person and time, and the comments.
    static func shown(_ change: PageChange, _ review: PageReview, _ text: PageText) -> HTML {
        "\(decided(change, review, text))\(said(change, review, text))"
    }

    private static func decided(
        _ change: PageChange,
        _ review: PageReview,
        _ text: PageText
    ) -> HTML {
        let standing = change.standing(review.decisions)
        switch standing.state {
        case .open: return ""
        case .mixed:
            func count(_ state: PageDecision) -> Int { standing.count { $0.state == state } }
            let accepted = count(.accepted) + count(.published)
            let words = text.mixed(accepted, count(.rejected), count(.open))
            return "<p>\(mark(.mixed, text)) <span>\(words)</span></p>"
        case .accepted, .rejected, .published:
            guard let newest = change.newest(review.decisions) else { return "" }
            let isAlternate = standing.allSatisfy { $0?.kind == .alternate }
            let words = isAlternate ? text.acceptedAsAlternate : text.mark(standing.state)
            let by = text.by(PersonText.short(newest.who), time(newest.when))
            let reason: HTML =
                newest.reason.isEmpty ? "" : " <q><bdi>\(LegalText.line(newest.reason))</bdi></q>"
            return """
                <p>\(mark(standing.state, words)) <span class="quiet"><bdi>\(by)</bdi></span>\
                \(reason)</p>
                """
        }
    }

    private static func said(_ change: PageChange, _ review: PageReview, _ text: PageText) -> HTML {
        let comments = change.comments(review.decisions).map { comment in
            let by = text.by(PersonText.short(comment.who), time(comment.when))
            return """
                <li><bdi>\(LegalText.line(comment.reason))</bdi> \
                <span class="quiet"><bdi>\(by)</bdi></span></li>
                """ as HTML
        }
        return comments.isEmpty ? "" : "<ul class=\"said\">\(comments)</ul>"
    }

    static func mark(_ decision: PageDecision, _ text: PageText) -> HTML {
        mark(decision, text.mark(decision))
    }

    private static func mark(_ decision: PageDecision, _ words: String) -> HTML {
        let sign: HTML =
            switch decision {
            case .open: "?"
            case .accepted: "✓"
            case .rejected: "✕"
            case .published: "★"
            case .mixed: "~"
            }
        return """
             <b class="mark d-\(HTML(trusted: decision.rawValue))"><span aria-hidden="true">\(sign)\
            </span> \(words)</b>
            """
    }

    /// Returns the form for a decision about a whole change or, around `rows`, about the ticked
    /// pictures.
    static func form(
        _ change: PageChange,
        _ review: PageReview,
        _ text: PageText,
        around rows: HTML?
    ) -> HTML {
        let name = HTML(trusted: change.field.rawValue)
        let about: HTML =
            rows.map { "\($0)<p class=\"quiet\">\(text.tickedOnly)</p>\n" }
            ?? "<input type=\"hidden\" name=\"\(name)\" value=\"\(change.value)\">"
        return """
            <form class="decide" method="post" action="\(review.addresses.decisions)">\(about)\
            <input type="hidden" name="token" value="\(review.formToken)">\
            <input type="hidden" name="back" value="c-\(change.id)">\
            <button name="kind" value="accepted" formnovalidate>\(text.accept)</button>\
            \(alternate(change, text))\
            <button name="kind" value="withdrawn" formnovalidate>\(text.undo)</button>\
            \(fold("rejected", text.reject, asks: text.whatIsWrong, isRequired: true))\
            \(fold("commented", text.say, asks: text.yourComment, isRequired: false))</form>

            """
    }

    /// Returns the button that accepts pictures as alternates; nothing if none can become one.
    private static func alternate(_ change: PageChange, _ text: PageText) -> HTML {
        guard change.decidable.contains(where: { $0.alternateBar == nil }) else { return "" }
        return """
            <button name="kind" value="alternate" formnovalidate title="\(text.alternateHint)">\
            \(text.acceptAsAlternate)</button>
            """
    }

    /// Returns a fold with a text field and the button that sends it; a rejection needs a reason in
    /// it.
    static func fold(
        _ kind: HTML,
        _ name: String,
        asks question: String,
        isRequired: Bool
    ) -> HTML {
        let field: HTML = isRequired ? "reason" : "comment"
        return """
            <details class="\(kind)"><summary>\(name) …</summary><label>\(question)\
            <textarea name="\(field)" rows="3" maxlength="\(ReportLimits.reasonCharactersMax)"\
            \(isRequired ? " required" : "")></textarea></label>\
            <button name="kind" value="\(kind)"\(isRequired ? "" : " formnovalidate")>\(name)\
            </button></details>
            """
    }

    /// Returns a time in milliseconds since 1970 as text, such as `2026-11-25 10:12 UTC`.
    static func time(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        return date.formatted(
            Date.VerbatimFormatStyle(
                format: """
                    \(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \
                    \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\
                    \(minute: .twoDigits) UTC
                    """,
                timeZone: .gmt,
                calendar: Calendar(identifier: .gregorian)
            )
        )
    }
}
