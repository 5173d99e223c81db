// The page of an open run: the progress of each cell, the workers, the time left, the obstacles.
import FarmCore

/// Renders `/runs/R` while the run is open.
package struct ProgressPage: Sendable {
    package var run: String
    package var pipeline: String
    package var branch: String
    package var progress: RunProgress
    /// The reasons why the run is not done, the most important first.
    package var reasons: [WaitReason]
    /// The seconds since the run began.
    package var seconds: Double

    package init(
        run: String,
        pipeline: String,
        branch: String,
        progress: RunProgress,
        reasons: [WaitReason],
        seconds: Double
    ) {
        self.run = run
        self.pipeline = pipeline
        self.branch = branch
        self.progress = progress
        self.reasons = reasons
        self.seconds = seconds
    }

    /// The most cells that the page lists; the others count in the totals only.
    private static let cellsMax = 2_000
    private static let reasonsMax = 50

    /// Returns the page; `page` is the path of the run's page, `events` that of its server-sent
    /// events.
    package func render(in frame: RunsFrame, page: String, events: String) -> String {
        let text = frame.text
        let reasons = reasons.prefix(Self.reasonsMax).map {
            "<li><bdi>\(LegalText.line(text.waitReason($0)))</bdi></li>\n" as HTML
        }
        let branch: HTML = branch.isEmpty ? "" : " · <bdi>\(LegalText.line(branch))</bdi>"
        return frame.page(
            title: pipeline,
            events: events,
            """
            <p class="quiet"><a href="\(RunsFrame.runsPath)">\(text.runList)</a> · \
            <bdi>\(LegalText.line(run))</bdi>\(branch)</p>
            <p class="standing">\(frame.badge(progress.state)) \
            \(progress.done) / \(progress.planned) \
            \(RunsFrame.bar(progress.done, of: progress.planned)) \(facts(text))</p>
            <p class="quiet">\(text.stillGoing)</p>
            <p><a href="\(page)">\(text.soFar)</a></p>
            <h2>\(text.waitsFor)</h2>
            <ul class="reasons">
            \(reasons)</ul>
            <h2>\(text.runMatrix)</h2>
            \(matrix(text))
            """
        )
    }

    private func facts(_ text: PageText) -> HTML {
        let words =
            [
                text.workers(progress.workers), minutesLeft.map { text.minutesLeft($0) },
                progress.bad > 0 ? text.bad(progress.bad) : nil,
            ].compactMap(\.self)
        return "\(words.joined(separator: " · "))"
    }

    /// The minutes that the run still takes at its pace so far, or `nil` before a test case is
    /// done.
    private var minutesLeft: Int? {
        guard progress.done > 0, seconds > 0, progress.planned > progress.done else { return nil }
        let left = seconds / Double(progress.done) * Double(progress.planned - progress.done) / 60
        return left.isFinite && left < 100_000 ? Int(left.rounded(.up)) : nil
    }

    private func matrix(_ text: PageText) -> HTML {
        let rows = progress.cells.prefix(Self.cellsMax).map { cell -> HTML in
            let waits: HTML =
                cell.unplaceable.map {
                    "<br><small lang=\"en\"><bdi>\(LegalText.line($0))</bdi></small>"
                } ?? ""
            let bad: HTML = cell.bad == 0 ? "" : " <small>\(text.bad(cell.bad))</small>"
            return """
                <tr><td><bdi>\(LegalText.line(cell.job.text))</bdi></td>\
                <td><bdi>\(LegalText.line(cell.cell.text))</bdi>\(waits)</td>\
                <td>\(cell.done) / \(cell.planned) \
                \(RunsFrame.bar(cell.done, of: cell.planned))\(bad)</td></tr>

                """
        }
        return """
            <div class="scroll" tabindex="0" role="group" aria-label="\(text.runMatrix)">
            <table class="runs">
            <thead><tr><th scope="col">\(text.job)</th><th scope="col">\(text.runCell)</th>\
            <th scope="col">\(text.tests)</th></tr></thead>
            <tbody>
            \(rows)</tbody>
            </table></div>
            """
    }
}
