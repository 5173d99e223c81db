// The difference of a text from its reference: its lines below each other, and folded, side by
// side.
import FarmCore

struct PageHunks {
    let markup: HTML

    init(_ picture: SnapshotSummary, _ context: PageContext) {
        let text = context.text
        let files = PageFiles(picture, context.links)
        let hunks = (picture.hunks ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
        let links = [
            (text.reference, files.reference), (text.thisRun, files.current),
            (text.difference, files.difference),
        ].map { name, url -> HTML in
            url.map { "<a href=\"\($0)\">\(name)</a> " } ?? ""
        }
        markup = """
            <div class="texts">
            \(Self.inline(hunks))\(files.reference == nil ? "" : Self.columns(hunks, text))\
            <p class="quiet">\(links)</p></div>

            """
    }

    private static func inline(_ hunks: [String]) -> HTML {
        guard !hunks.isEmpty else { return "" }
        return """
            <pre class="hunks" tabindex="0">\(hunks.map(line))</pre>

            """
    }

    private static func line(_ line: String) -> HTML {
        let shown = LegalText.code(line)
        switch line.first {
        case "-": return "<del>\(shown)\n</del>"
        case "+": return "<ins>\(shown)\n</ins>"
        case "@": return "<b>\(shown)\n</b>"
        default: return "\(shown)\n"
        }
    }

    private static func columns(_ hunks: [String], _ text: PageText) -> HTML {
        guard !hunks.isEmpty else { return "" }
        let body = rows(hunks).map { old, new -> HTML in
            let before: HTML = old.isChanged ? "<del>\(old.text)</del>" : "\(old.text)"
            let after: HTML = new.isChanged ? "<ins>\(new.text)</ins>" : "\(new.text)"
            return "<tr><td>\(before)</td><td>\(after)</td></tr>\n"
        }
        return """
            <details class="sides"><summary>\(text.sideBySide)</summary>
            <div class="scroll" tabindex="0" role="group" aria-label="\(text.sideBySide)">
            <table class="hunks"><thead><tr><th scope="col">\(text.reference)</th>\
            <th scope="col">\(text.thisRun)</th></tr></thead>
            <tbody>
            \(body)</tbody></table></div></details>

            """
    }

    private struct Side {
        var text: String
        var isChanged: Bool
    }

    /// Returns the lines of both sides; removed lines stand beside the added ones that follow them.
    private static func rows(_ hunks: [String]) -> [(old: Side, new: Side)] {
        var rows: [(old: Side, new: Side)] = []
        var (removed, added): ([String], [String]) = ([], [])
        func flush() {
            for index in 0..<max(removed.count, added.count) {
                let old = removed.indices.contains(index) ? removed[index] : ""
                let new = added.indices.contains(index) ? added[index] : ""
                rows.append(
                    (
                        Side(text: old, isChanged: !old.isEmpty),
                        Side(text: new, isChanged: !new.isEmpty)
                    )
                )
            }
            (removed, added) = ([], [])
        }
        for line in hunks {
            let shown = LegalText.code(String(line.dropFirst()))
            switch line.first {
            case "-": removed.append(shown)
            case "+": added.append(shown)
            case "@":
                flush()
                rows.append((Side(text: "⋯", isChanged: false), Side(text: "⋯", isChanged: false)))
            default:
                flush()
                let same = Side(text: shown, isChanged: false)
                rows.append((same, same))
            }
        }
        flush()
        return rows
    }
}
