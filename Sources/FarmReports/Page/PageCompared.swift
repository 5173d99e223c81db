// The parts that only the page of a comparison has: its top, and the acceptances of the differences.
// A comparison is no run, so the page names no tests and takes no decisions.
import FarmCore

enum PageCompared {
    /// Returns the top of the page: the two sides, the counts of pictures, and the policy.
    static func header(_ context: PageContext, _ sides: ComparedSides) -> HTML {
        let text = context.text
        let changes = context.run.changes
        let count = SnapshotCount(changes.lazy.flatMap(\.pictures))
        let grouped: HTML =
            count.all == 0
            ? "" : "<p class=\"headline\">\(text.changes(changes.count, in: count))</p>\n"
        let facts = [
            (text.reference, text.kind(of: sides.left)), (text.thisRun, text.kind(of: sides.right)),
            (text.policy, sides.policy),
        ].map { name, value in
            "<div><dt>\(name)</dt><dd><bdi>\(LegalText.line(value))</bdi></dd></div>\n" as HTML
        }
        return """
            <header class="top">
            <p class="kicker">snapfarm · \(text.comparison)</p>
            <h1><bdi>\(sides.left.shown)</bdi> → <bdi>\(sides.right.shown)</bdi></h1>
            \(grouped)<p class="headline quiet">\(text.counted(context.summary, sides))</p>
            <dl class="facts">
            \(facts)</dl>
            </header>
            """
    }

    /// Returns the title of the page.
    static func title(_ sides: ComparedSides, _ text: PageText) -> String {
        "\(text.comparison): \(sides.left.shown) → \(sides.right.shown)"
    }

    /// Returns the buttons that show only accepted changes, or only never accepted ones; none if the
    /// acceptances are unknown.
    static func filters(_ context: PageContext) -> [HTML] {
        guard context.compared?.acceptances != nil else { return [] }
        return [true, false].map { isAccepted in
            let count = context.run.changes.count { context.isAccepted($0) == isAccepted }
            let key: HTML = isAccepted ? "accepted" : "never"
            return """
                <button type="button" class="chip d-\(key)" aria-pressed="false" \
                data-decided="\(key)">\(context.text.accepted(isAccepted)) <b>\(count)</b></button>

                """
        }
    }

    /// Returns the acceptances of a change's pictures, one line for each; empty if they are unknown.
    static func acceptances(_ change: PageChange, _ context: PageContext) -> HTML {
        guard let all = context.compared?.acceptances else { return "" }
        var order: [Acceptance] = []
        var counts: [Acceptance: Int] = [:]
        for picture in change.pictures {
            guard let acceptance = all[picture.id] else { continue }
            if counts[acceptance] == nil { order.append(acceptance) }
            counts[acceptance, default: 0] += 1
        }
        // Never accepted pictures come first, because people look for these.
        let sorted = order.filter { !$0.isAccepted } + order.filter(\.isAccepted)
        return """
            <div class="decided">\(sorted.prefix(ReportLimits.commentsMax).map { acceptance in
                line(acceptance, counts.count > 1 ? counts[acceptance] : nil, context.text)
            })</div>

            """
    }

    private static func line(_ acceptance: Acceptance, _ count: Int?, _ text: PageText) -> HTML {
        let pictures: HTML = count.map { " <span>\(text.cells($0))</span>" } ?? ""
        let by = text.recorded(acceptance)
        let facts: HTML = by.isEmpty ? "" : " <span class=\"quiet\"><bdi>\(by)</bdi></span>"
        let reason: HTML =
            acceptance.reason.isEmpty
            ? "" : " <q><bdi>\(LegalText.line(acceptance.reason))</bdi></q>"
        return "<p>\(mark(acceptance.isAccepted, text))\(pictures)\(facts)\(reason)</p>"
    }

    /// Returns the mark of a picture in the rows of a change; empty if all its pictures have the same.
    static func mark(of picture: SnapshotSummary, in change: PageChange, _ context: PageContext)
        -> HTML
    {
        guard let all = context.compared?.acceptances, let own = all[picture.id]?.isAccepted,
            change.pictures.contains(where: { all[$0.id]?.isAccepted != own })
        else { return "" }
        return mark(own, context.text)
    }

    private static func mark(_ isAccepted: Bool, _ text: PageText) -> HTML {
        let key: HTML = isAccepted ? "accepted" : "never"
        let sign: HTML = isAccepted ? "✓" : "!"
        return """
             <b class="mark d-\(key)"><span aria-hidden="true">\(sign)</span> \
            \(text.accepted(isAccepted))</b>
            """
    }
}

extension PageContext {
    /// Whether every picture of a change was accepted, or `nil` if that is unknown.
    func isAccepted(_ change: PageChange) -> Bool? {
        guard let all = compared?.acceptances else { return nil }
        return change.pictures.allSatisfy { all[$0.id]?.isAccepted ?? false }
    }
}
