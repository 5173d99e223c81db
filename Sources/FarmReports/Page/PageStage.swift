// Reference, this run's picture and the difference, side by side. The style sheet overlays them for
// the other ways of comparing. All pictures of a stage share one scale, so that a wrong scale is
// visible; the script sets it once it knows their sizes.
import FarmCore

struct PageStage {
    let markup: HTML

    init(_ picture: SnapshotSummary, _ title: String, _ context: PageContext) {
        let text = context.text
        let files = PageFiles(picture, context.links)
        let size: HTML =
            picture.size.isEmpty
            ? "" : " width=\"\(picture.width)\" height=\"\(picture.height)\""
        func figure(_ kind: HTML, _ name: String, _ url: String?, none: String) -> HTML {
            guard let url else {
                return """
                    <figure class="\(kind)"><figcaption>\(name)</figcaption>\
                    <div class="frame empty">\(none)</div></figure>

                    """
            }
            // A report may have thousands of stages, so every byte counts: one size and two names
            // suffice.
            let own = kind.markup == "current" ? size : ""
            return """
                <figure class="\(kind)"><figcaption>\(name)</figcaption><div class="frame">\
                <img src="\(url)"\(own) alt="\(kind.markup == "diff" ? "" : title)" \
                loading="lazy"></div></figure>

                """
        }
        let reference = figure(
            "reference",
            files.isUnstable ? text.anotherTake : text.reference,
            files.reference,
            none: text.noReference
        )
        let current = figure("current", text.thisRun, files.current, none: text.notMade)
        let difference = files.difference.map { figure("diff", text.difference, $0, none: "") }
        let pair = files.reference != nil && files.current != nil
        markup = """
            <div class="stage\(pair ? " pair" : "")\(files.difference == nil ? "" : " has-diff")"\
            \(Self.boxes(picture))>
            \(reference)\(current)\(difference ?? "")</div>

            """
    }

    /// Returns the attribute with a picture's differing regions, `x,y,width,height;…`, which the
    /// script draws, numbers and lists; empty without any.
    static func boxes(_ picture: SnapshotSummary) -> HTML {
        guard !picture.clusters.isEmpty else { return "" }
        let boxes = picture.clusters.prefix(ReportLimits.regionsMax)
            .map { "\($0.x),\($0.y),\($0.width),\($0.height)" }.joined(separator: ";")
        return " data-b=\"\(boxes)\""
    }
}

/// The page's links to the files of one picture.
struct PageFiles {
    let reference: String?
    let current: String?
    let difference: String?
    /// Whether two takes of the picture are compared with each other, and not with the reference.
    let isUnstable: Bool

    init(_ picture: SnapshotSummary, _ links: PageLinks) {
        let other = links.url(picture.files["other"])
        reference = other ?? links.url(picture.referencePath)
        current = links.url(picture.failedPath)
        difference = links.url(picture.diffPath)
        isUnstable = other != nil
    }
}
