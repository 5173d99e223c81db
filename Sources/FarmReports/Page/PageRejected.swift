// The list of pictures that were rejected before the run ended, for the page on a disk.
import FarmCore

enum PageRejected {
    /// Returns a row of the list for each person and reason of a rejection; empty if there are
    /// none.
    static func markup(_ context: PageContext) -> HTML {
        let rejected = context.rejected
        guard !rejected.isEmpty else { return "" }
        let items = rejected.groups.prefix(ReportLimits.failedTestsMax).map { group in
            """
            <li><bdi>\(LegalText.line(context.titles.name(of: group.pictures)))</bdi> \
            <span class="quiet"><bdi>\(group.who)</bdi></span>
            <span><bdi>\(group.reason)</bdi></span></li>

            """ as HTML
        }
        return """
            <section class="problems" aria-labelledby="rejected">
            <h2 id="rejected">\(context.text.rejectedBefore) <small>\(rejected.count)</small></h2>
            <ul>
            \(items)</ul>
            \(context.rest(rejected.groups.count - items.count, .rejections))</section>

            """
    }
}
