// The difference of a text from its reference: its lines below each other, and folded, side by
// side. Below them the picture in which the new lines name something, with a box around it; the
// script draws the boxes, and gives a line and its boxes one number.
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
            <p class="quiet">\(links)</p>
            \(BoxedPicture(picture, context).map { Self.stage($0, text) } ?? "")</div>

            """
    }

    private static func stage(_ boxed: BoxedPicture, _ text: PageText) -> HTML {
        """
        <div class="stage"\(boxed.boxes)><figure class="current"><figcaption>\(text.thisRun)\
        </figcaption><div class="frame"><img src="\(boxed.url)" width="\(boxed.width)" \
        height="\(boxed.height)" alt="\(boxed.title)" loading="lazy"></div></figure></div>

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

/// The picture of this run in which the added lines of a text name something.
struct BoxedPicture {
    let url: String
    let title: String
    let width: Int
    let height: Int
    /// The attribute with the boxes: `x,y,width,height,line,…;…`, where a line is a number among the
    /// added ones.
    let boxes: HTML

    /// Finds the picture of a text; `nil` if the text has no boxes or the page has no such picture.
    init?(_ row: SnapshotSummary, _ context: PageContext) {
        guard let boxes = row.boxes, let hunks = row.hunks,
            let picture = row.boxedPicture.flatMap({ context.run.boxedPictures[$0] }),
            let url = context.links.url(picture.failedPath)
        else { return nil }
        self.url = url
        title = LegalText.line(context.titles.name(of: picture))
        (width, height) = (picture.width, picture.height)
        var all: [(box: PixelBox, numbers: [Int])] = []
        for (place, line) in TextDifference.addedLines(of: hunks).enumerated() {
            for box in boxes[line] ?? [] {
                // Two findings about one element share its box.
                let index = all.firstIndex { $0.box == box } ?? all.count
                if index == all.count { all.append((box, [box.x, box.y, box.width, box.height])) }
                all[index].numbers.append(place)
            }
        }
        let text = all.map { $0.numbers.map(String.init).joined(separator: ",") }
        self.boxes = " data-b=\"\(text.joined(separator: ";"))\""
    }
}
