// The list of a coordinator's runs, the newest first: a pure function of its rows.
import FarmCore

/// Renders `/runs`, the list of a coordinator's runs.
package struct RunsPage: Sendable {
    /// A run as the list shows it.
    package struct Row: Sendable {
        package var id: String
        package var pipeline: String
        package var branch: String
        package var commit: String
        package var pullRequest: String
        package var state: RunState
        /// The time of the run's start, in ISO 8601.
        package var started: String
        package var planned: Int
        package var done: Int
        package var bad: Int
        /// The name of the person who started the run, or empty if unknown.
        package var startedBy: String
        /// The reason why the run is not judged, or `nil` if nothing is wrong.
        package var problem: String?

        package init(
            id: String,
            pipeline: String,
            branch: String,
            commit: String,
            pullRequest: String,
            state: RunState,
            started: String,
            planned: Int,
            done: Int,
            bad: Int,
            startedBy: String = "",
            problem: String? = nil
        ) {
            self.id = id
            self.pipeline = pipeline
            self.branch = branch
            self.commit = commit
            self.pullRequest = pullRequest
            self.state = state
            self.started = started
            self.planned = planned
            self.done = done
            self.bad = bad
            self.startedBy = startedBy
            self.problem = problem
        }
    }

    package var rows: [Row]
    /// The values that narrow the list to some runs, with the names of their queries; empty for all
    /// runs.
    package var filter: [(name: String, value: String)]
    /// The position at which the next page of the list begins, or `nil` on the last page.
    package var next: String?
    /// Whether this is the first page of the list, with the newest runs.
    package var isNewest: Bool

    package init(
        rows: [Row],
        filter: [(name: String, value: String)],
        next: String?,
        isNewest: Bool
    ) {
        self.rows = rows
        self.filter = filter
        self.next = next
        self.isNewest = isNewest
    }

    /// Returns the page; `events` is the path of the page's server-sent events.
    package func render(in frame: RunsFrame, events: String) -> String {
        let text = frame.text
        return frame.page(
            title: text.runList,
            // Older pages do not change.
            events: isNewest ? events : nil,
            """
            <p class="pages"><a href="\(RunsFrame.flakyPath)\(pipelineQuery)">\(text.flakyTests)</a></p>
            \(filterLine(text))
            \(rows.isEmpty ? "<p class=\"quiet\">\(text.noRuns)</p>" : table(frame))
            \(pages(text))
            """
        )
    }

    /// The filter's pipeline as a query of an address; empty without one.
    private var pipelineQuery: String {
        let value = filter.first { $0.name == "pipeline" }?.value
        return value.map { "?pipeline=" + RelativePath.component($0) } ?? ""
    }

    private func filterLine(_ text: PageText) -> HTML {
        guard !filter.isEmpty else { return "" }
        let words = filter.map { "<li><bdi>\(LegalText.line($0.value))</bdi></li>" as HTML }
        return """
            <div class="filter"><ul class="chips">\(words)</ul>
            <a href="\(RunsFrame.runsPath)">\(text.everything)</a></div>
            """
    }

    private func table(_ frame: RunsFrame) -> HTML {
        let text = frame.text
        return """
            <div class="scroll list" tabindex="0" role="group" aria-label="\(text.runList)">
            <table class="runs">
            <thead><tr><th scope="col">\(text.stateHead)</th><th scope="col">\(text.runHead)</th>\
            <th scope="col">\(text.pipeline)</th><th scope="col">\(text.branch)</th>\
            <th scope="col">\(text.commit)</th><th scope="col">\(text.tests)</th></tr></thead>
            <tbody>
            \(rows.map { row($0, frame) })</tbody>
            </table></div>
            """
    }

    private func row(_ row: Row, _ frame: RunsFrame) -> HTML {
        let text = frame.text
        let below = row.state == .running ? "/progress" : "/"
        let address = RunsFrame.runsPath + "/" + RelativePath.component(row.id) + below
        let bad: HTML = row.bad == 0 ? "" : " <small>\(text.bad(row.bad))</small>"
        let problem: HTML =
            row.problem.map { "<small>\(LegalText.line($0))</small>" } ?? ""
        let request: HTML =
            row.pullRequest.isEmpty
            ? "" : " <small><bdi>\(Self.short(Self.request(row.pullRequest), 40))</bdi></small>"
        let by: HTML =
            row.startedBy.isEmpty
            ? ""
            : " <small><bdi>\(text.handedInBy(Self.short(PersonText.short(row.startedBy), 60)))</bdi></small>"
        return """
            <tr><td>\(frame.badge(row.state))</td>\
            <td><a href="\(address)"><bdi>\(Self.short(row.id, 60))</bdi></a>\
            <small>\(RunsFrame.time(row.started))</small>\(by)\(problem)</td>\
            <td>\(link("pipeline", row.pipeline))</td>\
            <td>\(link("branch", row.branch))\(request)</td>\
            <td><code>\(LegalText.line(String(row.commit.prefix(12))))</code></td>\
            <td>\(row.done) / \(row.planned) \(RunsFrame.bar(row.done, of: row.planned))\(bad)</td></tr>

            """
    }

    /// Returns a link that narrows the list to the runs with `value`.
    private func link(_ name: String, _ value: String) -> HTML {
        guard !value.isEmpty else { return "" }
        let others = filter.filter { $0.name != name }
        let address = Self.address(others + [(name: name, value: value)])
        return "<a href=\"\(address)\"><bdi>\(Self.short(value, 40))</bdi></a>"
    }

    private func pages(_ text: PageText) -> HTML {
        var links: [HTML] = []
        if !isNewest {
            links.append("<a href=\"\(Self.address(filter))\">\(text.newest)</a> ")
        }
        if let next {
            let address = Self.address(filter + [(name: "before", value: next)])
            links.append("<a rel=\"next\" href=\"\(address)\">\(text.older)</a>")
        }
        return links.isEmpty ? "" : "<p class=\"pages\">\(links)</p>"
    }

    private static func address(_ queries: [(name: String, value: String)]) -> String {
        guard !queries.isEmpty else { return RunsFrame.runsPath }
        let words = queries.map { "\($0.name)=\(RelativePath.component($0.value))" }
        return RunsFrame.runsPath + "?" + words.joined(separator: "&")
    }

    /// Returns the name of a pull request: `#7` for a number, as most hosts write it, and any other
    /// name as it is.
    private static func request(_ name: String) -> String {
        name.utf8.allSatisfy { (48...57).contains($0) } ? "#\(name)" : name
    }

    private static func short(_ text: String, _ scalarsMax: Int) -> String {
        LegalText.clipped(LegalText.line(text), to: scalarsMax)
    }
}
